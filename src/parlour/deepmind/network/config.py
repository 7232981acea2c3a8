"""The sizes of a network: the published sizes, smaller sizes, and the sizes of a set of arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from parlour.errors import ConfigError

Shape = tuple[int, ...]
MAX_SIZE = 4096
"""Maximum size of a layer; a larger one is an error in a file rather than a network."""


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """The sizes of a network's parts; the defaults are the published ones."""

    shared_filter: int = 160
    """Half the width of the encoders' layers that all powers share."""
    player_filter: int = 160
    """Half the width of the encoders' layers that are computed for each power."""
    shared_cores: int = 12
    """Number of layers after the first shared one."""
    player_cores: int = 3
    decoder_filter: int = 64
    decoder_cores: int = 4
    value_hidden: tuple[int, ...] = (256,)
    action_embedding: int = 10
    season_embedding: int = 16
    player_embedding: int = 16

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            sizes = value if field.name == "value_hidden" else (value,)
            least = 0 if field.name.endswith("_cores") else 1
            if not isinstance(sizes, tuple) or not all(type(x) is int and least <= x <= MAX_SIZE for x in sizes):
                message = f"{field.name}: expected {least} to {MAX_SIZE}, got {value!r:.60}"
                raise ConfigError(message, field=field.name)

    @property
    def area_width(self) -> int:
        """The width of an area's representation: the outputs of both encoders."""
        return 4 * self.player_filter

    @property
    def order_width(self) -> int:
        """The width of an order's representation."""
        return 2 * self.decoder_filter

    def encoder_inputs(self, encoder: int) -> int:
        """Return the number of inputs per area of an encoder.

        The inputs are the board, for the second encoder also the actions, then the season and the build numbers.
        """
        return 35 + encoder * self.action_embedding + self.season_embedding + 7

    def as_plain(self) -> dict[str, Any]:
        """Return the sizes as a plain value for a file."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**plain, "value_hidden": list(self.value_hidden)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> NetworkConfig:
        """Return the sizes in a file; raise ConfigError for unknown names or impossible values.

        Args:
            plain: Sizes by name.
        """
        if not isinstance(plain, Mapping):
            raise ConfigError(f"network: expected sizes by name, got {type(plain).__name__}", field="network")
        unknown = set(plain) - {field.name for field in fields(cls)}
        if unknown:
            raise ConfigError(f"network: there is no size called {sorted(unknown)[0]!r:.40}", field="network")
        hidden = plain.get("value_hidden")
        return cls(**{**plain, **({"value_hidden": tuple(hidden)} if isinstance(hidden, list) else {})})


PUBLISHED = NetworkConfig()
SMALL = NetworkConfig(
    shared_filter=32, player_filter=32, shared_cores=2, player_cores=1, decoder_filter=32, decoder_cores=2,
    value_hidden=(64,),
)  # fmt: skip
"""Sizes that train in minutes on one machine."""


def config_of(shapes: Mapping[str, Shape]) -> NetworkConfig | None:
    """Return the sizes of arrays under the published names; None if they do not belong to a network of this kind."""
    found = _cores(shapes, "network/~/board_encoder")
    decoder = _cores(shapes, "network/~/relational_order_decoder")
    embeddings = [shapes.get(name, ()) for name in ("network/~/embed|embeddings", *_EMBEDDINGS)]
    if not found or not decoder or not all(len(shape) == 2 for shape in embeddings):
        return None
    widths = [shape[1] for shape in embeddings]
    # The first player layer also reads a power's embedding, so it is wider than the shared layers before it.
    shared = next((at for at, shape in enumerate(found[1:]) if shape[1] != 2 * found[0][2]), len(found))
    if shared + 2 > len(found):
        return None
    hidden: list[int] = []
    while len(shape := shapes.get(f"network/~/mlp/~/linear_{len(hidden)}|w", ())) == 2:
        hidden.append(shape[1])
    try:
        return NetworkConfig(
            found[0][2], found[shared + 1][2], shared, len(found) - shared - 2, decoder[0][2], len(decoder) - 1,
            tuple(hidden[:-1]), *widths,
        )  # fmt: skip
    except ConfigError:
        return None


_EMBEDDINGS = tuple(f"network/~/board_encoder/~/{name}|embeddings" for name in ("embed", "embed_1"))
_CORE = re.compile(r"/~/encoder_core(?:_(\d{1,4}))?\|w")


def _cores(shapes: Mapping[str, Shape], owner: str) -> list[Shape]:
    """Return the shapes of an owner's cores in order; empty if one is missing or is not a core."""
    found: dict[int, Shape] = {}
    for name, shape in shapes.items():
        if name.startswith(owner) and (match := _CORE.fullmatch(name[len(owner) :])):
            found[int(match[1] or 0)] = shape
    listed = [found.get(number, ()) for number in range(len(found))]
    return listed if all(len(shape) == 3 for shape in listed) else []
