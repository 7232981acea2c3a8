cdef inline unsigned long long splitmix(unsigned long long seed, unsigned long long number) noexcept nogil:
    cdef unsigned long long word = seed + number * 0x9E3779B97F4A7C15ULL
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL
    return word ^ (word >> 31)
