//! A link or a special file inside a session's folder is not opened.
