//! The rooms of `src/` import one way: each only those before it in the list.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SRC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The rooms, and the modules of the edge, in the order in which data flow through them.
const ROOMS: [&str; 12] = [
    "text", "world", "script", "verdict", "run", "explore", "view", "source", "command", "app",
    "cli", "main",
];

/// Which rooms each room imports, as `(importing, imported)`.
fn imports() -> BTreeSet<(String, String)> {
    let mut imports = BTreeSet::new();
    let mut folders = vec![Path::new(SRC).to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let inside = path.strip_prefix(SRC).unwrap();
                let first = Path::new(inside.iter().next().unwrap());
                let room = first.file_stem().unwrap().to_str().unwrap().to_owned();
                let code = fs::read_to_string(&path).unwrap();
                for imported in rooms_in(&code) {
                    imports.insert((room.clone(), imported));
                }
            }
        }
    }
    imports
}

/// The rooms that the code names, behind `crate::`, or behind the library's own name in `main.rs`.
fn rooms_in(code: &str) -> BTreeSet<String> {
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let named = lines.flat_map(|line| {
        let behind = line.split("crate::").skip(1);
        behind.chain(line.split("fencing_demo::").skip(1))
    });
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let rooms = named.map(|behind| behind.split(|it| !is_of_name(it)).next().unwrap());
    rooms.map(str::to_owned).collect()
}

#[test]
fn rooms_import_only_those_before_them() {
    let place = |room: &str| ROOMS.iter().position(|it| *it == room);
    let imports = imports();
    for (room, imported) in &imports {
        if room == "lib" {
            continue;
        }
        let (Some(importing), Some(of)) = (place(room), place(imported)) else {
            panic!("{room} imports {imported}: a room that is not in the list");
        };
        assert!(
            of <= importing,
            "{room} imports {imported}, which comes after it"
        );
    }
    // A list of imports that finds none would prove nothing.
    let has = |room: &str, imported: &str| imports.contains(&(room.into(), imported.into()));
    assert!(has("view", "world") && has("app", "run") && has("main", "cli"));
    // How a story is written is no matter to whoever judges it, nor is the command line to anybody.
    assert!(!has("verdict", "script") && !has("app", "cli"));
}
