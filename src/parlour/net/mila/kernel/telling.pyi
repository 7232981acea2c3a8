"""What the rest of the door may ask of it."""

from collections.abc import Container

def framed(text: bytes) -> bytes: ...
def frames_for(
    waiting: list[tuple[bytes, bytes, bool, bytes, Container[str] | None]], prefix: bytes, role: str, fork: bool
) -> bytes: ...
