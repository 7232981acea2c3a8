"""Players that ship with Parlour."""
