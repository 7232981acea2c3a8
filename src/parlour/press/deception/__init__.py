"""Sealed plans beside promises: the book of seals, and a class for each verdict."""
