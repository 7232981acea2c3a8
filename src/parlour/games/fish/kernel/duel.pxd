from parlour.games.fish.kernel.terrain cimport Terrain

cdef class Duel(Terrain):
    cdef unsigned long long[::1] keys
    cdef unsigned long long[::1] slot_key
    cdef int[::1] slot_value
    cdef short[::1] slot_depth
    cdef unsigned char[::1] slot_kind
    cdef short[::1] slot_move
    cdef int[::1] order
    cdef unsigned long long table_mask
    cdef readonly long long nodes
    cdef long long limit
    cdef long long last
    cdef bint aborted
    cdef int root_slot
    cdef int root_end

    cdef unsigned long long hash_of(self, int seat) noexcept nogil
    cdef void look_up(self) noexcept nogil
    cdef int gap(self, int seat) noexcept nogil
    cdef int judge(self, int seat) noexcept nogil
    cdef void sort_by_promise(self, int seat, int at, int end, int first) noexcept nogil
    cdef int search(self, int seat, int depth, int low, int high, int ply) noexcept nogil
