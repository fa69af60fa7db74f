/**
 * WebSocket text frames of a server as strings of bytes (Latin-1). Node.js writes such a string faster than several buffers,
 * and strings are joined without copying.
 */

/** First byte of an unfragmented text frame (RFC 6455, 5.2). */
const TEXT = "\x81";
/** A whole ping frame without a payload. */
export const PING = "\x89\x00";
/** Longest payload whose length fits into the second byte of a frame, and longest one whose length fits into the next two bytes. */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;
/** Second byte: the length is in the next two bytes, or in the next eight. */
const LENGTH_16 = "\x7e";
const LENGTH_64 = "\x7f";

/** A number as bytes, the highest first. */
const bytesOf = (number: number, count: number): string =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(Math.floor(number / 256 ** (count - 1 - i)) & 0xff)).join(
    "",
  );

/** The length of an unmasked frame's payload, as the frame's second byte and the bytes after it (RFC 6455, 5.2). */
function lengthOf(size: number): string {
  if (size <= SHORT_MAX) return String.fromCharCode(size);
  if (size <= MEDIUM_MAX) return LENGTH_16 + String.fromCharCode(size >> 8, size & 0xff);
  return LENGTH_64 + bytesOf(size, 8);
}

/** A text frame of at most `SHORT_MAX` characters, all of them ASCII. */
export const asciiFrame = (text: string): string => TEXT + String.fromCharCode(text.length) + text;

/** A text frame, not masked, as a server sends it. */
export function textFrame(text: string): string {
  const size = Buffer.byteLength(text);
  // Only ASCII has as many bytes as UTF-16 units.
  const payload = size === text.length ? text : Buffer.from(text).toString("latin1");
  return TEXT + lengthOf(size) + payload;
}
