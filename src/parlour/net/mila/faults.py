"""Errors of the protocol: one class for each name on the wire, raised by the server and by the client library.

The door raises them and sends class name and sentence; the client library raises the same class again.

    ResponseException
    ├── RequestException            the request itself: no such name, wrong types
    ├── TokenException · UserException · PasswordException · ServerRegistrationException
    ├── AdminTokenException · GameMasterTokenException · GameTokenException
    ├── GameIdException · GameCreationException · GameRegistrationPasswordException · GameSolitaireException
    ├── GameJoinRoleException · GameRoleException · GameObserverException · GamePlayerException
    ├── GameCanceledException · GameFinishedException · GameNotPlayingException · GamePhaseException
    ├── MapIdException · MapPowerException
    └── DaidePortException · FolderException · ServerDirException
"""

from __future__ import annotations

from typing import ClassVar

from parlour.errors import WireError


class ResponseException(WireError):
    """The server refused a request; used itself for a refusal that fits no other class."""

    usual: ClassVar[str] = "The request was refused."
    """Message without further details."""

    def __init__(self, message: str = "") -> None:
        self.message = message or self.usual
        super().__init__(self.message)


class RequestException(ResponseException):
    """The request has an unknown name or a wrong form."""

    usual = "There is no such request."


class AdminTokenException(ResponseException):
    """Only an administrator may do this."""

    usual = "Only an administrator may do this."


class DaidePortException(ResponseException):
    """The game has no port for DAIDE players."""

    usual = "The game has no port for DAIDE players."


class GameCanceledException(ResponseException):
    """The game was cancelled."""

    usual = "The game was cancelled."


class GameCreationException(ResponseException):
    """The server accepts no further games."""

    usual = "The server takes no more games."


class GameFinishedException(ResponseException):
    """The game is over."""

    usual = "The game is over."


class GameIdException(ResponseException):
    """There is no game of that id, or there is one already."""

    usual = "There is no such game."


class GameJoinRoleException(ResponseException):
    """A token plays, observes or sees all, but only one of these in a game."""

    usual = "A token plays, observes or sees all, but only one of these in a game."


class GameRoleException(ResponseException):
    """The role may not do this."""

    usual = "The role may not do this."


class GameMasterTokenException(ResponseException):
    """Only a moderator of the game may do this."""

    usual = "Only a moderator of the game may do this."


class GameNotPlayingException(ResponseException):
    """The game is not being played now."""

    usual = "The game is not being played now."


class GameObserverException(ResponseException):
    """The game is not open to observers."""

    usual = "The game is not open to observers."


class GamePhaseException(ResponseException):
    """The request is about another phase than the one that runs."""

    usual = "The request is about another phase than the one that runs."


class GamePlayerException(ResponseException):
    """The token does not play that power."""

    usual = "The token does not play that power."


class GameRegistrationPasswordException(ResponseException):
    """The password of the game is wrong."""

    usual = "The password of the game is another."


class GameSolitaireException(ResponseException):
    """A solitaire game has no players."""

    usual = "A solitaire game has no players."


class GameTokenException(ResponseException):
    """The token has no such role in the game."""

    usual = "The token has no such role in the game."


class MapIdException(ResponseException):
    """There is no map of that name."""

    usual = "There is no such map."


class MapPowerException(ResponseException):
    """The map has no power of that name, or it is not free."""

    usual = "There is no such power."


class FolderException(ResponseException):
    """A folder of the server is missing."""


class ServerRegistrationException(ResponseException):
    """The server does not accept new accounts."""

    usual = "The server makes no new accounts."


class TokenException(ResponseException):
    """The token is not known, or has expired."""

    usual = "The token is not known, or has expired."


class UserException(ResponseException):
    """The name or the password is wrong."""

    usual = "The name or the password is wrong."


class PasswordException(ResponseException):
    """The password is empty."""

    usual = "The password must not be empty."


class ServerDirException(ResponseException):
    """The server's own folder is missing."""


_KINDS: tuple[type[ResponseException], ...] = (ResponseException, *ResponseException.__subclasses__())
FAULTS = {kind.__name__: kind for kind in _KINDS}
"""The classes by the names on the wire."""


def fault(error_type: str, message: str) -> ResponseException:
    """Return the exception for an error response; an unknown name is part of its message."""
    if error_type in FAULTS:
        return FAULTS[error_type](message)
    return ResponseException(f"{error_type}: {message}")
