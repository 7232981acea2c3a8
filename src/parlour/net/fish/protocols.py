"""The wire protocols of Fish by name: their server side and their clients, imported on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.net.client.report import Client
    from parlour.net.client.seat import MakeAgent
    from parlour.net.fish.dialect import Dialect

PROTOCOLS = ("json", "neu")


def make_dialect(protocol: str) -> Dialect:
    """Return the server side of a protocol; raise ConfigError if it is unknown."""
    if protocol == "json":
        from parlour.net.fish.json.dialect import JsonDialect

        return JsonDialect()
    if protocol == "neu":
        from parlour.net.fish.neu.dialect import NeuDialect

        return NeuDialect()
    raise _unknown(protocol)


def make_client(
    protocol: str,
    name: str,
    make: MakeAgent,
    *,
    age: int | None = None,
    returns: float = 0.0,
    returns_early: float = 3.0,
) -> Client:
    """Return the client of a protocol; `age` and reconnecting are used only where the protocol has them."""
    if protocol == "json":
        from parlour.net.client.fish_json import JsonClient

        return JsonClient(name, make, age=age, returns=returns, returns_early=returns_early)
    if protocol == "neu":
        from parlour.net.client.fish_neu import NeuClient

        return NeuClient(name, make)
    raise _unknown(protocol)


def _unknown(protocol: str) -> ConfigError:
    return ConfigError(f"protocol: expected {' or '.join(PROTOCOLS)}, got {protocol!r}", field="protocol")
