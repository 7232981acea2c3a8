"""What a server can be told, by a flag, by the environment or by a file, and where each of it was told.

A flag counts before the environment, the environment before the file, the file before what is usual. The field
http_port is --http-port on the command line, PARLOUR_HTTP_PORT in the environment and http-port in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec

from parlour.core.text import hint
from parlour.errors import ConfigError

PREFIX = "PARLOUR_"
ELSEWHERE = tuple(PREFIX + name for name in ("GAMES", "KEY_", "NAME", "PASSWORD", "PRICES", "PURE", "SERVER"))
"""How variables begin that other parts read."""
MAX_FILE = 1 << 20

Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Rate = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is run."""

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for all."""
    http_port: Port = 8080
    """0: any free one."""
    fish_port: Port = 45_678
    mila_port: Port | None = None
    """A port of its own for clients of the `diplomacy` package; they are also served on the HTTP port."""
    mila_bot: str = ""
    """The account whose bots may ask for powers that nobody plays."""
    daide_port: Port | None = None
    daide_level: Annotated[int, msgspec.Meta(ge=0, le=8191)] = 0
    """The press level of matches that DAIDE bots open."""
    daide_mtl: Annotated[int, msgspec.Meta(ge=0, le=8191)] = 0
    """Their seconds for a movement turn; 0: as long as the slowest takes."""
    daide_options: tuple[str, ...] = ()
    """What else they have: ADM, AOA, DSD, NPB, NPR, PDA, and RTL=60, BTL=60, PTL=10 in seconds."""
    daide_years: Annotated[int, msgspec.Meta(ge=0, le=90)] = 35
    """Years after which they end in a draw of all who are left, for bots may hold for ever; 0: never."""
    daide_map: str = "standard"
    """The map of the matches behind the port; others are to be had through ports of their own."""
    daide_numbering: str = "clients"
    """How press words are numbered until a client shows that it numbers them otherwise: clients, document."""
    daide_ports: str = ""
    """Like 8434-8600: those from which a match gets one of its own when somebody asks for it."""
    only: tuple[str, ...] = ()
    """The doors to open: http, mila, fish, daide. Empty: all."""
    store: str = "parlour.db"
    """A path, or postgresql://user@host/database."""
    tls_certificate: str = ""
    """A file in PEM, with its chain."""
    tls_key: str = ""
    admin_password: str = ""
    """Of the account admin; without it a one-time password is printed at the first start."""
    registration: str = "open"
    """Who may open an account: open, invitation, closed."""
    token_days: Annotated[float, msgspec.Meta(gt=0, le=3650)] = 30.0
    """After which one has to sign in again."""
    origins: tuple[str, ...] = ()
    """Of pages that may use the API besides the server's own: https://example.org."""
    trusted_proxies: tuple[str, ...] = ("127.0.0.1",)
    """Who may say from which address a request came."""
    max_body: Annotated[int, msgspec.Meta(ge=1024, le=1 << 28)] = 1 << 20
    """Bytes of one request."""
    request_time: Seconds = 30.0
    """In which a request must have come in and been answered."""
    stop_time: Seconds = 4.0
    """In which whatever is under way may end when the server stops."""
    sign_ins_per_minute: Rate = 10.0
    registrations_per_hour: Rate = 200.0
    requests_per_second: Rate = 50.0
    requests_at_once: Count = 200
    connections: Count = 5000
    connections_per_address: Count = 500
    matches: Count = 100_000
    matches_per_account: Count = 1000
    log: str = "text"
    """How the log is written: text, json."""
    log_level: str = "info"

    def check(self) -> None:
        """ConfigError names a setting that cannot be."""
        _expect("registration", self.registration, ("open", "invitation", "closed"))
        _expect("daide-numbering", self.daide_numbering, ("clients", "document"))
        read_ports(self.daide_ports)
        _expect("log", self.log, ("text", "json"))
        _expect("log-level", self.log_level, ("debug", "info", "warning", "error"))
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise ConfigError("tls-certificate, tls-key: give both or neither", field="tls_key")
        for origin in self.origins:
            if not re.fullmatch(r"https?://[^/\s]+", origin):
                raise ConfigError(f"origins: expected like https://example.org, not {origin[:80]!r}", field="origins")


USUAL = ServerSettings()
"""How a server is run that is told nothing."""
SECRET = frozenset({"admin_password"})


