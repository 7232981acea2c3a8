"""Errors of the protocol: one class for each name on the wire, raised by the server and by the client library.

The door raises them and sends class name and sentence; the client library raises the same class again. The docstring of
a class is its sentence where nothing more is known. ResponseException itself is for refusals that fit no other class.

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

from parlour.errors import WireError


class ResponseException(WireError):
    """The request was refused."""

    def __init__(self, message: str = "") -> None:
        self.message = message or self.__doc__ or type(self).__name__
        super().__init__(self.message)


class RequestException(ResponseException):
    """There is no such request."""


class AdminTokenException(ResponseException):
    """Only an administrator may do this."""


class DaidePortException(ResponseException):
    """The game has no port for DAIDE players."""


class GameCanceledException(ResponseException):
    """The game was cancelled."""


class GameCreationException(ResponseException):
    """The server takes no more games."""


class GameFinishedException(ResponseException):
    """The game is over."""


class GameIdException(ResponseException):
    """There is no such game."""


class GameJoinRoleException(ResponseException):
    """A token plays, observes or sees all, but only one of these in a game."""


class GameRoleException(ResponseException):
    """The role may not do this."""


class GameMasterTokenException(ResponseException):
    """Only a moderator of the game may do this."""


class GameNotPlayingException(ResponseException):
    """The game is not being played now."""


class GameObserverException(ResponseException):
    """The game is not open to observers."""


class GamePhaseException(ResponseException):
    """The request is about another phase than the one that runs."""


class GamePlayerException(ResponseException):
    """The token does not play that power."""


class GameRegistrationPasswordException(ResponseException):
    """The password of the game is another."""


class GameSolitaireException(ResponseException):
    """A solitaire game has no players."""


class GameTokenException(ResponseException):
    """The token has no such role in the game."""


class MapIdException(ResponseException):
    """There is no such map."""


class MapPowerException(ResponseException):
    """There is no such power."""


class FolderException(ResponseException):
    """A folder of the server is missing."""


class ServerRegistrationException(ResponseException):
    """The server makes no new accounts."""


class TokenException(ResponseException):
    """The token is not known, or has expired."""


class UserException(ResponseException):
    """The name or the password is wrong."""


class PasswordException(ResponseException):
    """The password must not be empty."""


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
