"""The hot part of the rules: legal actions, adjudication and phase flow over flat states.

A state is a row of STATE = 512 bytes (uint8); a batch is a C-contiguous [B, STATE] array.

    offset  size  content
    0       1     season: 0 spring moves, 1 spring retreats, 2 autumn moves, 3 autumn retreats, 4 builds
    1       1     status: 0 running, 1 solo, 2 stopped by the year limit (or by agreement: set by the caller)
    2       2     year, little-endian
    4       1     winner: power + 1 if status is 1, else 0
    5       1     zero
    6       2     last year to be played, little-endian; 0 for no limit
    8       8     zero
    16      16    build numbers of the last builds phase as signed bytes, one per power
    32      96    UNITS: the unit in each province, 0 if none
    128     96    OWNERS: owner of the centre in each province: power + 1, 0 if nobody's or no centre
    224     96    DISLODGED: the dislodged unit in each province, 0 if none; CONTESTED in an empty province where
                  a standoff forbids retreats. All zero outside retreat phases
    320     96    ORIGINS: for a dislodged unit, province + 1 from which its attacker came overland; 0 if it came by
                  convoy. All zero outside retreat phases
    416     96    INFLUENCE: power + 1 that last moved or retreated into the province, or had it at the start; 0 if
                  nobody. Builds do not count, as in the `diplomacy` package

A unit byte is power + 1 (bits 0-3), FLEET (bit 4) and the coast 0, 1 or 2 (bits 5-6); bit 7 is CONTESTED. Powers,
provinces and coasts count as in the map; coast 1 and 2 are the shores of a split province and 0 is everything else.

Actions are int64 in the published encoding (ordering/actions.py); a batch is [B, powers, K], padded with 0 or -1.

The entry points are methods of engine/rules.py's MapRules, one per map (`rules_of(map)`). All take batches,
release the GIL and may be called from several threads at once:

    start(last_year=0)          -> state [STATE]            the first position
    legal(states)               -> actions [N], offsets [B, powers + 1]      ascending for each power
    legal_by_province(states)   -> actions [N], offsets [B, provinces + 1]   by ordered province, unsorted; a waiver
                                   is of no province and left out
    sample(states, seeds, K)    -> actions [B, powers, K]   one random legal action per orderable location
    step(states, actions)       -> states, verdicts [B, provinces]           one phase; a finished state stays as it is
    check(states, actions)      -> reasons [B, powers, K]   Reason.FINE or why an action will be ignored
    builds(states)              -> int8 [B, powers]         builds (or, negative, removals) due, in a builds phase

A verdict is a Verdict, with the bits DISLODGED, DESTROYED and PARADOX added where they apply; it stands at the
province of the ordered unit (in retreats: of the dislodged one; in builds: of the built or removed one).
"""
