"""Players of Diplomacy that do not talk."""
