"""What a tournament server can be told: players, waiting, times, and what is played."""

from __future__ import annotations

from dataclasses import dataclass, field

from parlour.core.game import Plain
from parlour.core.terms import Terms
from parlour.errors import ConfigError
from parlour.net.fish.dialect import Patience
from parlour.net.framing.listener import MOST


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server signs players up and what it lets them play."""

    terms: Terms
    config: dict[str, Plain] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 0
    fewest: int = 5
    most: int = 10
    wait: float = 30.0
    """Seconds of one waiting period."""
    tries: int = 2
    """How many waiting periods there are before it is too few players."""
    settle: float = 0.0
    """Seconds between the last place being taken and the start, in which somebody may still drop out."""
    once: bool = False
    """Whether to stop after one tournament."""
    house: int = 0
    """How many players of the house may fill up a field that is too small."""
    house_agent: str = "greedy"
    patience: Patience = field(default_factory=Patience)
    name_time: float = 10.0
    """Seconds that a connection may take to begin saying its name, and again to finish."""
    grace: float = 5.0
    """Seconds that a broken connection may take to come back, where the protocol has tokens."""
    resume: bool = True
    """Whether to go on with tournaments in the store that were cut short."""
    return_time: float = 15.0
    """Seconds that a resumed tournament waits for its players."""
    connections: int = MOST
    """At the same time, spectators among them."""
    most_strangers: int = 256
    most_spectators: int = 100
    at_once: int = 1000
    seed: int | None = None

    def check(self) -> None:
        """ConfigError names a setting that cannot be."""
        if not 1 <= self.fewest <= self.most:
            raise ConfigError(f"min: expected 1 to max ({self.most}), not {self.fewest}", field="min")
        if self.tries < 1 or self.wait < 0:
            raise ConfigError("tries, wait: expected at least one waiting period", field="tries")
