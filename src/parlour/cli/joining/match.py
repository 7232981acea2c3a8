"""The part of parlour join that takes a seat in a match of Diplomacy at ws://HOST:PORT."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
import msgspec

from parlour.cli.display.bars import waiting
from parlour.cli.join import JoinRequest, first_of
from parlour.core.text import hint
from parlour.errors import ConfigError, LocalWireError, ParlourError, Unreachable

if TYPE_CHECKING:
    from parlour.net.client.agent_loop import AgentLoop
    from parlour.net.client.channel import Channel
    from parlour.net.client.network_game import NetworkGame


UNFINISHED = "unfinished"


class Played(msgspec.Struct):
    """The result for one power."""

    match: str
    power: str
    phase: str
    centres: int
    outcome: str
    result: str
    """Won, drew or lost; unfinished if the match did not come to an end here."""


def join(request: JoinRequest) -> bool:
    """Play a match and print the result; return True if it was played to its end."""
    try:
        played = asyncio.run(_play(request))
    except* LocalWireError as group:
        raise ConfigError(str(first_of(group)), field="agent") from None
    except* ParlourError as group:
        raise ConfigError(str(first_of(group)), field="server") from None
    except* ConnectionError as group:
        raise Unreachable(str(first_of(group))) from None
    click.echo(msgspec.json.encode(played) if request.as_json else _line(played))
    return played.result != UNFINISHED


async def _play(request: JoinRequest) -> Played:
    from parlour.agents import check_match
    from parlour.agents.loading import make_player
    from parlour.net.client.agent_loop import AgentLoop, player_type_of
    from parlour.net.client.connection import DEFAULT_PORT, connect

    if request.match is None and request.map_name is None:
        raise ConfigError("match: expected --match ID with ws://HOST:PORT, or --map", field="match")
    address = urlsplit(request.server)
    if address.scheme not in ("ws", "wss") or address.hostname is None:
        raise ConfigError(f"server: expected ws://HOST:PORT, not {request.server[:80]!r}", field="server")
    agent = make_player("diplomacy", request.agent, request.seed, limits=request.limits)
    async with connect(
        address.hostname, address.port or DEFAULT_PORT, address.scheme == "wss", attempts=request.tries, pause=1.0
    ) as connection:
        channel = await connection.authenticate(*_account(request))
        match = request.match or await _waiting_match(channel, request.map_name or "")
        for found in await channel.get_games_info(games=[match]):
            request.refuse_other_map(found.map_name or "", match)
            check_match("diplomacy", request.agent, {"map": found.map_name})
        game = await _seated(channel, request, match, request.player_type or player_type_of(agent))
        waiting(f"{request.agent} plays {game.role} in {game.game_id}, which is {game.status}")
        loop = AgentLoop(game, agent, diplomacy_time=request.talk)
        await loop.run()
        return _played(loop)


async def _waiting_match(channel: Channel, map_name: str) -> str:
    """Return the oldest match on a map that waits for players and needs no password."""
    listed = await channel.list_games(status="forming", map_name=map_name, include_protected=False)
    for found in sorted(listed, key=lambda found: found.timestamp_created):
        if await channel.get_playable_powers(game_id=found.game_id):
            return found.game_id
    raise ConfigError(f"map: no match on {map_name:.60} waits for players: open one there", field="map")


def _account(request: JoinRequest) -> tuple[str, str]:
    """Return name and password; without a password a new account is made for one use.

    Without a name, agent and power form one, so that several agents of one kind do not share an account.
    """
    agent = "".join(filter(str.isalnum, request.agent))[:20] or "player"
    name = request.name or f"{agent}-{(request.power or 'player').lower()}"
    if request.password is not None:
        return name, request.password
    return f"{name}-{secrets.token_hex(4)}", secrets.token_urlsafe(16)


async def _seated(channel: Channel, request: JoinRequest, match: str, player_type: str) -> NetworkGame:
    """Take the requested power, or the first free one; if another player takes that first, try the next."""
    from parlour.net.mila.faults import GameRegistrationPasswordException, MapPowerException, ResponseException

    async def join(power: str) -> NetworkGame:
        return await channel.join_game(
            game_id=match, power_name=power, registration_password=request.match_password, player_type=player_type
        )

    async def free_powers() -> list[str]:
        return sorted(await channel.get_playable_powers(game_id=match))

    if request.power is not None:
        try:
            return await join(request.power.upper())
        except MapPowerException:
            expected = f"expected one that is free: {', '.join(await free_powers()) or 'there is none'}"
            wrong = f"power: there is no {request.power!r:.40} in {match!r:.80}, {expected}"
            raise ConfigError(f"{wrong}{hint(request.power, await free_powers())}", field="power") from None
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