class GatheredSettings(msgspec.Struct, frozen=True):
    """Settings, and of each field where it was told."""

    settings: ServerSettings
    sources: dict[str, str]

    def lines(self) -> Iterator[str]:
        """Each setting with its source, secrets hidden, for the start of the log."""
        for field in ServerSettings.__struct_fields__:
            yield f"{option_of(field)} = {shown(field, getattr(self.settings, field))} ({self.sources[field]})"


def gather(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None) -> GatheredSettings:
    """The settings from all sources; flags that are None were not given. ConfigError names what is wrong, and where."""
    told = _from_file(file) if file is not None else {}
    told |= _from_environment(environ)
    told |= {field: (value, "flag") for field, value in flags.items() if value is not None}
    types = get_type_hints(ServerSettings, include_extras=True)
    values: dict[str, Any] = {}
    for field, (value, source) in told.items():
        try:
            values[field] = msgspec.convert(_listed(types[field], value), types[field], strict=source == "file")
        except msgspec.ValidationError as error:
            raise ConfigError(f"{option_of(field)}: {error} ({source})", field=field) from None
    settings = ServerSettings(**values)
    settings.check()
    named = {field: told[field][1] if field in told else "default" for field in ServerSettings.__struct_fields__}
    return GatheredSettings(settings, named)


def read_assignments(texts: Sequence[str]) -> dict[str, str]:
    """Settings as in token-days=7, for gather; ConfigError names what is none, or is no secret on a command line."""
    found = {}
    for text in texts:
        name, given, value = text.partition("=")
        field = _field_of(name, "set: ", "set")
        if not given:
            raise ConfigError(f"set: expected {name}=VALUE", field="set")
        if field in SECRET:
            raise ConfigError(f"set: everybody here can read commands: give {_variable(field)} instead", field="set")
        found[field] = value
    return found


def strange_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """For each variable that looks like a setting and is none, a line that says so: it may be misspelt."""
    known = [_variable(field) for field in ServerSettings.__struct_fields__]
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known and not name.startswith(ELSEWHERE):
            yield f"{name[:80]} is no setting{hint(name, known)}"


def read_ports(text: str) -> range:
    """Ports from the first to the last, as in 8434-8600; none if nothing is said. ConfigError if that is no range."""
    if not text:
        return range(0)
    found = re.fullmatch(r"([0-9]{1,5})-([0-9]{1,5})", text)
    first, last = (int(number) for number in found.groups()) if found else (0, 0)
    if not 1024 <= first <= last <= 65_535:
        raise ConfigError(f"daide-ports: expected like 8434-8600, from 1024 on, not {text[:40]!r}", field="daide_ports")
    return range(first, last + 1)


def option_of(field: str) -> str:
    """How a field is called in a file, and after two dashes as a flag."""
    return field.replace("_", "-")


def _variable(field: str) -> str:
    """How a field is called in the environment."""
    return f"{PREFIX}{field.upper()}"


def shown(field: str, value: object) -> str:
    """A value for people, without what is secret in it."""
    if field in SECRET:
        return "(hidden)" if value else "(none)"
    if field == "store":
        text = re.sub(r"(?<=://)([^:@/?]*):[^?]*@", r"\1:(hidden)@", str(value))
        return re.sub(r"(?<=[?&])(\w*password)=[^&]*", r"\1=(hidden)", text)
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    return "(none)" if value in (None, "") else str(value)


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    names = {_variable(field): field for field in ServerSettings.__struct_fields__}
    return {field: (environ[name], name) for name, field in names.items() if name in environ}


def _from_file(path: Path) -> dict[str, tuple[Any, str]]:
    import tomllib  # few servers have a file

    with path.open("rb") as file:
        text = file.read(MAX_FILE + 1)
    if len(text) > MAX_FILE:
        raise ConfigError(f"{path}: larger than {MAX_FILE:,} bytes", field="config")
    try:
        values = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and brackets without end
        raise ConfigError(f"{path}: not TOML: {error!s:.200}", field="config") from None
    return {_field_of(name, f"{path}: ", "config"): (value, "file") for name, value in values.items()}


def _field_of(name: str, where: str, option: str) -> str:
    """The field that is called so; ConfigError if none is."""
    fields = {option_of(field): field for field in ServerSettings.__struct_fields__}
    if name not in fields:
        raise ConfigError(f"{where}{name[:40]!r} is no setting{hint(name, fields)}", field=option)
    return fields[name]


def _listed(wanted: Any, value: Any) -> Any:
    """A text with commas where a list is wanted, as flags and the environment give it."""
    if "tuple" in str(wanted) and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _expect(field: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"{field}: expected one of {', '.join(known)}, not {value[:40]!r}", field=field)
