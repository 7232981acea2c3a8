"""The table of parameter names: our name of each array, its published name, and its shape."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from parlour.deepmind.actions import MAX_ACTION_INDEX
from parlour.deepmind.network.config import NetworkConfig, Shape
from parlour.deepmind.observation import NUM_SEASONS
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS, NUM_PROVINCES


class ArrayName(NamedTuple):
    """One array of a network."""

    ours: str
    module: str
    name: str
    shape: Shape
    state: bool = False
    """True for a statistic of training, which no gradient changes."""

    @property
    def published(self) -> str:
        """The published module and name as one word."""
        return f"{self.module}|{self.name}"

    @property
    def whole(self) -> bool:
        """True for a counter, which is a whole number."""
        return self.name == "counter"


@lru_cache(maxsize=64)
def entries(config: NetworkConfig) -> tuple[ArrayName, ...]:
    """Return every array of a network of these sizes."""
    return tuple(_entries(config))


def _entries(config: NetworkConfig) -> Iterator[ArrayName]:
    top = "network/~"
    yield ArrayName("actions", f"{top}/embed", "embeddings", (MAX_ACTION_INDEX + 1, config.action_embedding))
    for number, module in enumerate((f"{top}/board_encoder", f"{top}/board_encoder_1")):
        yield from _encoder(config, number, module)
    module, width = f"{top}/relational_order_decoder", config.order_width
    yield ArrayName("decoder/projection", module, "projection", (MAX_ACTION_INDEX, width))
    sizes = [width + config.area_width] + [width] * config.decoder_cores
    for number, size in enumerate(sizes):
        core = f"{module}/~/encoder_core{_suffix(number)}"
        yield from _core(f"decoder/core_{number}", core, (NUM_PROVINCES, size, config.decoder_filter))
    yield from _norm("decoder/last", f"{module}/~/batch_norm", (1, 1, width))
    sizes = [config.area_width, *config.value_hidden, NUM_POWERS]
    for number, (before, after) in enumerate(pairwise(sizes)):
        yield ArrayName(f"value/{number}/weight", f"{top}/mlp/~/linear_{number}", "w", (before, after))
        yield ArrayName(f"value/{number}/bias", f"{top}/mlp/~/linear_{number}", "b", (after,))


def _encoder(config: NetworkConfig, number: int, module: str) -> Iterator[ArrayName]:
    ours = f"encoder_{number}"
    shared, player = 2 * config.shared_filter, 2 * config.player_filter
    yield ArrayName(f"{ours}/season", f"{module}/~/embed", "embeddings", (NUM_SEASONS, config.season_embedding))
    yield ArrayName(f"{ours}/power", f"{module}/~/embed_1", "embeddings", (NUM_POWERS, config.player_embedding))
    rows = [("shared", at, shared, config.shared_filter) for at in range(config.shared_cores + 1)]
    rows += [("player", at, player, config.player_filter) for at in range(config.player_cores + 1)]
    firsts = {"shared": config.encoder_inputs(number), "player": shared + config.player_embedding}
    for place, (kind, at, width, size) in enumerate(rows):
        inputs = width if at else firsts[kind]
        core = f"{module}/~/encoder_core{_suffix(place)}"
        yield from _core(f"{ours}/{kind}_{at}", core, (NUM_AREAS, inputs, size))
    yield from _norm(f"{ours}/last", f"{module}/~/batch_norm", (1, 1, 1, player))


def _suffix(number: int) -> str:
    return f"_{number}" if number else ""


def _core(ours: str, module: str, shape: Shape) -> Iterator[ArrayName]:
    yield ArrayName(f"{ours}/weight", module, "w", shape)
    yield from _norm(ours, f"{module}/~/batch_norm", (1, 1, 2 * shape[2]))


def _norm(ours: str, module: str, shape: Shape) -> Iterator[ArrayName]:
    """Yield a batch norm: scale and offset, and the running averages of mean and variance with sums and counts."""
    for name in ("scale", "offset"):
        yield ArrayName(f"{ours}/{name}", module, name, shape)
    for name, average in (("mean", "mean_ema"), ("variance", "var_ema")):
        yield ArrayName(f"{ours}/{name}", f"{module}/~/{average}", "average", shape, state=True)
        yield ArrayName(f"{ours}/{name}_sum", f"{module}/~/{average}", "hidden", shape, state=True)
        yield ArrayName(f"{ours}/{name}_count", f"{module}/~/{average}", "counter", (), state=True)
