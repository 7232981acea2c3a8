cdef extern from * nogil:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define parlour_lowest(word) __builtin_ctzll(word)
    #else
    static int parlour_lowest(unsigned long long word) {
        int number = 0;
        while (!(word & 1)) { word >>= 1; number++; }
        return number;
    }
    #endif
    """
    int lowest "parlour_lowest"(unsigned long long word)
