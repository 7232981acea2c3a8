"""Keys of endpoints: from the environment, by host. They go into a request's header and nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

PREFIX = "PARLOUR_KEY_"
KNOWN = {
    "api.openai.com": "OPENAI_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "generativelanguage.googleapis.com": "GEMINI_API_KEY",
    "api.mistral.ai": "MISTRAL_API_KEY",
    "api.deepseek.com": "DEEPSEEK_API_KEY",
    "api.groq.com": "GROQ_API_KEY",
}
"""The usual variables for the keys of common hosts."""
HIDDEN = "[key]"
_SHORTEST = 6
"""Least length of a key that is hidden in texts; a shorter key would be found everywhere."""


def variable_of(host: str) -> str:
    """Return the variable that holds the key of a host, for example PARLOUR_KEY_API_OPENAI_COM."""
    return PREFIX + re.sub(r"[^A-Z0-9]", "_", host.partition(":")[0].upper())


def key_for(host: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the key of a host; None if there is none, which is usual for local endpoints."""
    name = host.partition(":")[0].lower()
    return environment.get(variable_of(host)) or environment.get(KNOWN.get(name, "")) or None


def hide(text: str, key: str | None) -> str:
    """Return the text without the key, because providers may quote a refused key."""
    return text.replace(key, HIDDEN) if key and len(key) >= _SHORTEST else text
