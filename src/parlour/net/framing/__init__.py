"""Bytes to values and back, every buffer bounded: JSON values, length-prefixed frames, websocket messages."""
