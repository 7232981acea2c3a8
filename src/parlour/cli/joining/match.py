"""The part of parlour join that takes a seat in a match of Diplomacy at ws://HOST:PORT."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec

from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.cli.display.bars import waiting
from parlour.core.text import hint
from parlour.errors import ConfigError, LocalWireError, ParlourError, Unreachable

if TYPE_CHECKING:
    from parlour.net.client.agent_loop import AgentLoop
    from parlour.net.client.channel import Channel
    from parlour.net.client.network_game import NetworkGame


UNFINISHED = "unfinished"


class Guest(NamedTuple):
    """The player that joins, its seat, and its options."""

    server: str
    match: str | None
    power: str | None
    agent: str
    name: str | None
    password: str | None
    match_password: str | None
    player_type: str | None
    talk: float
    seed: int
    limits: Limits = UNLIMITED


class Played(msgspec.Struct):
    """The result for one power."""

    match: str
    power: str
    phase: str
    centres: int
    outcome: str
    result: str
    """Won, drew or lost; unfinished if the match did not come to an end here."""


def join_match(guest: Guest, *, tries: int, as_json: bool) -> bool:
    """Play a match and print the result; return True if it was played to its end."""
    try:
        played = asyncio.run(_play(guest, tries))
    except* LocalWireError as group:
        raise ConfigError(str(_first(group)), field="agent") from None
    except* ParlourError as group:
        raise ConfigError(str(_first(group)), field="server") from None
    except* ConnectionError as group:
        raise Unreachable(str(_first(group))) from None
    click.echo(msgspec.json.encode(played) if as_json else _line(played))
    return played.result != UNFINISHED


async def _play(guest: Guest, tries: int) -> Played:
    from parlour.agents import check_match
    from parlour.agents.loading import make_player
    from parlour.net.client.agent_loop import AgentLoop, player_type_of
    from parlour.net.client.connection import DEFAULT_PORT, connect

    if guest.match is None:
        raise ConfigError("match: expected --match ID with ws://HOST:PORT", field="match")
    address = urlsplit(guest.server)
    if address.scheme not in ("ws", "wss") or address.hostname is None:
        raise ConfigError(f"server: expected ws://HOST:PORT, not {guest.server[:80]!r}", field="server")
    agent = make_player("diplomacy", guest.agent, guest.seed, limits=guest.limits)
    async with connect(
        address.hostname, address.port or DEFAULT_PORT, address.scheme == "wss", attempts=tries, pause=1.0
    ) as connection:
        channel = await connection.authenticate(*_account(guest))
        for listed in await channel.list_games(game_id=guest.match):
            if listed.game_id == guest.match:
                check_match("diplomacy", guest.agent, {"map": listed.map_name})
        game = await _seated(channel, guest, guest.match, guest.player_type or player_type_of(agent))
        waiting(f"{guest.agent} plays {game.role} in {game.game_id}, which is {game.status}")
        loop = AgentLoop(game, agent, diplomacy_time=guest.talk)
        await loop.run()
        return _played(loop)


def _account(guest: Guest) -> tuple[str, str]:
    """Return name and password; without a password a new account is made for one use.

    Without a name, agent and power form one, so that several agents of one kind do not share an account.
    """
    agent = "".join(filter(str.isalnum, guest.agent))[:20] or "player"
    name = guest.name or f"{agent}-{(guest.power or 'player').lower()}"
    if guest.password is not None:
        return name, guest.password
    return f"{name}-{secrets.token_hex(4)}", secrets.token_urlsafe(16)


async def _seated(channel: Channel, guest: Guest, match: str, player_type: str) -> NetworkGame:
    """Take the requested power, or the first free one; if another player takes that first, try the next."""
    from parlour.net.mila.faults import GameRegistrationPasswordException, MapPowerException, ResponseException

    async def join(power: str) -> NetworkGame:
        return await channel.join_game(
            game_id=match, power_name=power, registration_password=guest.match_password, player_type=player_type
        )

    async def free_powers() -> list[str]:
        return sorted(await channel.get_playable_powers(game_id=match))

    if guest.power is not None:
        try:
            return await join(guest.power.upper())
        except MapPowerException:
            expected = f"expected one that is free: {', '.join(await free_powers()) or 'there is none'}"
            wrong = f"power: there is no {guest.power!r:.40} in {match!r:.80}, {expected}"
            raise ConfigError(f"{wrong}{hint(guest.power, await free_powers())}", field="power") from None
    refused: dict[str, ResponseException] = {}
    while free := await free_powers():
        # A power that was just taken may be listed as free for a moment.
        untried = next((power for power in free if power not in refused), None)
        if untried is None:
            raise refused[free[0]]
        try:
            return await join(untried)
        except GameRegistrationPasswordException:
            raise
        except ResponseException as error:
            refused[untried] = error
    raise ConfigError(f"match: no power is free in {match!r:.80}", field="match")


def _played(loop: AgentLoop) -> Played:
    game, outcome = loop.game, loop.outcome
    last = next(reversed(game.state_history), game.get_current_phase())
    words = outcome.reason if outcome is not None else str(game.status)
    return Played(game.game_id, loop.seat, last, len(game.powers[loop.seat].centers), words, _result(loop))


def _result(loop: AgentLoop) -> str:
    if loop.outcome is None:
        return UNFINISHED
    counts = {name: len(power.centers) for name, power in loop.game.powers.items()}
    if max(counts.values()) >= loop.game.map.victory:
        return "won" if loop.seat in loop.outcome.winners else "lost"
    return "lost" if loop.game.powers[loop.seat].is_eliminated() else "drew"


def _line(played: Played) -> str:
    centres = f"{played.centres} centre{'' if played.centres == 1 else 's'}"
    return f"{played.power}, {played.result} with {centres} in {played.phase}: {played.outcome}"


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group that may contain groups."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
