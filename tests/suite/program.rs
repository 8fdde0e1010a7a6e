//! Runs the program, strictly: in an empty environment, and unless a test says otherwise it must
//! exit with status 0 and say nothing on standard error.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// One run of the program, and what is expected of it.
pub struct Program {
    command: Command,
    input: Vec<u8>,
    status: i32,
    stderr: String,
}

impl Program {
    pub fn new<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencing-demo"));
        command.args(arguments).env_clear();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Program {
            command,
            input: Vec::new(),
            status: 0,
            stderr: String::new(),
        }
    }

    /// The command line, split at blanks.
    pub fn line(line: &str) -> Self {
        Program::new(line.split_whitespace())
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// What comes in on standard input, before it ends.
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Where standard output goes, if not to the test.
    pub fn into_file(mut self, stdout: impl Into<Stdio>) -> Self {
        self.command.stdout(stdout);
        self
    }

    /// Where standard error goes, if not to the test.
    pub fn errors_into(mut self, stderr: impl Into<Stdio>) -> Self {
        self.command.stderr(stderr);
        self
    }

    /// Where standard input comes from, if not from the test.
    pub fn input_from(mut self, stdin: impl Into<Stdio>) -> Self {
        self.command.stdin(stdin);
        self
    }

    /// It must succeed, with exactly this on standard error.
    pub fn says(mut self, stderr: impl Into<String>) -> Self {
        self.stderr = stderr.into();
        self
    }

    /// It must exit with this status, and exactly this on standard error.
    pub fn exits(mut self, status: i32, stderr: impl Into<String>) -> Self {
        self.status = status;
        self.stderr = stderr.into();
        self
    }

    /// The same, and nothing on standard output.
    #[track_caller]
    pub fn fails(self, status: i32, stderr: impl Into<String>) {
        assert_eq!(self.exits(status, stderr).stdout(), "");
    }

    /// Runs it, and gives its standard output.
    #[track_caller]
    pub fn stdout(self) -> String {
        let (status, expected) = (self.status, self.stderr.clone());
        let (found, stdout, stderr) = self.run();
        assert_eq!((found, stderr), (Some(status), expected));
        stdout
    }

    /// Runs it, which must succeed, and gives its standard output and its standard error.
    #[track_caller]
    pub fn output(self) -> (String, String) {
        let (status, stdout, stderr) = self.run();
        assert_eq!(status, Some(0), "{stderr}");
        (stdout, stderr)
    }

    /// Runs it, and gives its exit status, its standard output and its standard error.
    pub fn run(mut self) -> (Option<i32>, String, String) {
        let mut child = self.command.spawn().unwrap();
        let stdin = child.stdin.take();
        let input = self.input;
        // In a thread of its own, for neither side must wait for the other. A program that does
        // not read what it is given is no mistake.
        let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        drop(writer.join().unwrap());
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), stdout, stderr)
    }
}

/// A file that takes nothing, as on a full disk. Not every system has one: then a test that needs it
/// says that it is skipped.
pub fn full_disk() -> Option<File> {
    let full = File::options().write(true).open("/dev/full").ok();
    if full.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: no /dev/full");
    }
    full
}
