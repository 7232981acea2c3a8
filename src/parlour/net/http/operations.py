"""The table of the API: each operation with its path, its input and its output.

Routes and the OpenAPI document are both made from this table, so that they always agree.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import msgspec
from starlette.responses import Response

from parlour.net.accounts.accounts import Identity
from parlour.net.accounts.limits import network_of
from parlour.net.fair_pool import Requester
from parlour.net.sessions import Session

if TYPE_CHECKING:
    from parlour.net.http.app import Service

MATCH_PASSWORD = "Match-Password"
"""Header with the password of a match, for watchers."""

Form = TypeVar("Form")
Asked = TypeVar("Asked")


class Nothing(msgspec.Struct, frozen=True):
    """The form of an absent body, query or answer."""


class ApiCall(Generic[Form, Asked]):
    """A request, as an operation receives it."""

    __slots__ = ("address", "body", "identity", "path", "query", "service", "session")

    def __init__(
        self,
        service: Service,
        session: Session,
        identity: Identity | None,
        path: dict[str, str],
        query: Asked,
        body: Form,
        address: str,
    ) -> None:
        self.service = service
        self.session = session
        self.identity = identity
        """The caller's identity; None without a sign-in."""
        self.path = path
        self.query = query
        self.body = body
        self.address = address

    @property
    def match(self) -> str:
        """The match id in the path."""
        return self.path["match"]

    @property
    def asker(self) -> Requester:
        """The requester, for work in fair pools."""
        return Requester(network_of(self.address), self.identity.name if self.identity else "")


Work: TypeAlias = Callable[[ApiCall[Any, Any]], Awaitable[Any]]


class Operation(msgspec.Struct, frozen=True):
    """An operation of the API."""

    method: str
    path: str
    """Path with names in braces: /matches/{match}."""
    work: Work
    body: Any
    query: Any
    answer: Any
    """The form of the answer, or the media type of an answer that is not JSON."""
    status: HTTPStatus
    signed_in: bool
    """True if the caller must be signed in."""
    problems: tuple[int, ...]
    """Further statuses, besides those of any operation."""
    weight: float = 1.0
    """Number of requests that a call counts as."""

    @property
    def watches(self) -> bool:
        """True if the operation shows a match, so that a watcher may send the match's password with it."""
        return self.method == "GET" and "{match}" in self.path

    @property
    def name(self) -> str:
        """Return the operation's name, for clients that are generated from the document."""
        return self.work.__name__

    @property
    def told(self) -> str:
        """Return the description of the operation."""
        return (self.work.__doc__ or "").strip()


class Operations:
    """Collects operations: `@operations.add("GET", "/matches", answer=MatchList)`."""

    def __init__(self) -> None:
        self.all: list[Operation] = []

    def add(
        self,
        method: str,
        path: str,
        *,
        body: Any = Nothing,
        query: Any = Nothing,
        answer: Any = Nothing,
        status: HTTPStatus = HTTPStatus.OK,
        signed_in: bool = False,
        problems: tuple[int, ...] = (),
        weight: float = 1.0,
    ) -> Callable[[Work], Work]:
        """Return a decorator that registers the decorated function as an operation."""

        def added(work: Work) -> Work:
            self.all.append(Operation(method, path, work, body, query, answer, status, signed_in, problems, weight))
            return work

        return added


_encoder = msgspec.json.Encoder()


def as_response(operation: Operation, answer: Any) -> Response:
    """Return the result of an operation as a response."""
    if isinstance(answer, Response):
        return answer
    if operation.answer is Nothing:
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return Response(_encoder.encode(answer), operation.status, media_type="application/json")
