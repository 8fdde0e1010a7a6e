//! `--step`: one beat at each Enter.

use crate::program::Program;

const QUESTION: &str = "Predict: The packet left while client1 still held the lease. Does the guard \
                        let it in?\n";
const STEP: &str = "[Enter: next step] ";
const VERDICT: &str = "[Enter: final contents and verdict] ";

#[test]
fn standard_output_is_the_same_with_any_number_of_enters() {
    let whole = Program::line("--scenario 3").stdout();
    // Scenario 3 has six steps and five beats, for its second and third step are one.
    for enters in 0..=7 {
        let prompts = match enters {
            0..=4 => format!("{}\n", STEP.repeat(enters + 1)),
            5 => format!("{}{VERDICT}\n", STEP.repeat(5)),
            _ => format!("{}{VERDICT}", STEP.repeat(5)),
        };
        let stepped = Program::line("--scenario 3 --step")
            .input("\n".repeat(enters))
            .says(format!("{QUESTION}{prompts}"))
            .stdout();
        assert_eq!(stepped, whole, "{enters} times Enter");
    }
}

#[test]
fn whatever_is_typed_before_enter_does_not_matter() {
    let input = [b"yes\n\xff\xfe\n".to_vec(), vec![b'x'; 100_000]].concat();
    let prompts = format!("{QUESTION}{}\n", STEP.repeat(4));
    let stepped = Program::line("--scenario 3 --step")
        .input(input)
        .says(prompts)
        .stdout();
    assert_eq!(stepped, Program::line("--scenario 3").stdout());
}

#[test]
fn all_stories_can_be_stepped_through_in_a_row() {
    let stepped = Program::line("--step --fencing off");
    let mut questions = String::new();
    for built_in in fencing_demo::scenarios::BuiltIn::book() {
        let question = built_in.scenario().unwrap().headers.predict.unwrap();
        questions += &format!("Predict: {question}\n{STEP}\n");
    }
    let stepped = stepped.says(questions).stdout();
    assert_eq!(stepped, Program::line("--fencing off").stdout());
}
