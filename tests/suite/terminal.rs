//! Somebody at a terminal: the program in a pseudo-terminal, which `script` from util-linux opens,
//! and what stands on the screen in the end.

use std::env;
use std::io::{Read, Write};
use std::iter;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use fencing_demo::script::built_in::{BuiltIn, Group};

use crate::program::Program;

const PATIENCE: Duration = Duration::from_secs(20);

/// A command at a terminal, and the keys that are pressed there.
pub struct Session {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    /// All that came out so far.
    seen: Vec<u8>,
    /// So much of it was waited for.
    awaited: usize,
}

impl Session {
    /// Starts the command in a shell that finds the program under test. Where no `script` is there
    /// to open a terminal with, it says so, and there is no session.
    #[allow(clippy::print_stderr, reason = "a test that is skipped has to say so")]
    pub fn start(command: &str) -> Option<Session> {
        let version = Command::new("script").arg("--version").output();
        let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        if !version.is_ok_and(|version| version.contains("util-linux")) {
            eprintln!("skipped: no script from util-linux, to open a terminal with");
            return None;
        }
        let program = Path::new(env!("CARGO_BIN_EXE_fencing-demo"));
        let folder = program.parent().unwrap().display();
        let path = env::var("PATH").unwrap_or_default();
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--command", command, "/dev/null"])
            .env_clear()
            .envs([
                ("PATH", format!("{folder}:{path}")),
                ("TERM", "xterm".into()),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = child.stdin.take().unwrap();
        Some(Session {
            child,
            keys,
            output,
            seen: Vec::new(),
            awaited: 0,
        })
    }

    /// Waits until the text comes out, after what was waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        loop {
            let new = &self.seen[self.awaited..];
            let found = new.windows(text.len()).position(|it| it == text.as_bytes());
            if let Some(at) = found {
                self.awaited += at + text.len();
                return self;
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(error) => panic!("{error}: no {text:?} in {:?}", String::from_utf8_lossy(new)),
            }
        }
    }

    /// Presses the keys.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// Waits for the command to end, and gives its exit status and what it left on the screen.
    #[track_caller]
    pub fn end(mut self) -> (Option<i32>, String) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    panic!("no end of {:?}", String::from_utf8_lossy(&self.seen))
                }
            }
        }
        let status = self.child.wait().unwrap();
        let seen = String::from_utf8(self.seen).unwrap();
        (status.code(), screen(&seen))
    }
}

/// What stands on a screen that is large enough, after all of this came out. It knows the two
/// escape sequences that a prompt is erased with, and colours, which it drops.
fn screen(output: &str) -> String {
    let mut lines = vec![String::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = output;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\n' => {
                row += 1;
                if row == lines.len() {
                    lines.push(String::new());
                }
            }
            '\r' => column = 0,
            '\x1b' => {
                let end = rest.find(|it: char| it.is_ascii_alphabetic()).unwrap();
                match &rest[..=end] {
                    "[A" => row -= 1,
                    "[2K" => lines[row].clear(),
                    colour => assert!(colour.ends_with('m'), "{colour:?}"),
                }
                rest = &rest[end + 1..];
            }
            other => {
                let line: Vec<char> = lines[row].chars().collect();
                let before = line.iter().copied().chain(iter::repeat(' ')).take(column);
                let after = line.iter().skip(column + 1);
                lines[row] = before.chain([other]).chain(after.copied()).collect();
                column += 1;
            }
        }
    }
    assert!(lines[row + 1..].iter().all(String::is_empty));
    lines[..=row].join("\n")
}

#[test]
fn after_the_default_run_a_terminal_is_told_that_there_is_more() {
    let others = BuiltIn::all().filter(|built_in| built_in.group() != Group::TheStory);
    let note = format!(
        "note: {} more stories: fencing-demo --list\n",
        others.count()
    );
    for (arguments, note) in [
        ("", note.as_str()),
        ("--fencing both", &note),
        ("--scenario 1", ""),
        ("--list", ""),
        ("--explore", ""),
    ] {
        let Some(session) = Session::start(&format!("fencing-demo {arguments}")) else {
            return;
        };
        let printed = Program::line(arguments).stdout();
        assert_eq!(session.end(), (Some(0), printed.clone() + note));
        let session = Session::start(&format!("fencing-demo {arguments} | cat")).unwrap();
        assert_eq!(session.end(), (Some(0), printed));
    }
}

#[test]
fn whoever_is_to_type_a_script_is_told_so() {
    let Some(mut session) = Session::start("fencing-demo --script -") else {
        return;
    };
    session.wait_for("note: type a script, one step a line; Ctrl-D at the start of a line ends it");
    session.press("client1 pauses\n").press("\x04");
    session.wait_for("SCRIPT standard input");
    let (status, screen) = session.end();
    assert_eq!(status, Some(0));
    assert!(
        screen.contains("client1 enters a long GC pause"),
        "{screen}"
    );

    let Some(session) = Session::start("echo client1 pauses | fencing-demo --script -") else {
        return;
    };
    let (_, screen) = session.end();
    assert!(!screen.contains("note: "), "{screen}");
}
