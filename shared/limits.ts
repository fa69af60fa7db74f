/** Limits that the widget and the relay share. */

/** Longest text of a message in UTF-16 units. */
export const TEXT_MAX = 4_000;
/** Longest reply kept, in UTF-16 units; a longer one is cut with an ellipsis (the interface shows no limit). */
export const REPLY_MAX = 16_000;
/** Largest frame a client may send, in bytes. 4,000 units are at most 12,000 bytes of UTF-8, plus JSON escapes. */
export const FRAME_MAX = 32 * 1024;
/** Most bytes that a connection may send in total before its `hello` is complete. */
export const HELLO_MAX = 4 * 1024;
/** Time within which a connection must send its `hello`, in milliseconds. */
export const HELLO_MS = 5_000;
/** Deepest nesting of any JSON from outside: deeper values break code that walks them (RELIABILITY finding 4). */
export const DEPTH_MAX = 16;
/**
 * The relay sends at least this often. Proxies close a connection after 60 s of silence, so a ping every 60 s is too late
 * (WIDGET 3.2).
 */
export const HEARTBEAT_MS = 25_000;
/** A client that has received nothing for this long considers its connection dead. */
export const SILENCE_MS = 40_000;
/** Messages of one history page, and of the first page of a thread. */
export const PAGE_MESSAGES = 40;
/** A client that misses more changes than this starts again from the newest page. */
export const GAP_MAX = 1_000;
/** Client ids: length and alphabet. */
export const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;
/** Longest emoji of a reaction in UTF-16 units: the longest RGI sequence has 15. */
export const EMOJI_MAX = 32;
/** Longest comment on a rating, in UTF-16 units. */
export const COMMENT_MAX = 1_000;
/** Longest address of the page on which a message was written: path and query, in UTF-16 units. */
export const PAGE_ADDRESS_MAX = 512;
/** Longest title of that page, in UTF-16 units. */
export const TITLE_MAX = 200;
