// COSE_Sign1 envelopes (RFC 9052), hash envelopes (RFC 9995), keys and certificates.

const ALGORITHMS = new Map([
  [-8, "Ed25519"],
  [-19, "Ed25519"],
  [-7, "P-256"],
]);
const HASHES = new Map([
  [-16, "SHA-256"],
  [-43, "SHA-384"],
  [-44, "SHA-512"],
]);

// Why a signature is not verified.
class NotVerified extends Error {}

const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

const isEnvelope = (bytes) => bytes[0] === 0xd2;

// Reads an envelope strictly.
const readEnvelope = (bytes) => {
  if (bytes[0] !== 0xd2 || bytes[1] !== 0x84) throw new NotVerified("the envelope is not a COSE_Sign1");
  const parts = [];
  let at = 2;
  for (let part = 0; part < 4; part += 1) {
    const end = cbor.skip(bytes, at);
    parts.push([at, end]);
    at = end;
  }
  if (at !== bytes.length) throw new NotVerified("something follows the envelope");
  const string = ([from, to], what) => {
    const [major, length, start] = cbor.head(bytes, from);
    if (major !== 2 || length === undefined) throw new NotVerified(`${what} is not a byte string`);
    if (!sameBytes(bytes.subarray(from, start), cborHead(2, to - start))) {
      throw new NotVerified(`${what} is not encoded deterministically`);
    }
    return bytes.subarray(start, to);
  };
  const protectedBytes = string(parts[0], "the protected header");
  const header = protectedBytes.length === 0 ? new Map() : cbor.parse(protectedBytes, 0);
  const unprotected = cbor.parse(bytes, parts[1][0]);
  if (!(header instanceof Map) || !(unprotected instanceof Map)) {
    throw new NotVerified("a header is not a map");
  }
  if (cbor.skip(protectedBytes.length ? protectedBytes : Uint8Array.of(0xa0), 0) < protectedBytes.length) {
    throw new NotVerified("something follows the protected header");
  }
  const payload = bytes[parts[2][0]] === 0xf6 ? null : string(parts[2], "the payload");
  return { protectedBytes, header, unprotected, payload, signature: string(parts[3], "the signature") };
};

const label = (envelope, number) => {
  const value = envelope.header.get(number);
  return value instanceof Num ? Number(value.text) : value;
};

// Returns the claims of the signer that the signature covers.
const signedClaims = (envelope) => {
  const claims = envelope.header.get(15);
  const text = (number) => {
    const value = claims instanceof Map ? claims.get(number) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  return { issuer: text(1), subject: text(2) };
};

// Returns the bytes that the signature covers besides the headers, and what they are. The record
// is that of the page, if the envelope does not contain it.
const signedPayload = async (envelope, record) => {
  const hash = label(envelope, 258);
  if (hash === undefined) {
    if (envelope.payload) return [envelope.payload, "the record in the envelope"];
    if (!record) throw new NotVerified("the record is missing");
    return [record, "the record"];
  }
  const algorithm = HASHES.get(hash);
  if (!algorithm) throw new NotVerified("the digest is of an unknown kind");
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, record));
  if (envelope.payload && !sameBytes(envelope.payload, digest)) {
    throw new NotVerified(`the record's ${algorithm} is not the one that was signed`);
  }
  return [digest, `the record's ${algorithm} digest`];
};

// Returns the Sig_structure (RFC 9052 section 4.4).
const sigStructure = (envelope, payload) => {
  const context = new TextEncoder().encode("Signature1");
  return joinBytes([
    Uint8Array.of(0x84), cborHead(3, context.length), context,
    cborHead(2, envelope.protectedBytes.length), envelope.protectedBytes,
    cborHead(2, 0),
    cborHead(2, payload.length), payload,
  ]);
};

