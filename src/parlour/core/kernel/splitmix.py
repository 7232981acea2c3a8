"""Random words for kernels: splitmix64, a hash of a seed and a number. Compiled kernels take it from splitmix.pxd."""

ALL_BITS = 0xFFFFFFFFFFFFFFFF


def splitmix(seed: int, number: int) -> int:
    """Return the word with that number, from 1, of the stream with that seed: 64 bits."""
    word = (seed + number * 0x9E3779B97F4A7C15) & ALL_BITS
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & ALL_BITS
    return word ^ (word >> 31)
