//! `--step`: a question before anything is shown, and one beat at each Enter.

use std::fs::{self, File};

use fencing_demo::script::built_in::{BuiltIn, Group};

use crate::program::{Program, full_disk};
use crate::terminal::Session;

const QUESTION: &str = "SCENARIO 3, fencing on\n\
                        Predict: client1's packet left while client1 still held the lease, and arrives\n\
                        after client2 has written. ACCEPTED or REJECTED?\n\n";
const BET: &str = "[Verdict? s: SAFE, c: CORRUPTED, Enter: no bet, q: quit] ";
const STEP: &str = "[Enter: next step, q: quit] ";
const VERDICT: &str = "[Enter: final contents and verdict, q: quit] ";

/// All that is said while scenario 3 is stepped through. It has six steps and five beats, for its
/// second and third step are one.
const ALL: [&str; 8] = [QUESTION, BET, STEP, STEP, STEP, STEP, STEP, VERDICT];

#[test]
fn standard_output_is_the_same_with_any_number_of_enters() {
    let whole = Program::line("--scenario 3").stdout();
    for enters in 0..=8 {
        let asked = ALL.len().min(2 + enters);
        // Where input ends instead of an Enter, so does the line of its prompt.
        let ended = if enters < 7 { "\n" } else { "" };
        let stepped = Program::line("--scenario 3 --step")
            .input("\n".repeat(enters))
            .says(ALL[..asked].concat() + ended)
            .stdout();
        assert_eq!(stepped, whole, "{enters} times Enter");
    }
}

#[test]
fn nothing_is_shown_before_the_answer_then_the_heading_then_a_beat_at_each_enter() {
    let whole = Program::line("--scenario 3").stdout();
    let beats = [
        "SCENARIO 3 -- fencing on: a delayed in-flight write is fenced too\n\
         ====================================================================\n",
        "  client1 acquires the lease (token 33)\n",
        "  client1 SENDS a write, then its lease expires --\n    \
         the packet is delayed in the network, still in flight.\n",
        "  client2 acquires the lease (token 34)\n",
    ];
    for enters in 0..=4 {
        for quit in ["q", "Q\r\n", " quit \n"] {
            let stepped = Program::line("--scenario 3 --step")
                .input("\n".repeat(enters) + quit)
                .says(ALL[..2 + enters].concat())
                .stdout();
            assert_eq!(
                stepped,
                beats[..enters].concat(),
                "{enters} times Enter, {quit:?}"
            );
            assert!(whole.starts_with(&stepped));
        }
    }
}

#[test]
fn a_bet_is_told_at_the_end_whether_it_was_right() {
    for (answer, said) in [
        ("s", "You said SAFE. It is SAFE.\n"),
        ("C", "You said CORRUPTED. It is SAFE.\n"),
        (" Safe\t", "You said SAFE. It is SAFE.\n"),
        ("corrupted\r", "You said CORRUPTED. It is SAFE.\n"),
        ("", ""),
        ("safely", ""),
        ("rejected", ""),
    ] {
        let stepped = Program::line("--scenario 3 --step")
            .input(format!("{answer}\n\n\n\n\n\n\n"))
            .says(ALL.concat() + said)
            .stdout();
        assert_eq!(stepped, Program::line("--scenario 3").stdout());
        // The rest is revealed where input ends, and the bet stands.
        Program::line("--scenario 3 --step")
            .input(answer)
            .says(match answer {
                "" => [QUESTION, BET, "\n"].concat(),
                _ => [QUESTION, BET, STEP, "\n", said].concat(),
            })
            .stdout();
    }
    // Only the first answer is a bet.
    Program::line("--scenario 3 --step")
        .input("\ns\n\n\n\n\n\n")
        .says(ALL.concat())
        .stdout();
    let zombie = Program::line("--scenario 1 --step").input("s\n\n\n\n\n\n\n\n\n\n");
    let (_, said) = zombie.output();
    assert!(said.ends_with(&format!("{VERDICT}You said SAFE. It is CORRUPTED.\n")));
}

#[test]
fn after_several_stories_it_is_told_how_often() {
    // Ten beats, and the question before them.
    let story = |answer: &str, enters: usize| format!("{answer}\n{}", "\n".repeat(enters));
    let input = story("s", 8) + &story("s", 8) + &story("", 6);
    let (stepped, said) = Program::line("--step").input(input).output();
    assert_eq!(stepped, Program::line("").stdout());
    let end = format!("{VERDICT}You were right 1 times of 2.\n");
    assert!(said.ends_with(&end), "{said}");

    let input = story("s", 8) + &story("", 8) + &story("", 6);
    let (_, said) = Program::line("--step").input(input).output();
    assert!(said.ends_with(VERDICT), "one bet is no series: {said}");

    let (stepped, said) = Program::line("--step")
        .input(story("s", 8) + "q\n")
        .output();
    assert_eq!(stepped, Program::line("--scenario 1").stdout() + "\n");
    assert!(said.ends_with(BET), "quietly: {said}");
}

#[test]
fn whatever_is_typed_before_enter_does_not_matter() {
    let long = vec![b'x'; 100_000];
    let input = [b"yes\n\xff\xfe\n", &long[..], b"\n", &long[..]].concat();
    let prompts = [QUESTION, BET, STEP, STEP, STEP, STEP, "\n"].concat();
    let stepped = Program::line("--scenario 3 --step")
        .input(input)
        .says(prompts)
        .stdout();
    assert_eq!(stepped, Program::line("--scenario 3").stdout());
}

