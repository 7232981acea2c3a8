"""Settings of a server, by flag, environment or file, each with its source.

A flag overrides the environment, the environment the file, the file the default. The field
http_port is --http-port on the command line, PARLOUR_HTTP_PORT in the environment and http-port in the file.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec

from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.files import read_regular
from parlour.net.daide.declaration import NUMBERINGS, read_ports

PREFIX = "PARLOUR_"
ELSEWHERE = tuple(PREFIX + name for name in ("GAMES", "KEY_", "MAPS", "NAME", "PASSWORD", "PRICES", "PURE", "SERVER"))
"""Prefixes of variables that other parts of the program read."""
MAX_FILE = 1 << 20

Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Rate = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
Bytes = Annotated[int, msgspec.Meta(ge=1 << 16, le=1 << 50)]
MESSAGE = 150_000
"""Maximum characters of a message that a server can allow: its event must fit into 1 MiB in any encoding."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a server. The text of an annotation is the help of the option.

    Each door declares which settings are its own.
    """

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for all."""
    http_port: Annotated[
        int,
        msgspec.Meta(ge=0, le=65_535, description="Port for pages and the API.  [default: 8080; 0: any free port]"),
    ] = 8080
    fish_port: Annotated[int, msgspec.Meta(ge=0, le=65_535, description="Port for Fish players.  [default: 45678]")] = (
        45_678
    )
    mila_port: Annotated[
        Port | None,
        msgspec.Meta(description="Port for clients of the diplomacy package; --http-port accepts them too."),
    ] = None
    mila_bot: Annotated[str, msgspec.Meta(description="Account that may order for powers without a player.")] = ""
    """The server creates the account at its start if it does not exist."""
    mila_bot_password: str = ""
    """Password of the account `mila_bot`; without it a one-time password is printed when the account is created."""
    daide_port: Annotated[
        Port | None, msgspec.Meta(description="Port for DAIDE bots; without it they cannot connect.")
    ] = None
    daide_level: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=60,
            description="Press level of matches that DAIDE bots open; levels above 60 are not supported.",
        ),
    ] = 0
    daide_mtl: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=8191,
            description="Seconds per movement turn of matches that DAIDE bots open.  [default: no limit]",
        ),
    ] = 0
    """0 means no limit: a turn lasts until all have ordered."""
    daide_options: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Options of matches that DAIDE bots open: ADM, AOA, DSD, NPB, NPR, PDA, RTL=60, BTL=60, PTL=10."
        ),
    ] = ()
    """RTL, BTL and PTL are in seconds."""
    daide_years: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=90,
            description="Years after which matches of DAIDE bots end in a draw of all survivors; 0: never."
            "  [default: 35]",
        ),
    ] = 35
    """Without a last year, bots may hold for ever."""
    daide_map: Annotated[str, msgspec.Meta(description="Map of matches that DAIDE bots open.  [default: as --map]")] = (
        ""
    )
    """Other maps are played through ports of single matches."""
    daide_numbering: Annotated[
        str,
        msgspec.Meta(
            description="Numbering of press tokens until a bot shows another.  [default: clients]",
            extra={"choices": NUMBERINGS},
        ),
    ] = "clients"
    daide_ports: Annotated[
        str, msgspec.Meta(description="Range of ports for single matches of DAIDE bots, like 8434-8600.")
    ] = ""
    """A match gets a port when a client asks for it."""
    map: str = ""
    """Map of matches that are opened without one; standard if empty."""
    only: tuple[str, ...] = ()
    """The doors to open: http, mila, fish, daide; all if empty."""
    store: str = "parlour.db"
    """A path, or postgresql://user@host/database."""
    tls_certificate: str = ""
    """A PEM file with the certificate and its chain."""
    tls_key: str = ""
    admin_password: str = ""
    """Password of the account admin; without it a one-time password is printed at the first start."""
    registration: str = "open"
    """Registration of accounts: open, invitation, closed."""
    token_days: Annotated[float, msgspec.Meta(gt=0, le=3650)] = 30.0
    """Days after which a user must sign in again."""
    origins: tuple[str, ...] = ()
    """Origins of other pages that may use the API, such as https://example.org."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses of proxies whose X-Forwarded-For header is trusted, such as 127.0.0.1."""
    max_body: Annotated[int, msgspec.Meta(ge=1024, le=1 << 28)] = 1 << 20
    """Maximum bytes of one request."""
    request_time: Seconds = 30.0
    """Seconds within which a request must be received and answered."""
    stop_time: Seconds = 4.0
    """Seconds for open requests to finish when the server stops."""
    sign_ins_per_minute: Rate = 10.0
    """Wrong sign-ins per minute of one address for one account, and ten times that for all accounts."""
    registrations_per_hour: Rate = 600.0
    """Maximum number of registrations per hour and address."""
    requests_per_second: Rate = 50.0
    requests_at_once: Count = 200
    connections: Count = 5000
    connections_per_address: Count = 500
    matches: Count = 100_000
    matches_per_account: Count = 1000
    bytes_per_match: Bytes = 64 << 20
    """Maximum stored bytes per match; each seat has its share of them."""
    bytes_per_account: Bytes = 256 << 20
    """Maximum stored bytes per account and day."""
    message_length: Annotated[int, msgspec.Meta(ge=1, le=MESSAGE)] = MESSAGE
    """Maximum characters of one message that the terms of a match may allow."""
    messages_per_turn: Count = 100_000
    """Maximum messages per seat and turn that the terms of a match may allow."""
    public_url: str = ""
    """The public address of this server, for links in mails: https://play.example.org."""
    smtp_host: str = ""
    """The mail server for mail to players; without it no mail is sent."""
    smtp_port: Port = 587
    smtp_security: str = "starttls"
    """Encryption of the connection to the mail server: starttls, tls or none."""
    smtp_user: str = ""
    smtp_password: str = ""
    mail_from: str = ""
    """The sender of mails: parlour@example.org."""
    push_local: bool = False
    """True if push services may have private addresses, for tests and closed networks."""
    log: str = "text"
    """Format of the log: text, json."""
    log_level: str = "info"

    def check(self) -> None:
        """Raise ConfigError that names a setting with an invalid value."""
        _expect("registration", self.registration, ("open", "invitation", "closed"))
        _expect("daide-numbering", self.daide_numbering, NUMBERINGS)
        read_ports(self.daide_ports)
        _expect("log", self.log, ("text", "json"))
        _expect("log-level", self.log_level, ("debug", "info", "warning", "error"))
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise ConfigError("tls-certificate, tls-key: give both or neither", field="tls_key")
        _expect("smtp-security", self.smtp_security, ("starttls", "tls", "none"))
        if self.smtp_host and not (self.mail_from and self.public_url):
            raise ConfigError("smtp-host: give mail-from and public-url, too", field="smtp_host")
        if self.public_url and not re.fullmatch(r"https?://[^/\s?#]+/?", self.public_url):
            raise ConfigError(
                f"public-url: expected like https://play.example.org, got {self.public_url[:80]!r}", field="public_url"
            )
        for proxy in self.trusted_proxies:
            if not _is_network(proxy):
                told = f"trusted-proxies: expected an address such as 127.0.0.1 or 10.0.0.0/8, got {proxy[:80]!r}"
                raise ConfigError(told, field="trusted_proxies")
        for origin in self.origins:
            if not re.fullmatch(r"https?://[^/\s]+", origin):
                raise ConfigError(f"origins: expected like https://example.org, got {origin[:80]!r}", field="origins")


