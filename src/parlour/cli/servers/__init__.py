"""The parts of parlour serve: its doors, and how they are opened and closed."""
