"""The door for DAIDE bots: the binary TCP protocol that bots have used since 2002."""
