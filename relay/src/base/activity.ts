/**
 * `visitors.active` is the time of a visitor's newest message. It moves at most this often, in milliseconds, because each move
 * costs entries in two indexes.
 */
export const ACTIVE_MS = 10_000;
