"""The binary TCP protocol of DAIDE: bots written since 2002 sit down at the table."""
