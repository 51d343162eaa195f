//! `vac show`

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use vac::adapter::Error;
use vac::view::transcript::{Head, Item, TranscriptOptions, transcript};

use crate::exit::Exit;
use crate::help;
use crate::layout;
use crate::printer::Printer;
use crate::sessions::ReadOptions;
use crate::show::markdown::MarkdownView;
use crate::show::text::TextView;
use crate::show::{At, Detail, Kind};

/// The number of items that are printed before and after the entry of `--at`.
const AROUND: usize = 3;

/// Print a session in readable form: prompts, answers, commands and edits
///
/// One line for each action: the index of its entry, the time in UTC, who acted, what happened,
/// and how it ended. With -v also the texts of prompts and answers, the diffs of edits and the
/// beginning of outputs; with --full everything. Below is a summary: files changed, commands and
/// failures, hosts, tokens.
///
/// What was rewound, rolled back, repeated or inherited is left out, and so are messages that the
/// program wrote in the user's name; see --all. Actions of subagents are indented.
///
/// On a terminal, the output goes through the program that the variable PAGER names, or `less`.
#[derive(Args)]
#[command(after_help = help::ending(
    &["Without SESSION, the latest session that an agent keeps is shown. Lines fit the terminal; \
       elsewhere they have 100 columns, or the number in the variable COLUMNS."],
    "an input is not a session, or is an invalid record",
    &[
        ("vac show", "The latest session"),
        ("vac show -v session.jsonl", "A session with its texts and diffs"),
        ("vac show --only commands,failures session.jsonl", "What was run, and what failed"),
        ("vac show --md record.json", "A record as Markdown, for a pull request"),
    ],
))]
#[allow(clippy::struct_excessive_bools)] // each is an option
pub struct ShowArgs {
    /// Session log, record (JSON, CBOR, signed), - for stdin, ARCHIVE/SESSION, or the id of a session
    /// that an agent keeps (at least 4 characters)
    #[arg(value_name = "SESSION")]
    sessions: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Print everything: reasoning, inputs, whole outputs and diffs
    #[arg(long)]
    full: bool,
    /// Print only these actions, separated by commas
    #[arg(long, value_enum, value_name = "KINDS", value_delimiter = ',')]
    only: Vec<Kind>,
    /// Print this entry in full, with the actions around it: an index, a JSON pointer or an id
    #[arg(long, value_name = "ENTRY", conflicts_with = "only")]
    at: Option<String>,
    /// Also print entries that were superseded, repeat others, were inherited, or were written by
    /// the program
    #[arg(long)]
    all: bool,
    /// Print Markdown
    #[arg(long)]
    md: bool,
    /// Print to the terminal directly
    #[arg(long)]
    no_pager: bool,
}

/// The form in which a session is printed.
enum View {
    Text(TextView),
    Markdown(MarkdownView),
}

impl ShowArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let mut sessions = self.reading.sessions(&self.sessions, printer)?;
        if self.sessions.is_empty() {
            sessions.last.last.get_or_insert(1);
        }
        if !self.no_pager && !self.md {
            printer.start_pager();
        }
        let mut is_found = self.at.is_none();
        let exit = sessions.each(&mut |session, from| {
            let head = Head::new(session, &from.names());
            is_found |= self.show(session, &head, printer)?;
            // The session has been printed, but the user learns that its log was changed.
            from.check_unchanged()
        });
        printer.end_pager()?;
        let exit = exit?;
        match &self.at {
            Some(at) if !is_found && exit == Exit::Success => {
                printer.error(&format!("entry `{at}` does not exist or is hidden (see --all)"));
                Ok(Exit::Failure)
            }
            _ => Ok(exit),
        }
    }

    /// Prints a session. Returns whether the entry that was asked for is in it.
    fn show(
        &self,
        session: &dyn vac::adapter::Session,
        head: &Head,
        printer: &Printer,
    ) -> Result<bool, Error> {
        let detail = match (self.full, printer.is_verbose()) {
            (true, _) => Detail::Full,
            (_, true) => Detail::Texts,
            _ => Detail::Lines,
        };
        let width = layout::width().unwrap_or(layout::DEFAULT_WIDTH);
        let mut view = if self.md {
            View::Markdown(MarkdownView::new(head, detail))
        } else {
            View::Text(TextView::new(head, width, detail))
        };
        match &view {
            View::Text(view) => print(printer, view.head(head))?,
            View::Markdown(_) => printer.text(&MarkdownView::head(head))?,
        }
        let mut around = self.at.as_deref().map(|at| Around::new(At::parse(at)));
        let options = TranscriptOptions { all: self.all };
        let summary = transcript(session, &[], options, &mut |item| {
            // The reader of the output, or the user of the pager, has seen enough.
            if printer.is_closed() {
                return Err(Error::Io(io::ErrorKind::BrokenPipe.into()));
            }
            if !self.only.is_empty() && !self.only.iter().any(|kind| kind.includes(item)) {
                return Ok(());
            }
            match &mut around {
                None => view.print(item, None, printer),
                Some(around) => around.item(item, &mut view, printer),
            }
        })?;
        match (&view, &around) {
            (_, Some(_)) => {}
            (View::Text(view), None) => print(printer, view.footer(&summary, self.all))?,
            (View::Markdown(view), None) => printer.text(&view.footer(&summary, self.all))?,
        }
        Ok(around.is_none_or(|around| around.is_found))
    }
}

impl View {
    fn print(
        &mut self,
        item: &Item,
        detail: Option<Detail>,
        printer: &Printer,
    ) -> Result<(), Error> {
        match self {
            Self::Text(view) => print(printer, view.item(item, detail)),
            Self::Markdown(view) => Ok(printer.text(&view.item(item, detail))?),
        }
    }
}

fn print(printer: &Printer, lines: Vec<crate::printer::line::Line>) -> Result<(), Error> {
    for line in lines {
        printer.line(line)?;
    }
    Ok(())
}

/// Prints one entry in full, and one line for each of the items around it.
struct Around {
    at: At,
    before: VecDeque<Item>,
    is_found: bool,
    /// The number of items after the entry that are still to be printed.
    after: usize,
}

impl Around {
    fn new(at: At) -> Self {
        Self { at, before: VecDeque::new(), is_found: false, after: 0 }
    }

    fn item(&mut self, item: &Item, view: &mut View, printer: &Printer) -> Result<(), Error> {
        if self.at.selects(item) {
            for item in self.before.drain(..) {
                view.print(&item, Some(Detail::Lines), printer)?;
            }
            (self.is_found, self.after) = (true, AROUND);
            return view.print(item, Some(Detail::Full), printer);
        }
        if self.after > 0 {
            self.after -= 1;
            return view.print(item, Some(Detail::Lines), printer);
        }
        if self.before.len() == AROUND {
            self.before.pop_front();
        }
        self.before.push_back(item.clone());
        Ok(())
    }
}
