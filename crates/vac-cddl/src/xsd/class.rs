//! Character classes: `[a-z]`, `[^a-z]`, `[a-z-[aeiou]]`.

use super::{Escape, Translation, literal};

/// The maximum number of classes that are subtracted from each other.
const DEPTH_LIMIT: usize = 20;

impl Translation<'_> {
    /// Translates a class, from after its bracket.
    pub(super) fn class(&mut self) -> Result<(), String> {
        let class = self.class_within(0)?;
        self.out.push_str(&class);
        Ok(())
    }

    fn class_within(&mut self, depth: usize) -> Result<String, String> {
        if depth == DEPTH_LIMIT {
            return Err("too many classes within classes".into());
        }
        let negated = self.rest.next_if_eq(&'^').is_some();
        let sign = if negated { "^" } else { "" };
        let mut items = String::new();
        loop {
            let next = self.rest.next().ok_or("`[` is never closed")?;
            match next {
                ']' if items.is_empty() => return Err("a class cannot be empty".into()),
                ']' => return Ok(format!("[{sign}{items}]")),
                '-' if self.rest.peek() == Some(&'[') && !items.is_empty() => {
                    self.rest.next();
                    let subtracted = self.class_within(depth + 1)?;
                    return match self.rest.next() {
                        Some(']') => Ok(format!("[[{sign}{items}]--{subtracted}]")),
                        _ => Err("a class has to end after what is subtracted".into()),
                    };
                }
                '[' => return Err("`[` has to be escaped in a class".into()),
                _ => items.push_str(&self.item(next)?),
            }
        }
    }

    /// Returns a character, an escape or a range that starts with `first`.
    fn item(&mut self, first: char) -> Result<String, String> {
        let low = match self.class_character(first)? {
            Escape::Class(class) => return Ok(class),
            Escape::Character(low) => low,
        };
        // After a range's start, `-` makes a range unless it ends the class.
        let mut ahead = self.rest.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), Some('[' | ']') | None);
        if !is_range || first == '-' {
            return Ok(literal(low));
        }
        self.rest.next();
        let end = self.rest.next().ok_or("`[` is never closed")?;
        match self.class_character(end)? {
            Escape::Character(high) if low <= high => {
                Ok(format!("{}-{}", literal(low), literal(high)))
            }
            Escape::Character(high) => Err(format!("`{low}-{high}` is not a range")),
            Escape::Class(_) => Err("a range cannot end with a class".into()),
        }
    }

    fn class_character(&mut self, c: char) -> Result<Escape, String> {
        match c {
            '\\' => self.escape(),
            _ => Ok(Escape::Character(c)),
        }
    }
}
