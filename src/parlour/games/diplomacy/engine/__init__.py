"""The kernel for Python callers: its codes, tables and flat states."""
