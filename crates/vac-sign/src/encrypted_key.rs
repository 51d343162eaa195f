//! Private keys in PKCS #8 that are encrypted with a password (PBES2, RFC 8018).

use pkcs8::der::{ErrorKind, SecretDocument, Tag, asn1::OctetStringRef, pem::LineEnding};
use pkcs8::pkcs5::pbes2::{Kdf, Parameters, Pbkdf2Prf};
use pkcs8::pkcs5::scrypt::Params;
use pkcs8::{EncryptedPrivateKeyInfoRef, Error, pkcs5};
use zeroize::Zeroizing;

use crate::key::KeyError;
use crate::signer::SecretKey;

/// Maximum number of iterations of PBKDF2: some seconds.
const MAX_ITERATIONS: u32 = 10_000_000;
/// Maximum memory of scrypt, in bytes.
const MAX_MEMORY: u64 = 256 << 20;
/// Maximum parallelization parameter of scrypt: how many times it processes a block of memory of
/// the stated size.
const MAX_PARALLELIZATION: u16 = 16;
/// The cost of scrypt in new keys: 2^14 blocks of 1 KiB, the most that OpenSSL reads by default.
const LOG_COST: u8 = 14;

/// Decrypts an `EncryptedPrivateKeyInfo` in DER.
pub(crate) fn decrypt(content: &[u8], password: Option<&[u8]>) -> Result<SecretKey, KeyError> {
    let info = EncryptedPrivateKeyInfoRef::try_from(content).map_err(unreadable)?;
    let Some(parameters) = info.encryption_algorithm.pbes2() else {
        return Err(KeyError::Encryption("not PBES2".to_owned() + ADVICE));
    };
    check_cost(&parameters.kdf)?;
    let password = password.ok_or(KeyError::PasswordRequired)?;
    let secret = info.decrypt(password).map_err(|error| match error {
        // About one in 256 wrong passwords decrypts to bytes with valid padding that are not DER.
        Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed) | Error::Asn1(_) => {
            KeyError::WrongPassword
        }
        other => KeyError::Encryption(other.to_string()),
    })?;
    SecretKey::from_pkcs8(secret.as_bytes())
}

const ADVICE: &str = " (`openssl pkcs8 -topk8 -v2 aes-256-cbc` encrypts it again)";

fn unreadable(error: Error) -> KeyError {
    let Error::Asn1(asn1) = error else { return KeyError::Der(error.to_string()) };
    match asn1.kind() {
        ErrorKind::OidUnknown { oid } => {
            let name = match oid.to_string().as_str() {
                "1.2.840.113549.3.7" => "3DES".to_owned(),
                other => format!("algorithm {other}"),
            };
            KeyError::Encryption(name + ADVICE)
        }
        // Crate `pkcs5` reports algorithms that it does not know as malformed.
        ErrorKind::Value { tag: Tag::ObjectIdentifier } => {
            KeyError::Encryption("not PBES2".to_owned() + ADVICE)
        }
        _ => KeyError::Der(asn1.to_string()),
    }
}

/// Checks that deriving the key takes neither minutes nor gigabytes.
fn check_cost(kdf: &Kdf) -> Result<(), KeyError> {
    match kdf {
        Kdf::Pbkdf2(parameters) if parameters.iteration_count > MAX_ITERATIONS => {
            Err(KeyError::Cost {
                stated: format!("{} iterations of PBKDF2", parameters.iteration_count),
                max: MAX_ITERATIONS.to_string(),
            })
        }
        Kdf::Pbkdf2(parameters) if parameters.prf == Pbkdf2Prf::HmacWithSha1 => {
            Err(KeyError::Encryption("PBKDF2 with SHA-1".to_owned() + ADVICE))
        }
        // Crate `pkcs5` panics if the cost is 0.
        Kdf::Scrypt(parameters)
            if parameters.cost_parameter < 2 || !parameters.cost_parameter.is_power_of_two() =>
        {
            Err(KeyError::Encryption("the cost of scrypt is not a power of two".to_owned()))
        }
        Kdf::Scrypt(parameters) => {
            let memory =
                (128 * u64::from(parameters.block_size)).checked_mul(parameters.cost_parameter);
            let is_small = memory.is_some_and(|memory| memory <= MAX_MEMORY);
            if is_small && parameters.parallelization <= MAX_PARALLELIZATION {
                return Ok(());
            }
            Err(KeyError::Cost {
                stated: format!(
                    "scrypt with N = {}, r = {}, p = {}",
                    parameters.cost_parameter, parameters.block_size, parameters.parallelization
                ),
                max: format!("{} MiB and p = {MAX_PARALLELIZATION}", MAX_MEMORY >> 20),
            })
        }
        Kdf::Pbkdf2(_) => Ok(()),
        _ => Err(KeyError::Encryption(format!("key derivation {}", kdf.oid()))),
    }
}

/// Encrypts a `PrivateKeyInfo` in DER.
pub(crate) fn encrypt(
    key: &[u8],
    password: &[u8],
    salt: [u8; 16],
    iv: [u8; 16],
) -> Result<Zeroizing<String>, KeyError> {
    let failed = |why: &dyn std::fmt::Display| KeyError::Encryption(why.to_string());
    let cost = Params::new(LOG_COST, 8, 1).map_err(|error| failed(&error))?;
    let parameters =
        Parameters::generate_scrypt_aes256cbc(cost, &salt, iv).map_err(|error| failed(&error))?;
    let encrypted = parameters.encrypt(password, key).map_err(|error| failed(&error))?;
    let document = OctetStringRef::new(&encrypted)
        .map(|encrypted_data| EncryptedPrivateKeyInfoRef {
            encryption_algorithm: parameters.into(),
            encrypted_data,
        })
        .and_then(|info| SecretDocument::encode_msg(&info))
        .map_err(|error| failed(&error))?;
    document.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF).map_err(|error| failed(&error))
}
