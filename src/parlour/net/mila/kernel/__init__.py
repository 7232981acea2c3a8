"""The hot part of sending: the notifications that each listener receives."""
