//! `--step`: one beat at each Enter.

use std::fs::File;

use fencing_demo::script::built_in::BuiltIn;

use crate::program::Program;

const QUESTION: &str = "Predict: The packet left while client1 still held the lease. Does the guard \
                        let it in?\n";
const DECIDED: &str = "[Enter, when you have decided] ";
const STEP: &str = "[Enter: next step] ";
const VERDICT: &str = "[Enter: final contents and verdict] ";

#[test]
fn standard_output_is_the_same_with_any_number_of_enters() {
    let whole = Program::line("--scenario 3").stdout();
    // Scenario 3 has six steps and five beats, for its second and third step are one.
    let all = [QUESTION, DECIDED, STEP, STEP, STEP, STEP, VERDICT];
    for enters in 0..=7 {
        let asked = all.len().min(2 + enters);
        // Where input ends instead of an Enter, so does the line of its prompt.
        let ended = if enters < 6 { "\n" } else { "" };
        let stepped = Program::line("--scenario 3 --step")
            .input("\n".repeat(enters))
            .says(all[..asked].concat() + ended)
            .stdout();
        assert_eq!(stepped, whole, "{enters} times Enter");
    }
}

#[test]
fn whatever_is_typed_before_enter_does_not_matter() {
    let input = [b"yes\n\xff\xfe\n".to_vec(), vec![b'x'; 100_000]].concat();
    let prompts = [QUESTION, DECIDED, STEP, STEP, STEP, "\n"].concat();
    let stepped = Program::line("--scenario 3 --step")
        .input(input)
        .says(prompts)
        .stdout();
    assert_eq!(stepped, Program::line("--scenario 3").stdout());
}

#[test]
fn all_stories_can_be_stepped_through_in_a_row() {
    let mut questions = String::new();
    for built_in in BuiltIn::book() {
        let question = built_in.scenario().unwrap().headers.predict.unwrap();
        questions += &format!("Predict: {question}\n{DECIDED}\n");
    }
    let stepped = Program::line("--step").says(questions).stdout();
    assert_eq!(stepped, Program::line("").stdout());
}

#[test]
fn without_a_question_of_its_own_a_general_one_is_asked() {
    let question = "Predict: Who gets to write, and what does storage hold at the end?\n";
    let said = format!("{question}{DECIDED}\n");
    let stepped = Program::line("--scenario 3 --fencing off --step")
        .says(said)
        .stdout();
    assert_eq!(
        stepped,
        Program::line("--scenario 3 --fencing off").stdout()
    );
}

#[test]
fn prompts_that_nobody_can_see_stop_nothing() {
    let full = File::create("/dev/full").unwrap();
    let stepped = Program::line("--scenario 3 --step")
        .errors_into(full)
        .stdout();
    assert_eq!(stepped, Program::line("--scenario 3").stdout());
}

#[test]
fn standard_input_that_cannot_be_read_is_an_error_of_its_own_line() {
    let heading = "SCENARIO 3 -- fencing on: a delayed in-flight write is fenced too\n\
                   ====================================================================\n";
    let error = "error: standard input cannot be read: Is a directory (os error 21)\n";
    let stepped = Program::line("--scenario 3 --step")
        .input_from(File::open("/").unwrap())
        .exits(1, [QUESTION, DECIDED, "\n", error].concat())
        .stdout();
    assert_eq!(stepped, heading);
}
