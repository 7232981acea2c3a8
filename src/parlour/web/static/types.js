// Types of the server's messages to pages. Python makes these values in parlour.core.pictures and parlour.web.

/** @typedef {[string, Record<string, string | number>, Array<Mark | string>?]} Mark */

/**
 * @typedef {object} Place
 * @property {string} name
 * @property {[number, number]} at
 * @property {string} [kind]
 * @property {[number, number]} [dislodged]
 * @property {[number, number]} [centre]
 * @property {Record<string, {name: string, at: [number, number], dislodged: [number, number]}>} [coasts]
 * @property {string} [home]
 * @property {string} [daide]
 * @property {string[]} [seas]
 */

/** @typedef {{title: string, tag?: string, unit: string, land?: string, line?: string, detail?: string, symbol?: string}} SeatLook */

/**
 * @typedef {object} Sheet
 * @property {string} key
 * @property {[number, number, number, number]} view
 * @property {Array<["image" | "marks" | "canvas", string]>} layers
 * @property {Record<string, Record<string, string>>} paints
 * @property {Mark[]} [defs]
 * @property {Record<string, string>} [outlines]
 * @property {Record<string, Mark[]>} [bare]
 * @property {Record<string, string>} [images]
 * @property {Record<string, string>} [transforms]
 * @property {Record<string, Place>} [places]
 * @property {Record<string, SeatLook>} [seats]
 * @property {boolean} [after]
 */

/**
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} title
 * @property {string} stage
 * @property {Record<string, Mark[] | null>} layers
 * @property {Record<string, Record<string, number>>} [scores]
 * @property {Record<string, any>} [facts]
 */

/**
 * @typedef {object} ActionResult
 * @property {string} seat
 * @property {string} text
 * @property {string} [verdict]
 * @property {boolean} [failed]
 * @property {string} [why]
 * @property {string} [place]
 * @property {boolean} [default]
 * @property {Record<string, Mark>} [layers]
 */

/** @typedef {{results: ActionResult[], moved?: Array<[string, string]>}} Turning */

/**
 * @typedef {object} Offer
 * @property {number} number
 * @property {string} proposer
 * @property {string[]} to
 * @property {string} text
 * @property {string} english
 * @property {string} state
 * @property {number} turn
 * @property {Record<string, string>} [replies]
 */

/**
 * @typedef {object} Pact
 * @property {number} number
 * @property {number} proposal
 * @property {string[]} parties
 * @property {string} english
 * @property {string} text
 * @property {string} state
 * @property {number} since
 * @property {number | null} [ended]
 * @property {Record<string, Mark[]>} [layers]
 * @property {string[]} [places]
 * @property {Array<[string, string]>} [orders]  what each seat is to order in its turn
 */

/** @typedef {{pact: number, seat: string, status: string, sentence: string, layers?: Record<string, Mark>, kind?: string}} Judged */

/**
 * The classes of a seat's promises, as far as this page's view knows its sealed plans.
 * @typedef {object} Honesty
 * @property {string} seat
 * @property {Record<string, number>} classes
 * @property {number} [lies]
 * @property {number} [false]
 * @property {number | null} [as_sealed]
 * @property {boolean} [reliable]
 */

/** @typedef {{event: string, at: number} & Record<string, any>} GameEvent */

/**
 * @typedef {object} Extra
 * @property {Frame} [frame]
 * @property {Frame} [before]
 * @property {[string, string]} [old]
 * @property {Turning} [turn]
 * @property {ActionResult[]} [plan]
 * @property {Record<string, any>} [choices]
 * @property {{english: string, tokens: string, kind: string, prose?: string}} [said]
 * @property {number} [about]
 * @property {Offer[]} [offers]
 * @property {Pact[]} [pacts]
 * @property {Judged[]} [judged]
 * @property {Honesty[]} [honesty]
 */

/**
 * @typedef {object} SeatRow
 * @property {string} seat
 * @property {string | null} name
 * @property {string} player_type
 * @property {boolean} present
 * @property {boolean} removed
 * @property {boolean} acted
 * @property {boolean} wait
 * @property {string} ballot
 * @property {number | null} deadline
 */

/**
 * @typedef {object} TableChanges
 * @property {"forming" | "running" | "paused" | "over"} [status]
 * @property {number} [turn]
 * @property {string} [stage]
 * @property {string[]} [to_act]
 * @property {number | null} [window_until]
 * @property {number} [in_favour]
 * @property {boolean} [sealing]
 * @property {{reason: string, places: string[][], scores: Record<string, number>} | null} [outcome]
 * @property {SeatRow[]} [seats]  all of them, in their order
 * @property {SeatRow[]} [rows]  those that have changed
 */

/** @typedef {{k: number, e: GameEvent, x?: Extra, t?: TableChanges}} Telling */

/**
 * @typedef {object} MatchHead
 * @property {string} game
 * @property {Sheet} sheet
 * @property {Telling[]} past
 * @property {string} [title]
 * @property {string[]} [seats]
 * @property {string} [role]
 * @property {boolean} [live]
 * @property {Record<string, any>} [about]
 * @property {TableChanges} [table]
 */

export {};
