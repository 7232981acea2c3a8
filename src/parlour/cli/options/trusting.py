"""The option that lets a resumed match or tournament start the programs that its record names."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.cli.options.kinds import flag
from parlour.errors import ConfigError

TRUST = "--trust-record"
SHOWN = 3
"""Maximum number of agents that a refusal lists."""

trust_option = flag(
    f"{TRUST} trusts_record", "With --resume: start the programs, classes and models that the record names."
)


def check_trusted(untrusted: Sequence[str], *, trusts_record: bool) -> None:
    """Raise ConfigError if a record names untrusted agents and is not trusted: anybody may have written it."""
    if trusts_record or not untrusted:
        return
    named = ", ".join(repr(agent[:60]) for agent in untrusted[:SHOWN])
    more = f" and {len(untrusted) - SHOWN} more" if len(untrusted) > SHOWN else ""
    reason = f"the record starts {named}{more}: if you trust whoever wrote it, add {TRUST}"
    raise ConfigError(f"resume: {reason}", field="resume")
