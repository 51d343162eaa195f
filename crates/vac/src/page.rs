//! Writes, reads and checks HTML pages that show a record and verify its signature.

use vac_html::Page;

use crate::AGENTS;
use crate::error::{Error, ErrorKind, Result};
use crate::parallel::with_stack;

pub use vac_html::{Contents as PageContents, PageError, is_page};

/// The result of comparing a page with a page that was made again from its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageCheck {
    /// The bytes are the same.
    Same,
    /// The bytes differ from this position on.
    Different {
        /// The position of the first byte that differs.
        at: usize,
    },
    /// Another build of `vac` made the page, so that it cannot be compared.
    OtherVersion {
        /// The build that the page states.
        version: String,
    },
}

/// Creates the HTML page of a record. The page states `version`, which has to identify the build of
/// this program: one build always makes the same page from the same contents.
///
/// # Errors
/// If there is not exactly one valid record, or it is too large.
pub fn make_page(contents: PageContents, version: &str) -> Result<Vec<u8>> {
    let page = Page { contents, version: version.to_owned() };
    with_stack(|| page.render(AGENTS).map_err(Error::from))?
}

/// Returns the content of a page: the envelope or record, and the key with which it was made.
/// Neither the signature nor the rest of the page is checked.
///
/// # Errors
/// If the bytes are not a page, or a part of it is damaged.
pub fn read_page(page: &[u8]) -> Result<PageContents> {
    Ok(Page::read(page)?.contents)
}

/// Makes a page again from its content, and compares both. `version` is that of [`make_page`].
///
/// # Errors
/// If the bytes are not a page, or its content cannot be shown.
pub fn check_page(page: &[u8], version: &str) -> Result<PageCheck> {
    let found = Page::read(page)?;
    if found.version != version {
        return Ok(PageCheck::OtherVersion { version: found.version });
    }
    let made = make_page(found.contents, version)?;
    if made == page {
        return Ok(PageCheck::Same);
    }
    let at = made.iter().zip(page).take_while(|(made, found)| made == found).count();
    Ok(PageCheck::Different { at })
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Record(error) => error.into(),
            PageError::NotAPage(_) => Self::new(ErrorKind::Unrecognised, error.to_string()),
            PageError::TooLarge { .. }
            | PageError::TooManyEntries { .. }
            | PageError::Key(_)
            | PageError::RecordMissing => Self::refused(error.to_string()),
        }
    }
}
