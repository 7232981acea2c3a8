"""Errors over HTTP: one status, one code and the sentence of every door, with the next step of a client."""

from __future__ import annotations

import pytest

from parlour.core.intents import Refusal, RefusalCode
from parlour.errors import ConfigError, Denied, IllegalAction, NotationError, ParlourError, RuleError, StoreError
from parlour.net.http.problems import Answered, answer_to, refused
from parlour.net.permission_errors import NOT_KEPT, DenialCode, bad_token, not_allowed, too_often


def told(answered: Answered) -> tuple[int, str, str]:
    assert answered.problem.status == answered.status
    assert answered.problem.title == answered.status.phrase
    return answered.status, answered.problem.code, answered.problem.detail


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotationError("phase: no"), 400, "bad value"),
        (ConfigError("rows: no", field="rows"), 400, "bad value"),
        (IllegalAction("not there"), 422, "illegal"),
        (RuleError("not now"), 422, "illegal"),
        (ParlourError("hm"), 400, "bad value"),
    ],
)
def test_what_is_wrong_with_a_value_is_told_as_it_is(error: ParlourError, status: int, code: str) -> None:
    assert told(answer_to(error)) == (status, code, str(error))
    assert answer_to(error).headers == {}


def test_a_store_that_fails_says_nothing_of_itself_and_when_to_try_again() -> None:
    answered = answer_to(StoreError("/secret/path: disk full"))
    assert told(answered) == (503, "store", NOT_KEPT)
    assert answered.headers == {"Retry-After": "1"}


def test_who_is_not_signed_in_is_told_how_and_who_came_too_often_when() -> None:
    assert answer_to(bad_token()).headers == {"WWW-Authenticate": "Bearer"}
    assert answer_to(not_allowed("ann", "do that")).headers == {}
    for wait, seconds in ((0.5, "1"), (1.0, "2"), (9.9, "10")):
        answered = answer_to(too_often("requests", wait))
        assert (answered.status, answered.headers) == (429, {"Retry-After": seconds})


def test_a_denial_that_has_no_status_of_its_own_is_forbidden() -> None:
    assert answer_to(Denied("no such code", "no")).status == 403
    assert answer_to(Denied(DenialCode.UNKNOWN_MATCH, "no")).status == 404


def test_what_a_match_refuses_is_a_conflict_with_how_it_stands() -> None:
    refusal = Refusal(RefusalCode.NO_CHANGE, "nothing would change")
    assert told(refused(refusal)) == (409, "no change", "nothing would change")
