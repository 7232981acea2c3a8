"""Prices of tokens: a table that the user sets, in US dollars per million tokens.

    ["gpt-5"]
    in = 1.25
    out = 10.0

The option `prices` or the variable PARLOUR_PRICES names the file. No table is included, because prices change and a
wrong price is worse than none. Without a price only tokens are counted, and the record shows this.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from parlour.errors import ConfigError
from parlour.files import read_regular

VARIABLE = "PARLOUR_PRICES"
MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True, rename={"input": "in", "output": "out"}):
    """US dollars per million tokens that a model reads, and per million tokens that it writes."""

    input: float
    output: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return the cost of these tokens."""
        return (tokens_in * self.input + tokens_out * self.output) / MILLION


def price_of(model: str, path: str | None, environment: Mapping[str, str] = os.environ) -> Price | None:
    """Return the price of a model; None without a table, or if the table does not have the model."""
    named = path or environment.get(VARIABLE)
    if not named:
        return None
    found = read_prices(Path(named))
    return found.get(model)


def read_prices(path: Path) -> dict[str, Price]:
    """Return the table of prices in a file; raise ConfigError if the file is not a valid table."""
    try:
        prices = msgspec.convert(tomllib.loads(read_regular(path).decode()), dict[str, Price])
    except OSError as error:
        raise ConfigError(f"prices: {str(path)!r} cannot be read: {error.strerror}", field="prices") from None
    except (ValueError, RecursionError) as error:  # not TOML, or not a table of prices
        expected = 'expected tables such as ["gpt-5"] with in and out'
        raise ConfigError(f"prices: {path.name}: {expected} ({error!s:.200})", field="prices") from None
    for model, price in prices.items():
        if not (0 <= price.input < float("inf") and 0 <= price.output < float("inf")):
            raise ConfigError(f"prices: {model!r:.60} has a price that is not 0 or more", field="prices")
    return prices
