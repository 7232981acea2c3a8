"""The settings of a tournament server: players, waiting, times, and the game."""

from __future__ import annotations

from dataclasses import dataclass, field

from parlour.core.game import Plain
from parlour.core.terms import Terms
from parlour.errors import ConfigError
from parlour.net.fish.dialect import Patience
from parlour.net.framing.limiter import MOST, ConnectionLimiter

KNOCK_OUT = "knock-out"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of sign-up and play."""

    terms: Terms
    config: dict[str, Plain] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 0
    fewest: int = 5
    most: int = 10
    wait: float = 30.0
    """Seconds of one waiting period for sign-ups."""
    tries: int = 2
    """Number of waiting periods before the server gives up."""
    settle: float = 0.0
    """Seconds between the last sign-up and the start, in which a player may still leave."""
    once: bool = False
    """True if the server stops after one tournament."""
    house: int = 0
    """Maximum number of house agents that fill up a small field."""
    house_agent: str = "greedy"
    patience: Patience = field(default_factory=Patience)
    name_time: float = 10.0
    """Seconds that a connection has to begin its sign-up, and again to finish it."""
    grace: float = 5.0
    """Seconds that a player has to reconnect, where the protocol has tokens."""
    resume: bool = True
    """True if interrupted tournaments of the store are resumed."""
    return_time: float = 15.0
    """Seconds for which a resumed tournament waits for its players."""
    connections: int = MOST
    """Maximum number of simultaneous connections, including spectators."""
    connections_of_one: int | None = None
    """Maximum number of connections per address; None for no limit."""
    most_strangers: int = 256
    most_spectators: int = 100
    at_once: int = 1000
    format: str = KNOCK_OUT
    """The schedule: a knock-out of single matches, or a planned format with ratings; see tournament.schedules."""
    blocks: int | None = None
    """Number of blocks of a planned format; None for all rounds of a format that ends, otherwise one."""
    seats: int | None = None
    """Number of players per match of a planned format; None for the fewest."""
    seed: int | None = None

    def limiter(self) -> ConnectionLimiter:
        """Return the limiter of the server's connections."""
        return ConnectionLimiter(
            most=self.connections, most_of_one=self.connections_of_one, most_silent=self.most_strangers
        )

    def check(self) -> None:
        """Raise ConfigError, with the name of the setting, if a setting is not valid."""
        if not 1 <= self.fewest <= self.most:
            raise ConfigError(f"min: expected 1 to max ({self.most}), got {self.fewest}", field="min")
        if self.tries < 1 or self.wait < 0:
            raise ConfigError("tries, wait: expected at least one waiting period", field="tries")
