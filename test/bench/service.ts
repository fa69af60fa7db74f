/** A messaging service that answers and sends callbacks at once, so that only the relay is measured. */
import { listenForPosts } from "./wire/listener.ts";
import { createPoster, type Poster } from "./wire/poster.ts";

/** Most callbacks under way at once. */
const CALLBACKS = 64;

export type Service = {
  url: string;
  /**
   * Posts replies to this server from now on. @param keep whether connections are reused; otherwise each reply opens
   * one
   */
  callTo: (port: number, path: string, keep: boolean) => void;
  /** Posts one reply to a visitor; resolves when it was answered 200. */
  reply: (visitor: string, text: string) => Promise<void>;
  /** The senders of the messages so far, by text. */
  senders: Map<string, string>;
  close: () => void;
};

type ServiceOptions = {
  /** Answers every message with 429 and `Retry-After`, so nothing is delivered. */
  refuses?: boolean;
  /** Records the sender of each text in `senders`. */
  remembers?: boolean;
};

/** Starts a service for one server. It replies to each message with its text. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  let poster: Poster | undefined;
  let replies = 0;
  const senders = new Map<string, string>();

  async function reply(toId: string, text: string): Promise<void> {
    if (poster === undefined) throw new Error("callTo was not called, so replies have no address");
    const fields = { contactId: "c", messageId: `m${replies++}`, userId: "u", body: text, toId, channel: "website" };
    const status = await poster.post(JSON.stringify(fields));
    if (status !== 200) throw new Error(`A callback was answered ${status}`);
  }

  const listener = await listenForPosts((body, answer) => {
    if (options.refuses) return answer("429 Too Many Requests", "Retry-After: 600\r\n", '{"error":"rate limit"}');
    answer("200 OK", "", '{"success":true,"messageId":"m"}');
    const { customData } = JSON.parse(body) as { customData: { fromId: string; body: string } };
    if (options.remembers) senders.set(customData.body, customData.fromId);
    // At the end of a round the server may stop while replies are under way.
    if (poster !== undefined) void reply(customData.fromId, customData.body).catch(() => {});
  });

  return {
    url: listener.url,
    senders,
    reply,
    callTo(port, path, keep) {
      poster?.close();
      poster = createPoster({ port, path, connections: CALLBACKS, keep });
    },
    close() {
      poster?.close();
      listener.close();
    },
  };
}
