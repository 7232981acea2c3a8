"""Public conformance checks and stand-ins: check_game, check_player, FakeClock, ScriptedPlayer, MemoryWire."""
