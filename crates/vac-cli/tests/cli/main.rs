//! The command line as its users meet it: arguments and files in, lines and exit
//! codes out.

mod convert;
mod discover;
mod events;
mod home;
mod hostile;
mod inputs;
mod inspect;
mod keygen;
mod lints;
mod list;
mod memory;
mod messages;
mod records;
mod run;
mod schemas;
mod sign;
mod signed;
mod transcode;
mod vectors;
mod verify;
