"""Players of Diplomacy that negotiate, on a shared base."""
