/** The relay's end of a connection, scripted by the test: it records the client's frames and sends frames to the client. */

import { parseClientFrame } from "@porchlight/shared/parse";
import type { ClientFrame, Message, RelayFrame, Reply, VisitorMessage, Welcome } from "@porchlight/shared/protocol";
import type { OpenTransport } from "./connection.ts";

/** One connection of the client, at the relay's end. */
export type Wire = {
  /** Frames of the client, parsed as the relay parses them. */
  readonly sent: ClientFrame[];
  /** Whether the client has closed the connection. */
  readonly closed: boolean;
  open(): void;
  deliver(frame: RelayFrame): void;
  close(code: number): void;
};

export type Script = {
  connect: OpenTransport;
  /** Every attempted connection, oldest first. */
  readonly wires: Wire[];
  /** The newest connection. */
  readonly wire: Wire;
  /** Opens the newest connection, and answers its `hello`. */
  greet(welcome?: { [Field in keyof Welcome]?: Welcome[Field] | undefined }): Wire;
};

/** The answer to the `hello` of a visitor without messages. */
export const WELCOME: Welcome = {
  t: "welcome",
  v: 1,
  now: 1_700_000_000_000,
  epoch: "e1",
  after: 0,
  head: 0,
  reset: true,
  older: false,
  read: 0,
  delivery: "ok",
};

/** The relay's end without connections. `connect` is the transport for the client. */
export function createScript(): Script {
  const wires: Wire[] = [];
  const script: Script = {
    wires,
    get wire() {
      const last = wires.at(-1);
      if (!last) throw new Error("No client has connected");
      return last;
    },
    connect(events) {
      const sent: ClientFrame[] = [];
      let closed = false;
      wires.push({
        sent,
        get closed() {
          return closed;
        },
        open: events.open,
        deliver: (frame) => events.frame(JSON.stringify(frame)),
        close: events.close,
      });
      return {
        send(text) {
          const parsed = parseClientFrame(text);
          if ("problem" in parsed) throw new Error(`The client sent a bad frame (${parsed.problem}): ${text}`);
          sent.push(parsed.frame);
        },
        close() {
          closed = true;
        },
      };
    },
    greet(welcome = {}) {
      const { wire } = script;
      wire.open();
      wire.deliver({ ...WELCOME, token: "token-1", ...welcome } as Welcome);
      return wire;
    },
  };
  return script;
}

const entry = (n: number, text: string) => ({ pos: n, n, at: 1_700_000_000_000 + n, text });

/** A reply that took number `n` of the log. */
export const replyOf = (n: number, more: Partial<Reply> = {}): Reply => ({
  id: `reply-${n}`,
  from: "reply",
  ...entry(n, `answer ${n}`),
  ...more,
});

/** A visitor's message that took number `n` of the log, in the state `sent`. */
export const sentOf = (id: string, n: number, more: Partial<VisitorMessage> = {}): VisitorMessage => ({
  id,
  from: "visitor",
  state: "sent",
  ...entry(n, `question ${n}`),
  ...more,
});

/** The frame of a message. By default it continues from the number before the message. */
export const frameOf = (message: Message, after = message.n - 1): RelayFrame => ({ t: "message", after, message });

/** The frames of one kind. */
export const only = <T extends ClientFrame["t"]>(frames: ClientFrame[], kind: T) =>
  frames.filter((frame): frame is Extract<ClientFrame, { t: T }> => frame.t === kind);
