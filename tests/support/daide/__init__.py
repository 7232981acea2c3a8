"""DAIDE: bots, tables, frames and a simulated world."""
