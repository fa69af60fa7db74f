import type { Readable } from "node:stream";

/** First and last byte, both included, as in an HTTP range (RFC 9110 section 14.1.2). */
export type ByteRange = { from: number; to: number };

/**
 * Stores the bytes of files. The relay generates the keys, of letters and digits; they never contain anything from a client.
 */
export interface Files {
  /** Moves the file at `path` into the store under `key`. Durable when it resolves. @param type MIME type */
  put(key: string, path: string, type: string): Promise<void>;
  /** Opens a file. The caller must read the stream to its end or destroy it. @returns undefined when the file does not exist */
  get(key: string, span?: ByteRange): Promise<Readable | undefined>;
  /** Removes a file, if it exists. */
  remove(key: string): Promise<void>;
  /** Closes the connections to the store. */
  close(): Promise<void>;
}
