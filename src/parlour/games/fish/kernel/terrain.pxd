from parlour.games.fish.kernel.play cimport Play

cdef class Terrain(Play):
    cdef short[::1] list
    cdef int room
    cdef int plies
    cdef unsigned char[::1] distance
    cdef short[::1] queue
    cdef unsigned int[::1] groups
    cdef int solo_best
    cdef readonly long long solo_nodes
    cdef long long solo_limit
    cdef readonly bint exact
    cdef bint cash

    cdef void flood(self, int seat, unsigned int members) noexcept nogil
    cdef bint apart(self, int seat) noexcept nogil
    cdef int group_slots(self, int seat) noexcept nogil
    cdef int harvest(self, int seat, int ply) noexcept nogil
    cdef int standing(self, int seat, unsigned int members) noexcept nogil
    cdef int harvest_group(self, int seat, unsigned int members, int ply) noexcept nogil
    cdef int most_to_come(self, int seat, unsigned int members) noexcept nogil
    cdef void solo(self, int seat, unsigned int members, int gained, int ply) noexcept nogil
