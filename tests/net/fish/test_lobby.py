"""The lobby: places, wait-list, promotion, order of age."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlour.net.fish.lobby import MAX_WAITING, Lobby, Ticket


def ticket(name: str, arrival: int = 0, age: int | None = None) -> Ticket:
    return Ticket(name, arrival, age)


def test_beyond_the_places_players_wait_and_move_up_when_somebody_leaves() -> None:
    lobby = Lobby(2)
    lobby.open()
    assert [lobby.enter(ticket(name, number)) for number, name in enumerate("abcd")] == [True, True, False, False]
    assert lobby.is_full
    assert [t.name for t in lobby.drop("a")] == ["c"]
    assert lobby.drop("d") == []
    assert [t.name for t in lobby.take()] == ["b", "c"]


def test_while_a_tournament_runs_everybody_waits_for_the_next() -> None:
    lobby = Lobby(2)
    assert [lobby.enter(ticket(name)) for name in "abc"] == [False] * 3
    assert not lobby.is_full
    assert [t.name for t in lobby.open()] == ["a", "b"]
    assert lobby.is_full
    lobby.take()
    assert list(lobby) == ["c"]
    assert [t.name for t in lobby.open()] == ["c"]


def test_order_is_by_age_then_arrival_and_who_gives_no_age_comes_last() -> None:
    lobby = Lobby(9)
    lobby.open()
    for arrival, (name, age) in enumerate(
        [("n1", None), ("old", 70), ("y2", 5), ("n2", None), ("y1", 5), ("one", 1), ("zero", 0)]
    ):
        lobby.enter(ticket(name, arrival, age))
    assert [t.name for t in lobby.take()] == ["zero", "one", "y2", "y1", "old", "n1", "n2"]


def test_the_wait_list_is_bounded() -> None:
    lobby = Lobby(2)
    for number in range(MAX_WAITING):
        assert lobby.has_room
        lobby.enter(ticket(str(number), number))
    assert not lobby.has_room


@given(st.lists(st.tuples(st.sampled_from(["enter", "drop", "open", "take"]), st.integers(0, 9)), max_size=60))
def test_nobody_is_lost_and_places_are_never_exceeded(steps: list[tuple[str, int]]) -> None:
    lobby, here = Lobby(3), set[str]()
    for arrival, (step, number) in enumerate(steps):
        name = f"p{number}"
        if step == "enter" and name not in lobby:
            lobby.enter(ticket(name, arrival))
            here.add(name)
        elif step == "drop":
            lobby.drop(name)
            here.discard(name)
        elif step == "open":
            lobby.open()
        elif step == "take":
            here -= {t.name for t in lobby.take()}
        assert set(lobby) == here
        assert len(lobby) <= 3
