"""The store that keeps nothing: it takes every write, and every read finds nothing."""

from __future__ import annotations

from parlour.store import Filter, RecordHead, RecordKind, Setting
from parlour.store.contract import Store
from parlour.store.forgetful import ForgetfulStore


async def test_what_is_written_is_not_found() -> None:
    store: Store = ForgetfulStore()
    store.claim("m")
    store.write(RecordHead("m", RecordKind.MATCH, "fish"))
    await store.keep(Setting("key", b"value"))
    single = [store.head("m"), store.result("m"), store.snapshot("m"), store.account("a"), store.token(b"t")]
    assert single == [None] * 5
    assert await store.fetch(store.setting, "key") is None
    assert not [*store.heads(Filter(unfinished=True)), *store.page().heads, *store.entries("m"), *store.accounts()]
    assert not [*store.seating("m"), *store.sign_ups("m"), *store.permissions("m"), *store.tokens("a")]
    assert not [*store.settings(), *store.dues(1), *store.faults()]
    assert (store.count(), store.length("m")) == (0, 0)
    store.probe()
    store.close()
