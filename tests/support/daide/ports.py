"""Free ports."""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import socket


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
