//! The command line as its users meet it: arguments and files in, lines and exit
//! codes out.

mod convert;
mod hostile;
mod inputs;
mod lints;
mod memory;
mod messages;
mod records;
mod run;
mod schemas;
mod signed;
mod vectors;
