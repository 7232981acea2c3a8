# Where arrays begin, by the type of what is in them.
ctypedef unsigned char *Octets
ctypedef signed char *SignedOctets
ctypedef unsigned short *Shorts
ctypedef int *Ints
ctypedef long long *Longs
ctypedef unsigned long long *Words


cdef inline Octets octets(unsigned char[::1] array):
    return &array[0]


cdef inline SignedOctets signed_octets(signed char[::1] array):
    return &array[0]


cdef inline Shorts shorts(unsigned short[::1] array):
    return &array[0]


cdef inline Ints ints(int[::1] array):
    return &array[0]


cdef inline Longs longs(long long[::1] array):
    return &array[0]


cdef inline Words words(unsigned long long[::1] array):
    return &array[0]


cdef class Memory:
    cdef list kept
