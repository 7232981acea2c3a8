"""Settings of a server: which source counts, what is said of a bad one, and what stays hidden."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from parlour.errors import ConfigError
from parlour.net.daide.declaration import read_ports
from parlour.net.settings import ServerSettings, gather, option_of, read_assignments, strange_variables


def test_a_flag_counts_before_the_environment_before_the_file_before_what_is_usual(tmp_path: Path) -> None:
    file = tmp_path / "parlour.toml"
    file.write_text('host = "0.0.0.0"\nhttp-port = 1\nfish-port = 1\norigins = ["https://a.org"]\n')
    environ = {"PARLOUR_HTTP_PORT": "2", "PARLOUR_FISH_PORT": "2", "PARLOUR_UNKNOWN": "x", "HTTP_PORT": "9"}
    told = gather({"fish_port": 3, "store": None}, environ, file)
    settings = told.settings
    assert (settings.host, settings.http_port, settings.fish_port) == ("0.0.0.0", 2, 3)
    assert (settings.store, settings.origins) == ("parlour.db", ("https://a.org",))
    names = ("host", "http_port", "fish_port", "store")
    assert [told.sources[name] for name in names] == ["file", "PARLOUR_HTTP_PORT", "flag", "default"]


def test_lists_and_numbers_are_read_from_text() -> None:
    environ = {
        "PARLOUR_ORIGINS": "https://a.org, https://b.org,",
        "PARLOUR_REQUEST_TIME": "2.5",
        "PARLOUR_ONLY": "http",
    }
    settings = gather({}, environ).settings
    assert settings.origins == ("https://a.org", "https://b.org")
    assert (settings.request_time, settings.only) == (2.5, ("http",))
    assert gather({"only": "http,fish"}, {}).settings.only == ("http", "fish")
    assert gather({"only": ("fish",)}, {}).settings.only == ("fish",)
    assert gather({}, {"PARLOUR_MILA_PORT": "8432"}).settings.mila_port == 8432


def test_secrets_are_hidden() -> None:
    environ = {"PARLOUR_ADMIN_PASSWORD": "hunter2", "PARLOUR_STORE": "postgresql://me:hunter2@host/base"}
    lines = list(gather({}, environ).lines())
    assert "hunter2" not in "\n".join(lines)
    assert "admin-password = (hidden) (PARLOUR_ADMIN_PASSWORD)" in lines
    assert "store = postgresql://me:(hidden)@host/base (PARLOUR_STORE)" in lines
    assert "http-port = 8080 (default)" in lines
    assert "origins = (none) (default)" in lines
    assert "trusted-proxies = (none) (default)" in lines
    assert "mila-port = (none) (default)" in lines
    assert "admin-password = (none) (default)" in gather({}, {}).lines()
    assert len(lines) == len(ServerSettings.__struct_fields__)


def test_any_setting_can_be_assigned() -> None:
    flags = read_assignments(["token-days=7", "origins=https://a.org,https://b.org", "mila-bot=a=b"])
    settings = gather(flags, {"PARLOUR_TOKEN_DAYS": "3"}).settings
    assert (settings.token_days, settings.mila_bot) == (7.0, "a=b")
    assert settings.origins == ("https://a.org", "https://b.org")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("token-day=7", "set: 'token-day' is not a setting; did you mean token-days?"),
        ("token-days", "set: expected token-days=VALUE"),
        ("admin-password=x", "set: everybody here can read commands: give PARLOUR_ADMIN_PASSWORD instead"),
    ],
)
def test_what_cannot_be_assigned_is_said(text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_assignments([text])
    assert str(raised.value) == reason


def test_a_variable_that_is_misspelt_is_named_and_those_of_other_parts_are_not() -> None:
    environ = {"PARLOUR_HTTP_PRT": "1", "PARLOUR_HTTP_PORT": "1", "PARLOUR_KEY_EXAMPLE_ORG": "x", "PATH": ""}
    (told,) = strange_variables(environ)
    assert told == "PARLOUR_HTTP_PRT is not a setting; did you mean PARLOUR_HTTP_PORT?"


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("postgresql://me:hunter2@host/base", "postgresql://me:(hidden)@host/base"),
        ("postgresql://me:hun/ter2@host/base", "postgresql://me:(hidden)@host/base"),
        ("postgresql://host/base?user=me&password=hunter2", "postgresql://host/base?user=me&password=(hidden)"),
        ("postgresql://host:5432/base?sslpassword=hunter2&a=b", "postgresql://host:5432/base?sslpassword=(hidden)&a=b"),
        ("postgresql://host:5432/base?options=-csearch_path%3Da@b", "postgresql://host:5432/base?options=-csearch_path%3Da@b"),
        ("parlour.db", "parlour.db"),
    ],
)  # fmt: skip
def test_the_address_of_a_store_is_shown_without_its_secrets(store: str, told: str) -> None:
    assert f"store = {told} (flag)" in gather({"store": store}, {}).lines()


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({"PARLOUR_HTTP_PORT": "many"}, r"http-port: Expected `int`, got `str` \(PARLOUR_HTTP_PORT\)"),
        ({"PARLOUR_HTTP_PORT": "65536"}, "http-port: Expected `int` <= 65535"),
        ({"PARLOUR_REQUEST_TIME": "0"}, "request-time: Expected `float` > 0"),
        ({"PARLOUR_REGISTRATION": "never"}, "registration: expected one of open, invitation, closed, got 'never'"),
        ({"PARLOUR_LOG": "xml"}, "log: expected one of text, json"),
        ({"PARLOUR_LOG_LEVEL": "loud"}, "log-level: expected one of debug, info, warning, error"),
        ({"PARLOUR_TLS_KEY": "a.pem"}, "tls-certificate, tls-key: give both or neither"),
        ({"PARLOUR_TLS_CERTIFICATE": "a.pem"}, "tls-certificate, tls-key: give both or neither"),
        ({"PARLOUR_ORIGINS": "example.org"}, "origins: expected like https://example.org, got 'example.org'"),
        ({"PARLOUR_ORIGINS": "https://example.org/"}, "origins: expected like"),
    ],
)
def test_a_bad_setting_is_named_with_its_source(environ: dict[str, str], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        gather({}, environ)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"http-prot = 1", "'http-prot' is not a setting; did you mean http-port?"),
        (b"http-port = '1'", r"http-port: Expected `int`, got `str` \(file\)"),
        (b"= 1", "not TOML"),
        (b"\xff", "not TOML"),
        (b"http-port = " + b"9" * 5000, "not TOML"),
        (b"origins = " + b"[" * 5000, "not TOML"),
        (b"#" * ((1 << 20) + 1), "larger than 1,048,576 bytes"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: bytes, reason: str) -> None:
    (tmp_path / "parlour.toml").write_bytes(text)
    with pytest.raises(ConfigError, match=reason):
        gather({}, {}, tmp_path / "parlour.toml")


@pytest.mark.parametrize("flags", [{}, {"tls_certificate": "c", "tls_key": "k"}, {"registration": "invitation"}])
def test_what_can_be_is_taken(flags: dict[str, Any]) -> None:
    chosen = gather(flags, {}).settings
    assert {name: str(getattr(chosen, name)) for name in flags} == flags


@pytest.mark.parametrize(
    ("text", "ports"), [("", range(0)), ("8434-8600", range(8434, 8601)), ("9000-9000", range(9000, 9001))]
)
def test_ports_of_single_matches_are_given_as_a_range(text: str, ports: range) -> None:
    assert read_ports(text) == ports


@pytest.mark.parametrize("text", ["8434", "80-90", "9000-8000", "60000-70000", "a-b", "8434-"])
def test_what_is_no_range_of_ports_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="daide-ports: expected like 8434-8600"):
        gather({"daide_ports": text}, {})


def test_a_numbering_that_nobody_speaks_is_named() -> None:
    with pytest.raises(ConfigError, match="daide-numbering: expected one of clients, document"):
        gather({"daide_numbering": "mine"}, {})


def test_what_is_usual_is_as_the_page_for_operators_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "run-a-server.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", page, flags=re.MULTILINE))
    assert [f"{name} = {usual} (default)" for name, usual in told.items()] == list(gather({}, {}).lines())


@pytest.mark.parametrize(
    ("field", "least", "most", "too_little", "too_much"),
    [
        *((f"{door}_port", 0, 65_535, -1, 65_536) for door in ("http", "fish", "mila", "daide")),
        ("daide_level", 0, 60, -1, 61),
        ("daide_mtl", 0, 8191, -1, 8192),
        ("daide_years", 0, 90, -1, 91),
        ("token_days", 0.001, 3650, 0, 3650.1),
        ("max_body", 1024, 1 << 28, 1023, (1 << 28) + 1),
        *((f"{what}_time", 0.001, 86_400, 0, 86_400.1) for what in ("request", "stop")),
        ("sign_ins_per_minute", 0.001, 1e9, 0, 1e9 + 1),
        ("requests_at_once", 1, 10_000_000, 0, 10_000_001),
    ],
)
def test_numbers_are_taken_within_their_bounds(
    field: str, least: float, most: float, too_little: float, too_much: float
) -> None:
    for value in (least, most):
        assert getattr(gather({field: value}, {}).settings, field) == value
    for value in (too_little, too_much):
        with pytest.raises(ConfigError, match=f"^{option_of(field)}: Expected"):
            gather({field: value}, {})


def test_a_file_and_a_range_of_ports_may_be_as_large_as_their_bounds(tmp_path: Path) -> None:
    (tmp_path / "parlour.toml").write_bytes(b"#" * (1 << 20))
    assert gather({}, {}, tmp_path / "parlour.toml").settings == ServerSettings()
    for ports in ("1024-65535", "1024-1024"):
        assert gather({"daide_ports": ports}, {}).settings.daide_ports == ports
    for ports in ("1023-1024", "1024-65536", " 1024-1025"):
        with pytest.raises(ConfigError, match="daide-ports: expected"):
            read_ports(ports)


def test_what_was_set_fits_one_line() -> None:
    assert gather({}, {}).summary() == "settings: all by default; --verbose lists all"
    told = gather({"http_port": 1, "admin_password": "very secret"}, {}).summary()
    assert told == "settings: http-port = 1, admin-password = (hidden); --verbose lists all"
