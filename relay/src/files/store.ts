import type { Readable } from "node:stream";

/** First and last byte, both included, as in an HTTP range (RFC 9110 section 14.1.2). */
export type Span = { from: number; to: number };

/** Where the bytes of files lie. Keys are ours: letters and digits, never a part of anything that was sent. */
export interface Files {
  /** Takes the file at `path` over under `key`. Durable when it resolves; the file at `path` is gone then. */
  put(key: string, path: string, type: string): Promise<void>;
  /** The bytes; nothing when there is no such file. The caller reads the stream to its end or destroys it. */
  get(key: string, span?: Span): Promise<Readable | undefined>;
  /** Removes the bytes; a file that is not there is removed already. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}
