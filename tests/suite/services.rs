//! The two services, on their own.

use fencing_demo::world::grant::Token;
use fencing_demo::world::lock_service::{Acquisition, LockService, OutOfTokens, Tokens};
use fencing_demo::world::names::{ClientId, Data, NameCollector};
use fencing_demo::world::storage_service::{Fencing, Rejection, StorageService, Value};

fn clients() -> [ClientId; 2] {
    let mut names = NameCollector::default();
    ["client1", "client2"].map(|name| names.client(name))
}

fn data() -> [Data; 2] {
    let mut names = NameCollector::default();
    ["older", "newer"].map(|text| names.data(text))
}

fn contents(storage: &StorageService) -> Option<Data> {
    storage.contents().map(|value| value.data)
}

#[track_caller]
fn granted(acquisition: Result<Acquisition, OutOfTokens>) -> u64 {
    match acquisition {
        Ok(Acquisition::Granted(grant)) => grant.token.0,
        other => panic!("not granted: {other:?}"),
    }
}

#[test]
fn a_lease_that_is_out_is_not_granted() {
    let [client1, client2] = clients();
    let mut lock_service = LockService::new(Tokens::Counted);
    assert_eq!(granted(lock_service.acquire(client1)), 33);
    let refused = Acquisition::Refused { holder: client1 };
    assert_eq!(lock_service.acquire(client2), Ok(refused));
    assert!(matches!(
        lock_service.acquire(client1),
        Ok(Acquisition::HeldAlready(_))
    ));
    assert_eq!(lock_service.holder(), Some(client1));
}

#[test]
fn every_grant_gets_a_larger_token_and_a_later_place() {
    let [client1, client2] = clients();
    let mut lock_service = LockService::new(Tokens::Counted);
    let mut grants = Vec::new();
    for client in [client1, client2, client1, client1] {
        match lock_service.acquire(client) {
            Ok(Acquisition::Granted(grant)) => grants.push(grant),
            other => panic!("not granted: {other:?}"),
        }
        assert!(lock_service.reclaim(client).is_some());
    }
    let tokens: Vec<u64> = grants.iter().map(|grant| grant.token.0).collect();
    assert_eq!(tokens, [33, 34, 35, 36]);
    assert!(grants.is_sorted_by(|earlier, later| earlier.seq < later.seq));
}

#[test]
fn a_lease_is_reclaimed_and_renewed_only_for_its_holder() {
    let [client1, client2] = clients();
    let mut lock_service = LockService::new(Tokens::Counted);
    granted(lock_service.acquire(client1));
    assert_eq!(lock_service.reclaim(client2), None);
    assert_eq!(lock_service.renew(client2), None);
    assert_eq!(
        lock_service.renew(client1).map(|grant| grant.token),
        Some(Token(33))
    );
    let given_back = lock_service.reclaim(client1).map(|grant| grant.token);
    assert_eq!(given_back, Some(Token(33)));
    assert_eq!(lock_service.reclaim(client1), None);
    assert_eq!(lock_service.renew(client1), None);
}

#[test]
fn listed_tokens_are_handed_out_in_their_order_and_run_out() {
    let [client1, _] = clients();
    let mut lock_service = LockService::new(Tokens::Listed([87, 34].map(Token).into()));
    for token in [87, 34] {
        assert_eq!(granted(lock_service.acquire(client1)), token);
        lock_service.reclaim(client1);
    }
    assert_eq!(lock_service.acquire(client1), Err(OutOfTokens));
    assert_eq!(lock_service.holder(), None);
}

#[test]
fn a_forgotten_counter_starts_again_but_leaves_the_lease_out_and_the_order_true() {
    let [client1, client2] = clients();
    let mut lock_service = LockService::new(Tokens::Counted);
    let Ok(Acquisition::Granted(first)) = lock_service.acquire(client1) else {
        panic!()
    };
    lock_service.forget_counter();
    assert_eq!(
        lock_service.acquire(client2),
        Ok(Acquisition::Refused { holder: client1 })
    );
    lock_service.reclaim(client1);
    let Ok(Acquisition::Granted(second)) = lock_service.acquire(client2) else {
        panic!()
    };
    assert_eq!(first.token, second.token);
    assert!(first.seq < second.seq);
}

