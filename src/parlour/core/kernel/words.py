"""Operations on 64-bit words for kernels: splitmix64, a hash of a seed and a number, and the ends of a set of bits."""

ALL_BITS = 0xFFFFFFFFFFFFFFFF


def splitmix(seed: int, number: int) -> int:
    """Return a random 64-bit word: the word of that number (from 1) in the stream of the seed."""
    word = (seed + number * 0x9E3779B97F4A7C15) & ALL_BITS
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & ALL_BITS
    return word ^ (word >> 31)


def lowest(word: int) -> int:
    """Return the number of the lowest set bit; word must not be 0."""
    return (word & -word).bit_length() - 1


def highest(word: int) -> int:
    """Return the number of the highest set bit; word must not be 0."""
    return word.bit_length() - 1


# Compiled kernels use this C code instead of the functions above.
IN_C = '''
cdef inline unsigned long long splitmix(unsigned long long seed, unsigned long long number) noexcept nogil:
    cdef unsigned long long word = seed + number * 0x9E3779B97F4A7C15ULL
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL
    return word ^ (word >> 31)


cdef extern from * nogil:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define parlour_lowest(word) __builtin_ctzll(word)
    #define parlour_highest(word) (63 - __builtin_clzll(word))
    #else
    static int parlour_lowest(unsigned long long word) {
        int number = 0;
        while (!(word & 1)) { word >>= 1; number++; }
        return number;
    }
    static int parlour_highest(unsigned long long word) {
        int number = 0;
        while (word >>= 1) number++;
        return number;
    }
    #endif
    """
    int lowest "parlour_lowest"(unsigned long long word)
    int highest "parlour_highest"(unsigned long long word)
'''