#[test]
fn all_stories_can_be_stepped_through_in_a_row() {
    let (stepped, said) = Program::line("--step").output();
    assert_eq!(stepped, Program::line("").stdout());
    let settings = ["off", "on", "on"];
    for (built_in, fencing) in Group::TheStory.scenarios().zip(settings) {
        let number = built_in.number();
        let asks = format!("SCENARIO {number}, fencing {fencing}\nPredict: ");
        assert!(said.contains(&asks), "{said}");
    }
    assert_eq!(said.matches(BET).count(), 1, "input has ended by then");
}

#[test]
fn without_a_question_of_its_own_a_general_one_is_asked() {
    let question = "SCENARIO 3, fencing off\n\
                    Predict: Does an older grant's write get in after a newer one's (CORRUPTED), or\n\
                    not (SAFE)?\n\n";
    let stepped = Program::line("--scenario 3 --fencing off --step")
        .says([question, BET, "\n"].concat())
        .stdout();
    assert_eq!(
        stepped,
        Program::line("--scenario 3 --fencing off").stdout()
    );
}

#[test]
fn a_question_asks_for_the_verdict_or_for_storage_s_answer() {
    for built_in in BuiltIn::all() {
        let question = built_in.scenario().unwrap().headers.predict.unwrap();
        assert!(
            question.ends_with("SAFE or CORRUPTED?") || question.ends_with("ACCEPTED or REJECTED?"),
            "{question}"
        );
    }
}

#[test]
fn prompts_that_nobody_can_see_stop_nothing() {
    let Some(full) = full_disk() else { return };
    let stepped = Program::line("--scenario 3 --step")
        .errors_into(full)
        .stdout();
    assert_eq!(stepped, Program::line("--scenario 3").stdout());
}

#[test]
fn standard_input_that_cannot_be_read_is_an_error_of_its_own_line() {
    let error = "error: standard input cannot be read: Is a directory (os error 21)\n";
    Program::line("--scenario 3 --step")
        .input_from(File::open("/").unwrap())
        .fails(1, [QUESTION, BET, "\n", error].concat());
}

/// Presses Enter at each prompt after the bet.
fn press_enter_to_the_end(session: &mut Session) {
    for prompt in &ALL[2..] {
        session.wait_for(prompt).press("\n");
    }
}

#[test]
fn at_a_terminal_question_and_transcript_stay_on_the_screen() {
    let Some(mut session) = Session::start("fencing-demo --scenario 3 --step") else {
        return;
    };
    session.wait_for(BET).press("c\n");
    press_enter_to_the_end(&mut session);
    let whole = Program::line("--scenario 3").stdout();
    let said = "You said CORRUPTED. It is SAFE.\n";
    let expected = [QUESTION, &whole, said].concat();
    assert_eq!(session.end(), (Some(0), expected));
}

#[test]
fn at_a_terminal_the_end_of_input_and_q_end_quietly() {
    for keys in ["\x04", "q\n", "Quit\n"] {
        let Some(mut session) = Session::start("fencing-demo --scenario 3 --step") else {
            return;
        };
        session.wait_for(BET).press(keys);
        assert_eq!(session.end(), (Some(0), QUESTION.to_owned()), "{keys:?}");

        let mut session = Session::start("fencing-demo --scenario 3 --step").unwrap();
        session.wait_for(BET).press("s\n");
        session.wait_for(STEP).press("\n");
        session.wait_for(STEP).press(keys);
        let whole = Program::line("--scenario 3").stdout();
        let begun: String = whole.split_inclusive('\n').take(3).collect();
        assert_eq!(
            session.end(),
            (Some(0), [QUESTION, &begun].concat()),
            "{keys:?}"
        );
    }
}

#[test]
fn nothing_is_erased_unless_both_ends_are_at_a_terminal_that_can() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [said, told] = ["stepping.stderr", "stepping.stdout"].map(|name| folder.join(name));
    let whole = Program::line("--scenario 3").stdout();
    let plain = ALL.concat();

    // Standard error goes to a file: nobody sees a prompt, so nothing can be waited for.
    let command = format!("fencing-demo --scenario 3 --step 2>{}", said.display());
    let Some(mut session) = Session::start(&command) else {
        return;
    };
    session.press("\n\n\n\n\n\n\n");
    assert_eq!(session.end().0, Some(0));
    assert_eq!(fs::read_to_string(&said).unwrap(), plain);

    // Standard output does: the prompts vanish, and its bytes are those without --step.
    let command = format!("fencing-demo --scenario 3 --step >{}", told.display());
    let mut session = Session::start(&command).unwrap();
    session.wait_for(BET).press("\n");
    press_enter_to_the_end(&mut session);
    assert_eq!(session.end(), (Some(0), QUESTION.to_owned()));
    assert_eq!(fs::read_to_string(&told).unwrap(), whole);

    // Standard input comes from a pipe: the end of it reveals the rest.
    let command = "printf '\\n\\n' | fencing-demo --scenario 3 --step";
    let (_, screen) = Session::start(command).unwrap().end();
    assert!(screen.contains(BET) && screen.contains(STEP), "{screen}");
    assert!(screen.ends_with(&whole[whole.len() - 100..]), "{screen}");

    // The terminal is dumb.
    let mut session = Session::start("TERM=dumb fencing-demo --scenario 3 --step").unwrap();
    session.wait_for(BET).press("\n");
    press_enter_to_the_end(&mut session);
    let (_, screen) = session.end();
    assert_eq!(screen.matches("[Enter: ").count(), 6, "{screen}");
}