#[test]
fn a_forgotten_holder_leaves_the_lease_free() {
    let [client1, client2] = clients();
    let mut lock_service = LockService::new(Tokens::Counted);
    granted(lock_service.acquire(client1));
    assert_eq!(lock_service.forget_holder(), Some(client1));
    assert_eq!(granted(lock_service.acquire(client2)), 34);
}

#[test]
fn unfenced_storage_accepts_anything() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::Off);
    for token in [Some(Token(34)), Some(Token(33)), None] {
        assert_eq!(storage.write(newer, token), Ok(()));
        assert_eq!(storage.write(older, token), Ok(()));
        assert_eq!(contents(&storage), Some(older));
    }
    assert_eq!(storage.max_token(), None);
}

#[test]
fn the_guard_rejects_a_lower_token_and_nothing_else() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::On);
    assert_eq!(
        storage.write(older, Some(Token(33))),
        Ok(()),
        "the first token is the highest"
    );
    assert_eq!(
        storage.write(newer, Some(Token(34))),
        Ok(()),
        "a newer leaseholder writes"
    );
    assert_eq!(
        storage.write(newer, Some(Token(34))),
        Ok(()),
        "and writes again"
    );
    let lower = Rejection::LowerToken;
    assert_eq!(storage.write(older, Some(Token(33))), Err(lower));
    assert_eq!(
        contents(&storage),
        Some(newer),
        "a rejected write leaves the contents"
    );
    assert_eq!(
        storage.max_token(),
        Some(Token(34)),
        "and the highest token"
    );
    assert_eq!(storage.write(older, None), Err(Rejection::NoToken));
    assert_eq!(storage.write(older, Some(Token(u64::MAX))), Ok(()));
}

#[test]
fn an_announced_token_counts_like_a_written_one_and_leaves_the_contents() {
    let [older, _] = data();
    let mut storage = StorageService::new(Fencing::On);
    assert_eq!(storage.announce(Some(Token(34))), Ok(()));
    assert_eq!(contents(&storage), None);
    let lower = Rejection::LowerToken;
    assert_eq!(storage.write(older, Some(Token(33))), Err(lower));
    assert_eq!(storage.announce(Some(Token(33))), Err(lower));
    assert_eq!(storage.max_token(), Some(Token(34)));
}

#[test]
fn storage_that_forgot_its_highest_token_keeps_its_contents_and_accepts_an_old_one() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::On);
    assert_eq!(storage.write(newer, Some(Token(34))), Ok(()));
    assert_eq!(storage.forget_max_token(), Some(Token(34)));
    assert_eq!(contents(&storage), Some(newer));
    assert_eq!(storage.write(older, Some(Token(33))), Ok(()));
}

#[test]
fn a_condition_is_asked_only_behind_the_guard_and_a_rejection_changes_nothing() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::On);
    assert_eq!(storage.write(older, Some(Token(34))), Ok(()));
    let lower = storage.write_if(false, newer, Some(Token(33)));
    assert_eq!(lower, Err(Rejection::LowerToken));
    let changed = storage.write_if(false, newer, Some(Token(35)));
    assert_eq!(changed, Err(Rejection::Changed));
    assert_eq!(contents(&storage), Some(older));
    assert_eq!(storage.max_token(), Some(Token(34)), "not even the token");
    assert_eq!(storage.write_if(true, newer, Some(Token(35))), Ok(()));
    assert_eq!(contents(&storage), Some(newer));
    assert_eq!(storage.max_token(), Some(Token(35)));
}

#[test]
fn past_the_guard_no_token_is_checked_or_seen() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::On);
    assert_eq!(storage.write(newer, Some(Token(34))), Ok(()));
    storage.write_past_the_guard(older);
    let value = Value {
        data: older,
        token: None,
    };
    assert_eq!(storage.contents(), Some(value));
    assert_eq!(storage.max_token(), Some(Token(34)));
}

#[test]
fn a_repair_brings_the_value_s_token_and_never_lowers_the_highest() {
    let [older, newer] = data();
    let mut storage = StorageService::new(Fencing::On);
    let value = |data, token: u64| Value {
        data,
        token: Some(Token(token)),
    };
    storage.repair(value(newer, 34));
    assert_eq!(storage.contents(), Some(value(newer, 34)));
    assert_eq!(storage.max_token(), Some(Token(34)));
    storage.repair(value(older, 33));
    assert_eq!(storage.contents(), Some(value(older, 33)));
    assert_eq!(storage.max_token(), Some(Token(34)));
}