USUAL = ServerSettings()
"""Default settings."""
SECRET = frozenset({"admin_password", "mila_bot_password", "smtp_password"})


class GatheredSettings(msgspec.Struct, frozen=True):
    """Settings, and the source of each field."""

    settings: ServerSettings
    sources: dict[str, str]

    def summary(self) -> str:
        """Return the settings that differ from the default, in one line, with secrets hidden."""
        fields = [field for field in ServerSettings.__struct_fields__ if self.sources[field] != "default"]
        told = [f"{option_of(field)} = {shown(field, getattr(self.settings, field))}" for field in fields]
        return f"settings: {', '.join(told) or 'all by default'}; --verbose lists all"

    def lines(self) -> Iterator[str]:
        """Yield each setting with its source, with secrets hidden."""
        for field in ServerSettings.__struct_fields__:
            yield f"{option_of(field)} = {shown(field, getattr(self.settings, field))} ({self.sources[field]})"


def gather(flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None) -> GatheredSettings:
    """Return the settings from all sources; flags that are None count as not given.

    Raise ConfigError that names the wrong setting and its source.
    """
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
    """Return settings given as token-days=7; raise ConfigError for unknown ones and for secrets."""
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
    """Yield a line for each variable that looks like a setting but is not one: it may be misspelt."""
    known = [_variable(field) for field in ServerSettings.__struct_fields__]
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known and not name.startswith(ELSEWHERE):
            yield f"{name[:80]} is not a setting{hint(name, known)}"


def option_of(field: str) -> str:
    """Return the name of a field in a file, and as a flag after two dashes."""
    return field.replace("_", "-")


def _variable(field: str) -> str:
    """Return the environment variable of a field."""
    return f"{PREFIX}{field.upper()}"


def shown(field: str, value: object) -> str:
    """Return a value for people, with secrets hidden."""
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

    text = read_regular(path, MAX_FILE + 1)
    if len(text) > MAX_FILE:
        raise ConfigError(f"{path}: larger than {MAX_FILE:,} bytes", field="config")
    try:
        values = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:  # also raised for numbers with thousands of digits and deep nesting
        raise ConfigError(f"{path}: not TOML: {error!s:.200}", field="config") from None
    return {_field_of(name, f"{path}: ", "config"): (value, "file") for name, value in values.items()}


def _field_of(name: str, where: str, option: str) -> str:
    """Return the field of that name; raise ConfigError if there is none."""
    fields = {option_of(field): field for field in ServerSettings.__struct_fields__}
    if name not in fields:
        raise ConfigError(f"{where}{name[:40]!r} is not a setting{hint(name, fields)}", field=option)
    return fields[name]


def _listed(wanted: Any, value: Any) -> Any:
    """Return the parts of a text with commas if the field is a list, else the value."""
    if "tuple" in str(wanted) and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _is_network(text: str) -> bool:
    """Return True if a text is an IP address or network."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _expect(field: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"{field}: expected one of {', '.join(known)}, got {value[:40]!r}", field=field)
