//! Parses the arguments, opens the streams, and maps what comes of it to an exit status.

use std::env;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Error, Result};
use fencing_demo::app::{AtTerminal, Terminal};
use fencing_demo::cli::{self, Answer, Invocation};
use fencing_demo::view::palette::Palette;

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let done = match cli::parse(env::args_os()) {
        Ok(invocation) => execute(&invocation),
        Err(Answer::Information(text)) => print(&text),
        Err(Answer::Mistake(text)) => return complain(&text, USAGE),
    };
    match done {
        Err(error) if !reader_is_gone(&error) => complain(&format!("error: {error:#}\n"), FAILURE),
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn execute(invocation: &Invocation) -> Result<()> {
    let (stdin, stdout, stderr) = (io::stdin().lock(), io::stdout().lock(), io::stderr().lock());
    let at_terminal = AtTerminal {
        input: stdin.is_terminal(),
        out: stdout.is_terminal(),
        prompts: stderr.is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb"),
    };
    let (mut input, mut out, mut prompts) = (stdin, BufWriter::new(stdout), stderr);
    let mut terminal = Terminal {
        input: &mut input,
        out: &mut out,
        prompts: &mut prompts,
        at_terminal,
        palette: Palette::decide(invocation.color, |name| env::var_os(name), at_terminal.out),
    };
    let done = terminal.execute(&invocation.command);
    let flushed = out.flush();
    done?;
    Ok(flushed?)
}

fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A closed pipe, as in `fencing-demo | head -1`, is not an error.
fn reader_is_gone(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}

fn complain(message: &str, status: u8) -> ExitCode {
    // If standard error cannot be written to either, the exit status is all there is left to say.
    let _ = io::stderr().write_all(message.as_bytes());
    ExitCode::from(status)
}