// Reads a public key: PEM text, or a SubjectPublicKeyInfo in DER.
const readKey = async (bytes, origin) => {
  const text = new TextDecoder().decode(bytes);
  let der = bytes;
  const block = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/.exec(text);
  if (block) {
    if (block[1].includes("PRIVATE")) throw new NotVerified("this is a private key: keep it secret, and use the public key");
    if (block[1] === "CERTIFICATE") der = certificateKey(fromBase64(block[2].replace(/\s/g, "")));
    else if (block[1] === "PUBLIC KEY") der = fromBase64(block[2].replace(/\s/g, ""));
    else throw new NotVerified(`expected a PUBLIC KEY in PEM, found ${beginning(block[1], 40)}`);
  }
  const hexed = hex(der.subarray(0, 32));
  const type = hexed.includes("06032b6570") ? "Ed25519" : hexed.includes("06082a8648ce3d030107") ? "P-256" : undefined;
  if (!type) throw new NotVerified("not a public key for Ed25519 or P-256");
  if (!globalThis.crypto?.subtle) {
    throw new NotVerified("this browser checks signatures only on pages from a file or from https");
  }
  const parameters = type === "Ed25519" ? { name: type } : { name: "ECDSA", namedCurve: type };
  let key;
  try {
    key = await crypto.subtle.importKey("spki", der, parameters, true, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") throw new NotVerified(`this browser cannot check ${type} signatures`);
    throw new NotVerified("the key is damaged");
  }
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", key));
  return { key, type, origin, raw, thumbprint: await thumbprint(type, raw) };
};

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

// Returns the thumbprint of a key (RFC 9679) as a URI.
const thumbprint = async (type, raw) => {
  const parts =
    type === "Ed25519"
      ? [Uint8Array.of(0xa3, 1, 1, 0x20, 6, 0x21, 0x58, 32), raw]
      : [Uint8Array.of(0xa4, 1, 2, 0x20, 1, 0x21, 0x58, 32), raw.subarray(1, 33),
         Uint8Array.of(0x22, 0x58, 32), raw.subarray(33)];
  return `urn:ietf:params:oauth:ckt:sha-256:${base64url(await sha256(joinBytes(parts)))}`;
};

const jwkThumbprint = async (type, raw) => {
  const jwk =
    type === "Ed25519"
      ? `{"crv":"Ed25519","kty":"OKP","x":"${base64url(raw)}"}`
      : `{"crv":"P-256","kty":"EC","x":"${base64url(raw.subarray(1, 33))}","y":"${base64url(raw.subarray(33))}"}`;
  return `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${base64url(await sha256(new TextEncoder().encode(jwk)))}`;
};

// Returns the SubjectPublicKeyInfo of an X.509 certificate.
const certificateKey = (der) => {
  const item = (at) => {
    let length = der[at + 1];
    let start = at + 2;
    if (length > 0x80) {
      const count = length & 0x7f;
      if (count > 4) throw new NotVerified("the certificate is damaged");
      length = 0;
      for (let byte = 0; byte < count; byte += 1) length = length * 256 + der[start + byte];
      start += count;
    }
    if (!(start + length <= der.length)) throw new NotVerified("the certificate is damaged");
    return { tag: der[at], start, end: start + length };
  };
  let part = item(item(item(0).start).start);
  // An optional version, then serial number, algorithm, issuer, validity and subject.
  if (part.tag === 0xa0) part = item(part.end);
  let at = part.end;
  for (let skipped = 0; skipped < 4; skipped += 1) at = item(at).end;
  return der.subarray(at, item(at).end);
};

// Returns the keys of the certificates in an envelope's protected header.
const envelopeCertificate = (envelope) => {
  const chain = envelope.header.get(33);
  const first = Array.isArray(chain) ? chain[0] : chain;
  return first instanceof Bytes ? first.bytes : undefined;
};

// Verifies the signature of an envelope with a key. Returns what was signed, in words.
const verifyEnvelope = async (envelope, record, key) => {
  const algorithm = ALGORITHMS.get(label(envelope, 1));
  if (!algorithm) throw new NotVerified("the algorithm is not supported");
  if (algorithm !== key.type) throw new NotVerified(`signed with ${algorithm}, but the key is for ${key.type}`);
  const understood = [1, 3, 15, 258, 259];
  const critical = envelope.header.get(2);
  for (const one of critical === undefined ? [] : [critical].flat()) {
    if (!(one instanceof Num && understood.includes(Number(one.text)))) {
      throw new NotVerified("a critical header parameter is not understood here: use vac verify");
    }
  }
  const { issuer } = signedClaims(envelope);
  for (const [prefix, value] of [
    ["urn:ietf:params:oauth:ckt:", key.thumbprint],
    ["urn:ietf:params:oauth:jwk-thumbprint:", await jwkThumbprint(key.type, key.raw)],
  ]) {
    const isThumbprint = issuer?.toLowerCase().startsWith(prefix);
    if (isThumbprint && issuer.slice(prefix.length).replace(/^sha-256:/i, "") !== value.split(":").at(-1)) {
      throw new NotVerified("the issuer is the thumbprint of another key");
    }
  }
  const [payload, what] = await signedPayload(envelope, record);
  if (envelope.signature.length !== 64) throw new NotVerified("the signature does not have 64 bytes");
  const parameters = key.type === "Ed25519" ? { name: "Ed25519" } : { name: "ECDSA", hash: "SHA-256" };
  const message = sigStructure(envelope, payload);
  if (!(await crypto.subtle.verify(parameters, key.key, envelope.signature, message))) {
    throw new NotVerified("the signature was not made with this key over these bytes");
  }
  return what;
};
