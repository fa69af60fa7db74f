import { buffer } from "node:stream/consumers";
import { limitConcurrency } from "../base/concurrency.ts";
import type { Files } from "../files/store.ts";
import type { LaneHead } from "../records/outbox.ts";

/** The fields of a message that name its file (interface 4.5, R-233 to R-241). */
export type Attached = { mediaUrl: string; mediaContentType: string };

/** Most files in memory at once: as a data URI, a file takes three times its size. */
const PARALLEL = 4;

/**
 * Creates the function that attaches files to messages: as links that the service fetches, or as data URIs when the service cannot
 * reach the relay.
 * @param options.link returns the absolute https address of a file; undefined to send files as data URIs
 */
export function createAttachFile(options: { files: Files; link: ((key: string, type: string) => string) | undefined }) {
  const { files, link } = options;
  const limited = limitConcurrency(PARALLEL);

  async function dataUri(key: string, type: string): Promise<string | undefined> {
    const bytes = await files.get(key);
    return bytes && `data:${type};base64,${(await buffer(bytes)).toString("base64")}`;
  }

  /**
   * Calls `send` with the fields of the message's file, or with undefined when it has none.
   * @returns what `send` resolves to, or `missing` when the file's bytes were deleted
   */
  return async function attachFile<T>(head: LaneHead, send: (attached: Attached | undefined) => Promise<T>) {
    const { key, type, reaction } = head;
    if (key === null || type === null || reaction !== null) return send(undefined);
    if (link !== undefined) return send({ mediaUrl: link(key, type), mediaContentType: type });
    return limited(async () => {
      const mediaUrl = await dataUri(key, type);
      return mediaUrl === undefined ? "missing" : send({ mediaUrl, mediaContentType: type });
    });
  };
}

/** Calls a function with the file of a message; see `createAttachFile`. */
export type AttachFile = ReturnType<typeof createAttachFile>;
