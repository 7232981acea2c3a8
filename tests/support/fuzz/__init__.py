"""Targets of the fuzzer."""
