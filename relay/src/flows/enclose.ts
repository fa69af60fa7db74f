import { buffer } from "node:stream/consumers";
import type { Files } from "../files/store.ts";
import { typeOf } from "../files/types.ts";
import type { Head } from "../records/outbox.ts";

/** How a message's file is put to the service (interface 4.5, R-233 to R-241). */
export type Enclosed = { mediaUrl: string; mediaContentType: string };

/** The words of a picture without words: the service takes no empty body. */
export function bodyOf({ text, type, name }: Pick<Head, "text" | "type" | "name">): string {
  if (text !== "" || type === null) return text;
  const [kind = ""] = type.split("/");
  return `[${["image", "audio", "video"].includes(kind) && typeOf(type).inline ? kind : "file"}] ${name}`;
}

/** Files read into memory at once: inside a message, one takes three times its size. */
const PARALLEL = 4;

/**
 * Puts files into messages: as links that the service fetches, or as data URIs where it could fetch nothing from us.
 * @param options.link absolute https address of a file; nothing when files travel inside messages
 */
export function createEnclose(options: { files: Files; link: ((key: string, type: string) => string) | undefined }) {
  const { files, link } = options;
  const waiting: (() => void)[] = [];
  let reading = 0;

  /** At most `PARALLEL` at a time, in order of arrival. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (reading >= PARALLEL) await new Promise<void>((resolve) => waiting.push(resolve));
    else reading++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) reading--;
      else next();
    }
  }

  async function dataUri(key: string, type: string): Promise<string | undefined> {
    const bytes = await files.get(key);
    return bytes && `data:${type};base64,${(await buffer(bytes)).toString("base64")}`;
  }

  /**
   * Calls `carry` with the fields of the message's file; without any when it has none.
   * @returns what `carry` resolves to, or `missing` when the file's bytes are gone
   */
  return async function enclose<T>(head: Head, carry: (enclosed: Enclosed | undefined) => Promise<T>) {
    const { key, type, reaction } = head;
    if (key === null || type === null || reaction !== null) return carry(undefined);
    if (link !== undefined) return carry({ mediaUrl: link(key, type), mediaContentType: type });
    return inTurn(async () => {
      const mediaUrl = await dataUri(key, type);
      return mediaUrl === undefined ? "missing" : carry({ mediaUrl, mediaContentType: type });
    });
  };
}

export type Enclose = ReturnType<typeof createEnclose>;
