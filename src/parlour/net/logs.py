"""The log of a server, as lines for people or as JSON, one object per line, for programs."""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO

import msgspec

_encoder = msgspec.json.Encoder(enc_hook=str)
_USUAL = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "color_message"}


class JsonLines(logging.Formatter):
    """Writes one JSON object per line: time, level, logger, message, and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03}",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {key: value for key, value in record.__dict__.items() if key not in _USUAL and key[0] != "_"}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return _encoder.encode(line).decode()


def set_up_log(form: str, level: str, stream: TextIO | None = None) -> None:
    """Send all log records to stderr in that format: text or json."""
    out = logging.StreamHandler(stream or sys.stderr)
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    out.setFormatter(JsonLines() if form == "json" else text)
    root = logging.getLogger()
    root.handlers[:] = [out]
    root.setLevel(level.upper())
    # uvicorn logs two lines per websocket and one per invalid request, so strangers could fill the log.
    quiet = logging.NOTSET if root.level <= logging.DEBUG else max(root.level, logging.ERROR)
    logging.getLogger("uvicorn.error").setLevel(quiet)


def announce(form: str, text: str, stream: TextIO | None = None, **marks: str | bool) -> None:
    """Write an important message to stderr at any log level: a line, or an object with these fields."""
    line = text
    if form == "json":
        fields = {"name": "parlour.serve", "levelno": logging.INFO, "levelname": "INFO", "msg": text}
        line = JsonLines().format(logging.makeLogRecord(fields | marks))
    print(line, file=stream or sys.stderr, flush=True)
