"""Principals: nobody can have one by choosing a name, and a name cannot be compared with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.net.accounts.names import is_name
from parlour.net.accounts.principals import NOBODY, holder_of, of_account, of_assistant, of_daide_client, owner_of
from parlour.net.hall import Hall
from parlour.store import RecordHead, RecordKind, Seating
from support.hall.halls import FRANCE, diplomacy, in_a_hall
from support.hall.people import session_of

MADE = (of_daide_client("m", "TURKEY", "1f"), of_daide_client("m", "", ""), of_assistant("aa"))


def test_no_account_name_is_the_key_of_a_principal_that_the_server_made() -> None:
    assert not any(is_name(made.key) for made in MADE)
    assert [made.is_daide for made in MADE] == [True, True, False]
    assert not any(made == of_account(made.key.lstrip("\x1f")) for made in MADE)


def test_nobody_in_particular_is_false_and_everybody_else_is_not() -> None:
    assert (bool(NOBODY), bool(of_account("ann")), bool(MADE[0])) == (False, True, True)
    assert owner_of(RecordHead("m", RecordKind.MATCH, "fish", owner="ann")) == of_account("ann")


@pytest.mark.parametrize("kept", ["daide m TURKEY", "daide m ", "daide m 0123456789abcdef", " assistant aa"])
def test_seats_of_earlier_stores_are_held_by_principals_that_nobody_can_register(kept: str) -> None:
    holder = holder_of(Seating("m", "TURKEY", "bot", kept))
    assert holder != of_account(kept)
    assert not is_name(holder.key)
    assert holder.key == "\x1f" + kept.strip(" ").ljust(len(kept.lstrip()))
    assert holder_of(Seating("m", "TURKEY", "bot", holder.key)) == holder


def test_an_account_whose_name_only_looks_like_that_keeps_its_seat() -> None:
    for name in ("daide fan", "daide other TURKEY", "assistant aa"):
        assert holder_of(Seating("m", "TURKEY", name, name)) == of_account(name)


def test_whoever_registers_what_an_earlier_server_called_a_client_has_none_of_its_seats(tmp_path: Path) -> None:
    async def sits(hall: Hall) -> None:
        await session_of(hall, "owner").open(diplomacy(match="m"))
        await session_of(hall, "ann").join("m", FRANCE)
        await hall.store.keep(Seating("m", FRANCE, "bot", "daide m FRANCE"))

    async def comes(hall: Hall) -> None:
        assert (await session_of(hall, "daide m FRANCE").rights("m")).seats == ()
        assert (await hall.wake("m")).seats_of(holder_of(Seating("m", FRANCE, "", "daide m FRANCE"))) == (FRANCE,)

    in_a_hall(tmp_path, sits, comes)


def test_a_type_checker_refuses_to_compare_a_principal_with_a_name() -> None:
    """A checker that no longer refused one of these would find its comment unused, and fail `make types`."""
    ann, name, shown = of_account("ann"), "ann", {"x": "ann"}
    assert not ann == name  # type: ignore[comparison-overlap]  # noqa: SIM201
    assert ann not in shown.values()  # type: ignore[comparison-overlap]
    assert shown["x"] != ann  # type: ignore[comparison-overlap]
