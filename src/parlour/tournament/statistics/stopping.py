"""Stopping rules: a sequential test that one agent is better than another by a margin, on the means of blocks.

The generalised sequential probability ratio test compares two explanations of the blocks: a mean difference of at least
the margin, and one of at most zero, both with the observed spread. It decides when the logarithm of their likelihood
ratio leaves the bounds. It does not decide before MIN_BLOCKS: the spread of fewer skewed scores is not known well
enough to keep the error rates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from enum import StrEnum

import msgspec

from parlour.errors import ConfigError

ERROR = 0.05
"""Error rate of either kind: a false claim that one agent is better, or a missed difference of the margin."""
BOUND = math.log((1 - ERROR) / ERROR)
MIN_BLOCKS = 20
PRICE = 5
"""Blocks that do not count: the price of estimating the spread from the same, skewed, scores."""
_EXAMPLE = '"search > dumbbot by 0.05"'


class Decision(StrEnum):
    """The verdict of the test."""

    BETTER = "better"
    NOT_BETTER = "not better by that much"
    UNDECIDED = "undecided"


class StopRule(msgspec.Struct, frozen=True):
    """A rule to stop when it is known if one agent scores more than another by a margin."""

    better: str
    worse: str
    by: float

    def __str__(self) -> str:
        return f"{self.better} > {self.worse} by {self.by:g}"


class Evidence(msgspec.Struct, frozen=True):
    """Progress of the test: the logarithm of the ratio, between the bounds."""

    ratio: float
    blocks: int
    decision: Decision

    @property
    def share(self) -> float:
        """The position between the bounds, from -1 (not better) to 1 (better)."""
        return max(-1.0, min(1.0, self.ratio / BOUND))


def read_rule(text: str, names: Collection[str]) -> StopRule:
    """Return the rule of a text such as "search > dumbbot by 0.05"; raise ConfigError for any other text."""
    pair, by, amount = text.rpartition(" by ")
    better, greater, worse = pair.partition(" > ")
    if not (by and greater):
        raise ConfigError(f"stop: expected a rule such as {_EXAMPLE}, got {text!r:.80}", field="stop")
    for name in (better.strip(), worse.strip()):
        if name not in names:
            raise ConfigError(f"stop: nobody here is called {name!r:.60}: {', '.join(names)}", field="stop")
    if better.strip() == worse.strip():
        raise ConfigError("stop: expected two agents that differ", field="stop")
    try:
        found = float(amount)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise ConfigError(f"stop: expected a difference above 0 after by, got {amount!r:.40}", field="stop")
    return StopRule(better.strip(), worse.strip(), found)


def judge(differences: Sequence[float], by: float) -> Evidence:
    """Return the state of the test after these differences of block means."""
    count = len(differences)
    if not count:
        return Evidence(0.0, 0, Decision.UNDECIDED)
    mean = math.fsum(differences) / count
    variance = math.fsum((value - mean) ** 2 for value in differences) / count
    # Equal differences have no spread; a least variance avoids the division by zero.
    least = (by / 100) ** 2
    from_none, from_enough = mean - min(mean, 0.0), mean - max(mean, by)
    ratio = (
        max(0, count - PRICE) / 2 * math.log((variance + from_none**2 + least) / (variance + from_enough**2 + least))
    )
    decision = Decision.UNDECIDED
    if count >= MIN_BLOCKS and abs(ratio) >= BOUND:
        decision = Decision.BETTER if ratio > 0 else Decision.NOT_BETTER
    return Evidence(ratio, count, decision)


def sentence(rule: StopRule, progress: Evidence, *, over: bool) -> str:
    """Return the verdict in words."""
    blocks = f"{progress.blocks} block{'' if progress.blocks == 1 else 's'}"
    match progress.decision:
        case Decision.BETTER:
            return f"{rule.better} is better than {rule.worse}, by about {rule.by:g} or more ({blocks})"
        case Decision.NOT_BETTER:
            return f"{rule.better} is not better than {rule.worse} by as much as {rule.by:g} ({blocks})"
        case Decision.UNDECIDED if over:
            least = f": the test needs at least {MIN_BLOCKS}" if progress.blocks < MIN_BLOCKS else ""
            return f"undecided at the cap of {blocks} whether {rule}{least}"
        case Decision.UNDECIDED:
            return f"undecided after {blocks} whether {rule}"
