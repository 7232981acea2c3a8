"""Every request of every door, found in the code, and how to send one in which a single part has a given size."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import msgspec
from starlette.routing import Route

from parlour.errors import RemoteWireError
from support.fuzz.doors import TOKEN, OfflineServer, _assisted, _clients, _lined, _requested
from support.hall.people import session_of

Send = Callable[[OfflineServer, int], Coroutine[Any, Any, None]]

FIXED: dict[str, Any] = {
    "game_id": "diplomacy",
    "game_role": "FRANCE",
    "phase": "S1901M",
    "power_name": "FRANCE",
    "seat": "FRANCE",
    "match": "diplomacy",
    "game": "diplomacy",
    "token": TOKEN.decode(),
    "turn": 1,
    "by": "",
}
"""A valid value of a part, where the request needs one to continue."""
LINES = ("/match/{match}/line", "/tournament/{tournament}/line")
"""Where pages have lines."""
TEXTS = ("A PAR - BUR", "F BRE S A PAR - BUR", "(ENG FRA)", "x")


class Request(NamedTuple):
    """A request, with the part of it that grows."""

    door: str
    name: str
    part: str
    send: Send

    def __str__(self) -> str:
        return f"{self.door}: {self.name}, {self.part}"


def grown(kind: Any, size: int) -> Any:
    """Return a value of that type with size parts, or None if values of that type do not grow."""
    match msgspec.inspect.type_info(kind) if not isinstance(kind, msgspec.inspect.Type) else kind:
        case msgspec.inspect.StrType():
            return "A PAR - BUR; " * (size // 13 + 1)
        case msgspec.inspect.ListType(item_type=item) | msgspec.inspect.VarTupleType(item_type=item):
            return [small(item, number) for number in range(size)]
        case msgspec.inspect.DictType(key_type=_, value_type=value):
            return {f"{TEXTS[number % 4]} {number}": small(value, number) for number in range(size)}
        case msgspec.inspect.AnyType():
            return [TEXTS[number % 4] for number in range(size)]
        case msgspec.inspect.UnionType(types=types):
            found = [one for one in (grown(each, size) for each in types) if one is not None]
            return max(found, key=lambda one: isinstance(one, (list, dict)), default=None)
        case msgspec.inspect.StructType(fields=fields):
            inner = {field.encode_name: grown(field.type, size) for field in fields}
            return {name: value for name, value in inner.items() if value is not None} or None
        case _:
            return None


def small(kind: Any, number: int = 0) -> Any:
    """Return some value of that type."""
    match msgspec.inspect.type_info(kind) if not isinstance(kind, msgspec.inspect.Type) else kind:
        case msgspec.inspect.StrType() | msgspec.inspect.AnyType():
            return TEXTS[number % 4]
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            return 1
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.EnumType(cls=cls):
            return next(iter(cls)).value
        case msgspec.inspect.UnionType(types=types):
            return small(types[0], number)
        case msgspec.inspect.StructType(fields=fields):
            return {field.encode_name: small(field.type, number) for field in fields if field.required}
        case msgspec.inspect.DictType():
            return {}
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return []
        case _:
            return None


def parts(struct: Any) -> Iterator[tuple[str, Callable[[int], dict[str, Any]]]]:
    """Return, for each field that grows, a call that gives all fields with that one in a size."""
    fields = msgspec.inspect.type_info(struct)
    assert isinstance(fields, msgspec.inspect.StructType)
    fixed = {field.encode_name: FIXED[field.encode_name] for field in fields.fields if field.encode_name in FIXED}
    needed = {field.encode_name: small(field.type) for field in fields.fields if field.required} | fixed
    yield "as it is", lambda size: needed
    for field in fields.fields:
        if field.encode_name not in ("token", "request_id") and grown(field.type, 1) is not None:
            yield field.encode_name, partial(_with, needed, field)


def _with(needed: dict[str, Any], field: msgspec.inspect.Field, size: int) -> dict[str, Any]:
    return {**needed, field.encode_name: grown(field.type, size)}


def variants(union: Any) -> Iterator[tuple[str, str, Callable[[int], dict[str, Any]]]]:
    """Return the members of a union of tagged structs, each with each of its parts that grow."""
    info: Any = msgspec.inspect.type_info(union)
    for kind in info.types:
        for name, body in parts(kind.cls):
            yield kind.cls.__name__, name, partial(_tagged, kind, body)


def http_requests() -> Iterator[Request]:
    """Return the operations of the API."""
    from parlour.net.http.app import OPERATIONS, PREFIX
    from parlour.net.http.operations import MATCH_PASSWORD, Nothing

    for operation in OPERATIONS:
        path = PREFIX + re.sub(r"\{(\w+)\}", lambda found: str(FIXED.get(found[1], "owner")), operation.path)
        bodies: list[tuple[str, Callable[[int], Any]]] = [("as it is", lambda size: None)]
        info = None if operation.body is Nothing else msgspec.inspect.type_info(operation.body)
        if isinstance(info, msgspec.inspect.StructType):
            bodies = list(parts(operation.body))
        elif isinstance(info, msgspec.inspect.UnionType):
            bodies = [(f"{kind} {part}", body) for kind, part, body in variants(operation.body)]
        elif info is not None:
            bodies = list(_positions(operation.path))
        named = f"{operation.method} {PREFIX}{operation.path}"
        for name, body in bodies:
            yield Request("http", named, name, _http(operation.method, path, body))
        for field in msgspec.structs.fields(operation.query):
            if isinstance(grown(field.type, 1), str):
                yield Request("http", named, field.encode_name, _queried(operation.method, path, field.encode_name))
        if operation.watches:
            yield Request("http", named, MATCH_PASSWORD, _headed(operation.method, path, MATCH_PASSWORD))
    for header in ("authorization", "cookie", "x-request-id", "content-length"):
        yield Request("http", f"GET {PREFIX}/health", header, _headed("GET", f"{PREFIX}/health", header))


def _tagged(kind: Any, body: Callable[[int], dict[str, Any]], size: int) -> dict[str, Any]:
    return {kind.tag_field: kind.tag, **body(size)}


def _positions(path: str) -> Iterator[tuple[str, Callable[[int], Any]]]:
    """Return bodies of what may be any object: a position of Diplomacy, of which one field grows."""
    start = {"phase": "S1901M", "units": {"FRANCE": ["A PAR", "F BRE"]}, "orders": {"FRANCE": ["A PAR - BUR"]}}
    yield "the same order", lambda size: {**start, "orders": {"FRANCE": ["A PAR - BUR"] * size}}
    yield "orders", lambda size: {**start, "orders": {"FRANCE": [f"A PAR - {number}" for number in range(size)]}}
    yield "powers", lambda size: {**start, "orders": {f"POWER {number}": [] for number in range(size)}}
    yield "units", lambda size: {**start, "units": {"FRANCE": ["A PAR"] * size}}
    yield "centers", lambda size: {**start, "centers": {"FRANCE": ["PAR"] * size}}
    yield "influence", lambda size: {**start, "influence": {"FRANCE": ["PIC"] * size}}
    yield "a long order", lambda size: {**start, "orders": {"FRANCE": ["A PAR - " * size]}}


def _queried(method: str, path: str, field: str) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        await _requested(server, f"{method} {path}?{field}={'y,' * size}\n\n".encode())

    return send


def _headed(method: str, path: str, header: str) -> Send:
    scheme = "Bearer " if header == "authorization" else ""

    async def send(server: OfflineServer, size: int) -> None:
        await _requested(server, f"{method} {path}\n{header}: {scheme}{'7' * size}\n\n".encode())

    return send


def _http(method: str, path: str, body: Callable[[int], Any]) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        value = body(size)
        text = b"" if value is None else msgspec.json.encode(value)
        head = f"{method} {path}\nauthorization: Bearer {TOKEN.decode()}\ncontent-type: application/json\n\n"
        await _requested(server, head.encode() + text)

    return send


def page_requests(server: OfflineServer) -> Iterator[Request]:
    """Return the routes of pages: a long query for those that are fetched, long fields for forms."""
    from parlour.web.sandbox import SandboxQuestion
    from parlour.web.trials import TrialQuestion

    questions = {"/sandbox": SandboxQuestion, "/sandbox/{game}": TrialQuestion}
    from parlour.net.http.app import PREFIX

    for route in server.app.routes:
        if not isinstance(route, Route) or route.path.startswith(PREFIX):
            continue  # lines and the API have their own
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: str(FIXED.get(found[1], "x")), route.path)
        path = path.replace("/sandbox/diplomacy", "/sandbox/fish")
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if method == "GET":
                yield Request("page", f"GET {route.path}", "query", _form(method, path, "?since=1&x="))
            elif (form := questions.get(route.path)) is not None:
                for name, body in parts(form):
                    yield Request("page", f"POST {route.path}", name, _http(method, path, body))
                if form is SandboxQuestion:
                    for name, body in _positions(path):
                        yield Request("page", f"POST {route.path}", name, _http(method, path, _judged(body)))
            else:
                yield Request(
                    "page", f"POST {route.path}", "fields", _form(method, path, "game=diplomacy&name=x&title=")
                )


def _judged(body: Callable[[int], Any]) -> Callable[[int], Any]:
    return lambda size: {"setting": body(size), "orders": body(size)["orders"], "judge": True}


def _form(method: str, path: str, start: str) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        text = start + "y" * size
        request = f"{method} {path}{text}\n\n" if method == "GET" else f"{method} {path}\n\n{text}"
        await _requested(server, request.encode())

    return send


def line_requests() -> Iterator[Request]:
    """Return what a page may send on its line: every question that the code answers, and every intent."""
    from parlour.core.intents import Intent
    from parlour.web.views import Views

    source = inspect.getsource(Views.asked) + inspect.getsource(Views._understood)
    keys = sorted(set(re.findall(r'question\.get\("(\w+)"', source)) - {"ask"})
    assert keys, "questions have parts"
    for question in re.findall(r'case "([\w ]+)":', source):
        fixed = {"id": 1, "ask": question, "from": 0, "to": 8, "seat": "FRANCE", "text": "A PAR H"}
        yield Request("line", question, "as it is", _line(partial(_question, fixed, "")))
        for key in keys:
            yield Request("line", question, key, _line(partial(_question, fixed, key)))
    for path in LINES:
        yield Request("line", path, "more", _line(lambda size: {"id": 1, "x": ["y"] * size}, path))
    for kind, part, body in variants(Intent):
        yield Request("line", kind, part, _line(partial(_numbered, body)))


def _question(fixed: dict[str, Any], key: str, size: int) -> dict[str, Any]:
    return {**fixed, key: "F BRE;" * size} if key else fixed


def _numbered(body: Callable[[int], dict[str, Any]], size: int) -> dict[str, Any]:
    return {"id": 1, **body(size)}


def _line(message: Callable[[int], Mapping[str, Any]], path: str = LINES[0]) -> Send:
    address = path.format(**FIXED, tournament="x").encode()

    async def send(server: OfflineServer, size: int) -> None:
        await _lined(server, address + b"\n{}\n" + msgspec.json.encode(message(size)))

    return send


def mila_requests() -> Iterator[Request]:
    """Return the requests of the `diplomacy` package that the door answers."""
    from parlour.net.mila.asking import ANSWERS

    for kind in sorted(ANSWERS, key=lambda kind: kind.__name__):
        tag = kind.__struct_config__.tag
        for name, body in parts(kind):
            yield Request("mila", str(tag), name, _mila(str(tag), body))


def _mila(tag: str, body: Callable[[int], dict[str, Any]]) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        joined = {"game_id": "diplomacy", "power_name": "FRANCE", "token": FIXED["token"]}
        join = msgspec.json.encode({"request_id": "0", "name": "join_game", "re_sent": False, **joined})
        request = {"request_id": "1", "name": tag, "re_sent": False, **body(size)}
        await _clients(server, join + b"\n" + msgspec.json.encode(request))

    return send


def daide_requests(server: OfflineServer) -> Iterator[Request]:
    """Return the messages of DAIDE clients, each with a bracket that grows."""
    from parlour.net.daide.client_messages import _COMMANDS, _DENIED

    order = ["(", "(", "FRA", "AMY", "PAR", ")", "MTO", "BUR", ")"]
    fillers = {"tokens": ["FRA"], "orders": order, "brackets": ["(", ")"]}
    commands = [[word] for word in _COMMANDS] + [["NOT", "(", word] for word in _DENIED]
    for command in commands:
        for name, filler in fillers.items():
            yield Request("daide", " ".join(command), name, _daide([*command, "("], filler))
            for begin in ([], ["("], ["(", "ENG", ")", "("]):
                part = f"{name} of a player, after {' '.join(begin) or 'nothing'}"
                yield Request("daide", " ".join(command), part, _daide([*command, *begin], filler, seated=True))


def _daide(begin: list[str], filler: list[str], *, seated: bool = False) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        from parlour.net.daide.guest import DaideGuest
        from parlour.net.daide.places import Gate
        from parlour.net.daide.reception import Reception

        gate = Gate()
        guest = DaideGuest(
            Reception(server.hall, None, config={}, opens=False), gate, lambda frames: None, lambda: None
        )
        if seated:
            guest = server.daide_player = server.daide_player or await _seated(server)
        closing = [")"] * (begin.count("(") - begin.count(")"))
        await guest.hear(gate.codec.encode([*begin, *filler * size, *closing]))
        if not seated:
            await guest.leave()

    return send


async def _seated(server: OfflineServer) -> Any:
    """Return a DAIDE client that plays France in a match that has begun."""
    from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
    from parlour.net.daide.guest import DaideGuest
    from parlour.net.daide.places import Gate
    from parlour.net.daide.reception import Reception
    from parlour.net.daide.tokens import letters
    from parlour.net.setup import MatchSetup
    from parlour.referee.conduct import preset

    press = PressTerms(PressMode.ANYTIME, level=60)
    terms = Terms(preset("hosted"), press=press, vacancy=Vacancy.DEFAULT, seats_to_start=1, wait_flags_up=True)
    await session_of(server.hall, "owner").open(MatchSetup(game="diplomacy", terms=terms, match="bots"))
    gate, reception = Gate(), Reception(server.hall, None, config={}, opens=False)
    await reception.open()
    guest = DaideGuest(reception, gate, lambda frames: None, lambda: None)
    await guest.hear(gate.codec.encode(["NME", "(", *letters("FRA:x@bots"), ")", "(", *letters("1"), ")"]))
    await guest.hear(gate.codec.encode(["YES", "(", "MAP", "(", *letters("standard"), ")", ")"]))
    found = guest._at
    assert found is not None
    assert found.playing
    return guest


def fish_requests() -> Iterator[Request]:
    """Return the lines of Fish players: every message of both protocols, read as the server reads it."""
    from parlour.net.fish.json import messages
    from parlour.net.fish.neu import calls
    from parlour.net.framing.json_stream import ValueReader

    kinds = [kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, messages._Message)]

    def reader(kind: Any, body: Callable[[int], dict[str, Any]]) -> Send:
        async def send(server: OfflineServer, size: int) -> None:
            text = msgspec.json.encode({"type": kind.__struct_config__.tag, **body(size)})
            for value in ValueReader().feed(text):
                with contextlib.suppress(msgspec.ValidationError):
                    msgspec.json.decode(value, type=kind)

        return send

    for kind in kinds:
        if kind is not messages._Message:
            for name, body in parts(kind):
                yield Request("fish", kind.__name__, name, reader(kind, body))

    def answer(read: Callable[[bytes], Any], value: Callable[[int], Any]) -> Send:
        async def send(server: OfflineServer, size: int) -> None:
            for found in ValueReader().feed(msgspec.json.encode(value(size))):
                with contextlib.suppress(RemoteWireError):
                    read(found)

        return send

    values = {
        "text": lambda size: "x" * size,
        "numbers": lambda size: [1] * size,
        "lists": lambda size: [[1, 1]] * size,
    }
    for name, read in inspect.getmembers(calls, inspect.isfunction):
        if name.startswith("read_"):
            for part, value in values.items():
                yield Request("fish", name, part, answer(read, value))

    async def many(server: OfflineServer, size: int) -> None:
        assert len(list(ValueReader().feed(b"[1] " * size))) == size

    yield Request("fish", "values", "number", many)


def tool_requests(server: OfflineServer) -> Iterator[Request]:
    """Return the tools of assistants, each argument long."""
    tools = asyncio.new_event_loop()
    try:
        listed = tools.run_until_complete(server.assistants.list_tools())
    finally:
        tools.close()
    for tool in listed:
        schema = tool.input_schema
        for name in schema.get("properties", {}):
            if name != "token":
                yield Request("mcp", tool.name, name, _tool(tool.name, name, schema["properties"][name]))


def _tool(tool: str, part: str, schema: dict[str, Any]) -> Send:
    async def send(server: OfflineServer, size: int) -> None:
        text = str(schema)
        long: Any = ["A PAR - BUR"] * size if "array" in text or "type" not in text else "A PAR - BUR " * size
        sit = {} if tool == "sit" else {"match": "diplomacy"}
        given = {"token": TOKEN.decode(), "seconds": 0.0, part: long} if tool != "sit" else {part: long}
        first = b"sit " + msgspec.json.encode(sit) + b"\n" if tool != "sit" else b""
        await _assisted(server, first + tool.encode() + b" " + msgspec.json.encode(given))

    return send


def all_requests(server: OfflineServer) -> list[Request]:
    """Return every request of every door."""
    return [
        *http_requests(),
        *page_requests(server),
        *line_requests(),
        *mila_requests(),
        *daide_requests(server),
        *fish_requests(),
        *tool_requests(server),
    ]
