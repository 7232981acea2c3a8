"""The document of the API, from which others make clients: names, parameters, bodies, answers and who may ask."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.net.http.app import OPERATIONS, PREFIX
from parlour.net.http.openapi import ANYWHERE, document

NAMES = """
    list_matches open_match look_at_match list_events list_phases list_orders fetch_record fetch_saved_game draw_match
    take_seat send_intent seat_agent appoint release list_games adjudicate possible_orders draw_position register
    who_am_i change_password sign_in sign_out invite lock reset_password health ready metrics describe
"""


def described(method: str, path: str) -> Any:
    return document(OPERATIONS, PREFIX)["paths"][PREFIX + path][method]


def test_operations_keep_their_names_by_which_generated_clients_call_them() -> None:
    assert [operation.name for operation in OPERATIONS] == NAMES.split()


def test_what_is_in_the_path_is_required_and_what_comes_after_it_is_not() -> None:
    parameters = described("get", "/matches/{match}/events")["parameters"]
    assert [(each["name"], each["in"], each["required"]) for each in parameters] == [
        ("match", "path", True),
        *((name, "query", False) for name in ("as", "since", "limit", "wait")),
        ("Match-Password", "header", False),
    ]
    two = described("put", "/matches/{match}/seats/{seat}/agent")["parameters"]
    assert [each["name"] for each in two] == ["match", "seat"]
    assert described("get", "/health")["parameters"] == []


def test_a_body_is_required_where_there_is_one() -> None:
    body = described("post", "/tokens")["requestBody"]
    assert body["required"] is True
    assert body["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Credentials"}
    assert "requestBody" not in described("post", "/invitations")


def test_whoever_need_not_sign_in_still_may() -> None:
    assert described("get", "/matches")["security"] == [{}, {"token": []}]
    assert described("post", "/matches")["security"] == [{"token": []}]
    assert document(OPERATIONS, PREFIX)["components"]["securitySchemes"]["token"] == {
        "type": "http",
        "scheme": "bearer",
    }


def test_answers_are_of_their_form_and_problems_of_theirs() -> None:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    opened = described("post", "/matches")["responses"]
    assert opened["201"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/MatchName"}
    assert (opened["201"]["description"], opened["409"]["description"]) == ("Created", "Conflict")
    assert all(opened[str(status)]["content"] == problem for status in (*ANYWHERE, 409))
    assert "404" not in opened
    drawn = described("get", "/matches/{match}/picture")["responses"]
    assert drawn["200"]["content"] == {"image/svg+xml": {"schema": {"type": "string"}}}
    assert drawn["404"]["content"] == problem, "there may be no such match"
    assert described("put", "/matches/{match}/roles/{account}")["responses"]["204"] == {"description": "No Content"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_each_is_summed_up_in_its_first_sentence_and_described_by_the_rest(operation: Any) -> None:
    found = described(operation.method.lower(), operation.path)
    first, *rest = operation.told.split("\n\n")
    assert found["operationId"] == operation.name
    assert found["summary"] == first.rstrip(".")
    assert "\n" not in found["summary"]
    assert found.get("description") == (" ".join(" ".join(rest).split()) or None)


def test_the_games_that_can_be_played_are_named() -> None:
    assert (
        document(OPERATIONS, PREFIX)["info"]["description"] == "Matches of Diplomacy and Fish under one fair referee."
    )


def test_whatever_shows_a_match_takes_its_password() -> None:
    paths = document(OPERATIONS, PREFIX)["paths"]
    taking = {
        path.removeprefix(PREFIX)
        for path, operations in paths.items()
        for operation in operations.values()
        if any(parameter["name"] == "Match-Password" for parameter in operation["parameters"])
    }
    looks = ("", "/events", "/phases", "/orders", "/record", "/saved-game", "/picture")
    assert taking == {f"/matches/{{match}}{look}" for look in looks}
