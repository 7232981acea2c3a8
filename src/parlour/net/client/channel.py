"""An account signed in on a connection: lists, creates and joins games, and gives or takes grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from parlour.core.game import Plain
from parlour.games.diplomacy.formats.saved import read_saved
from parlour.net.client.network_game import NetworkGame
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.earlier import packed
from parlour.net.mila.protocol_values import GameStatus, Grade, GradeUpdate, SeatedAs
from parlour.net.mila.rules import OwnTerms

if TYPE_CHECKING:
    from parlour.net.client.connection import Connection

T = TypeVar("T")


class Channel:
    """A token and the games that were joined with it. Made by Connection.authenticate."""

    def __init__(self, connection: Connection, token: str) -> None:
        self.connection, self.token = connection, token
        self._games: dict[tuple[str, str], NetworkGame] = {}

    async def __aenter__(self) -> Channel:
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self.token in self.connection.channels and not self.connection.closed:
            await self.logout()

    @property
    def games(self) -> tuple[NetworkGame, ...]:
        """The games that were joined and not left."""
        return tuple(self._games.values())

    # Games

    async def create_game(
        self,
        *,
        game_id: str | None = None,
        n_controls: int | None = None,
        deadline: int = 300,
        registration_password: str | None = None,
        power_name: str | None = None,
        state: dict[str, Plain] | None = None,
        map_name: str | None = "standard",
        rules: Iterable[str] | None = None,
        player_type: SeatedAs | str | None = None,
        saved: bytes | None = None,
        own_terms: OwnTerms | None = None,
    ) -> NetworkGame:
        """Open a game and become its moderator; with a power_name also its player, otherwise an omniscient.

        A saved game (JSON, or the last of those in JSON lines) continues with its past. Only Parlour's servers take
        saved games and own_terms, and choose the map themselves if map_name is None.
        """
        return await self._ask(
            rq.CreateGame,
            rs.GameGiven,
            self._join,
            game_id=game_id,
            n_controls=n_controls,
            deadline=deadline,
            registration_password=registration_password,
            power_name=power_name,
            state=state,
            map_name=map_name,
            rules=None if rules is None else sorted(rules),
            player_type=_player_type(player_type),
            daide_port=None,
            saved=msgspec.UNSET if saved is None else packed(read_saved(saved)[-1].encode()),
            own_terms=msgspec.UNSET if own_terms is None else own_terms,
        )

    async def join_game(
        self,
        *,
        game_id: str,
        power_name: str | None = None,
        registration_password: str | None = None,
        player_type: SeatedAs | str | None = None,
    ) -> NetworkGame:
        """Play a power as human (the default), no_press_bot or press_bot; or watch, if no power is named.

        A game that this channel has joined already in that role is given at once.
        """
        if (known := self._known(game_id, power_name)) is not None:
            return known
        return await self._ask(
            rq.JoinGame,
            rs.GameGiven,
            self._join,
            game_id=game_id,
            power_name=power_name,
            registration_password=registration_password,
            player_type=_player_type(player_type),
        )

    async def join_powers(
        self, *, game_id: str, power_names: Iterable[str], registration_password: str | None = None
    ) -> None:
        """Control all these powers, or none if one is taken; then call join_game for one of them to get the game."""
        names = sorted(power_names)
        fields = {"game_id": game_id, "power_names": names, "registration_password": registration_password}
        await self._ask(rq.JoinPowers, rs.Ok, _nothing, **fields)

    async def list_games(
        self,
        *,
        game_id: str | None = None,
        status: GameStatus | str | None = None,
        map_name: str | None = None,
        include_protected: bool = True,
        for_omniscience: bool = False,
    ) -> list[rs.GameSummary]:
        """List the games that fit all given conditions; game_id may be a part of an id."""
        return await self._ask(
            rq.ListGames,
            rs.GamesListed,
            _of_response,
            game_id=game_id,
            status=None if status is None else GameStatus(status),
            map_name=map_name,
            include_protected=include_protected,
            for_omniscience=for_omniscience,
        )

    async def get_games_info(self, *, games: Sequence[str]) -> list[rs.GameSummary]:
        """Return summaries of these games; those that do not exist are left out."""
        return await self._ask(rq.GetGamesInfo, rs.GamesListed, _of_response, games=list(games))

    async def get_available_maps(self) -> dict[str, rs.MapSheet]:
        """Return the maps that can be played there."""
        return await self._ask(rq.GetAvailableMaps, rs.MapsListed, _of_response)

    async def get_playable_powers(self, *, game_id: str) -> list[str]:
        """Return the powers that nobody plays."""
        return await self._ask(rq.GetPlayablePowers, rs.PowersListed, _of_response, game_id=game_id)

    async def get_dummy_waiting_powers(self, *, buffer_size: int) -> dict[str, list[str]]:
        """Return the powers without a player that need orders, by game; for the account of the server's own bots."""
        return await self._ask(rq.GetDummyWaitingPowers, rs.WaitingPowersListed, _of_response, buffer_size=buffer_size)

    # Accounts

    async def logout(self) -> None:
        """Sign out: the token can no longer be used."""
        await self._ask(rq.Logout, rs.Ok, lambda _: self.close())

    async def delete_account(self, *, username: str | None = None) -> None:
        """Delete this account, or, for an administrator, another."""

        def done(_: rs.Response) -> None:
            if username is None:
                self.close()

        await self._ask(rq.DeleteAccount, rs.Ok, done, username=username)

    async def make_omniscient(self, *, username: str, game_id: str) -> None:
        """Let an account see all of a game."""
        await self._grade(Grade.OMNISCIENT, GradeUpdate.PROMOTE, username, game_id)

    async def remove_omniscient(self, *, username: str, game_id: str) -> None:
        """Take omniscience of a game from an account."""
        await self._grade(Grade.OMNISCIENT, GradeUpdate.DEMOTE, username, game_id)

    async def promote_moderator(self, *, username: str, game_id: str) -> None:
        """Make an account moderator of a game."""
        await self._grade(Grade.MODERATOR, GradeUpdate.PROMOTE, username, game_id)

    async def demote_moderator(self, *, username: str, game_id: str) -> None:
        """Take the role of moderator of a game from an account."""
        await self._grade(Grade.MODERATOR, GradeUpdate.DEMOTE, username, game_id)

    async def promote_administrator(self, *, username: str) -> None:
        """Make an account administrator of the server."""
        await self._grade(Grade.ADMIN, GradeUpdate.PROMOTE, username, None)

    async def demote_administrator(self, *, username: str) -> None:
        """Take the role of administrator from an account."""
        await self._grade(Grade.ADMIN, GradeUpdate.DEMOTE, username, None)

    # Internals

    def game(self, game_id: str, role: str) -> NetworkGame | None:
        """Return the game that was joined in that role; None if there is none."""
        return self._games.get((game_id, role))

    def remember(self, game: NetworkGame) -> None:
        """Register a game, so that it receives its notifications."""
        self._games[game.game_id, game.role] = game

    def forget(self, game: NetworkGame) -> None:
        """Remove a game that was left, or is gone."""
        self._games.pop((game.game_id, game.role), None)

    def close(self) -> None:
        """Forget all games, and remove the channel from its connection."""
        self.connection.channels.pop(self.token, None)
        for game in self.games:
            game.drop()

    async def ask_in_game(
        self,
        game: NetworkGame,
        kind: type[rq.GameRequest],
        expected: type[Any],
        effect: Callable[[Any], T],
        **fields: Any,
    ) -> T:
        """Send a request about a game; effect processes the response, before any later message."""
        request = kind(
            request_id=self.connection.new_id(),
            token=self.token,
            game_id=game.game_id,
            game_role=game.role,
            phase=game.current_short_phase,
            **fields,
        )
        return await self.connection.send(request, expected, effect)

    def _join(self, response: rs.GameGiven) -> NetworkGame:
        game = NetworkGame(self, response.data)
        self.remember(game)
        return game

    def _known(self, game_id: str, power_name: str | None) -> NetworkGame | None:
        if power_name is not None:
            return self.game(game_id, power_name)
        watched = (game for game in self.games if game.game_id == game_id and not game.is_player_game())
        return next(watched, None)

    async def _grade(self, grade: Grade, update: GradeUpdate, username: str, game_id: str | None) -> None:
        fields = {"grade": grade, "grade_update": update, "username": username, "game_id": game_id}
        await self._ask(rq.SetGrade, rs.Ok, _nothing, **fields)

    async def _ask(
        self, kind: type[rq.ChannelRequest], expected: type[Any], effect: Callable[[Any], T], **fields: Any
    ) -> T:
        request = kind(request_id=self.connection.new_id(), token=self.token, **fields)
        return await self.connection.send(request, expected, effect)


def _player_type(given: SeatedAs | str | None) -> SeatedAs | None:
    return None if given is None else SeatedAs(given)


def _of_response(response: Any) -> Any:
    return response.data


def _nothing(response: rs.Response) -> None:
    """Do nothing: the answer needs no further processing."""
