/**
 * A scripted visitor over a real WebSocket. It keeps its log like the widget: messages by id. It checks `after` on every frame,
 * so a gap in the numbers fails the test that caused it.
 */

import { once } from "node:events";
import { WebSocket } from "ws";
import { randomId } from "../shared/id.ts";
import { parseRelayFrame } from "../shared/parse.ts";
import {
  type ClientFrame,
  type Hello,
  type Message,
  PROTOCOL,
  type RelayFrame,
  type Reply,
  type Send,
  type VisitorMessage,
  type Welcome,
} from "../shared/protocol.ts";

export type VisitorOptions = { site?: string; origin?: string; token?: string; identity?: string };
/** Optional fields of a message besides its text. */
export type Extras = Omit<Partial<Send>, "t" | "id" | "text">;

/**
 * Time limit for an expected frame, in milliseconds: the same as for a poll in vitest.config.ts. The error lists the received
 * frames.
 */
const TIMEOUT_MS = 120_000;

type Waiting = {
  /** The connection on which the frame is expected; undefined: not connected yet. */
  connection: WebSocket | undefined;
  wanted: (frame: RelayFrame) => boolean;
  resolve: (frame: RelayFrame) => void;
  reject: (error: Error) => void;
};
type Kind<T extends RelayFrame["t"]> = Extract<RelayFrame, { t: T }>;

/** @param relay the relay's address, `http://…` */
export function createVisitor(relay: string, options: VisitorOptions = {}) {
  const { site = "default", origin = relay } = options;
  let { token } = options;
  const messages = new Map<string, Message>();
  /** Frames that no `next` has taken yet. */
  let inbox: RelayFrame[] = [];
  let waiting: Waiting[] = [];
  let socket: WebSocket | undefined;
  /** Resolves with the close code of the newest connection. */
  let closed = Promise.resolve(0);
  let epoch: string | undefined;
  let head = 0;

  /** Applies a frame to the log, as the widget does. */
  function keep(frame: RelayFrame): void {
    if (frame.t === "welcome") {
      token = frame.token ?? token;
      epoch = frame.epoch;
      if (frame.reset) messages.clear();
      head = frame.after;
    }
    if (frame.t === "message") {
      if (frame.after > head) throw new Error(`A gap: this continues from ${frame.after}, the log ends at ${head}`);
      const known = messages.get(frame.message.id);
      if (known === undefined || known.n <= frame.message.n) messages.set(frame.message.id, frame.message);
      head = Math.max(head, frame.message.n);
    }
    if (frame.t === "history") for (const message of frame.messages) messages.set(message.id, message);
  }

  function take(raw: string): void {
    const parsed = parseRelayFrame(raw);
    if ("problem" in parsed) throw new Error(`The relay sent a bad frame (${parsed.problem}): ${raw}`);
    const { frame } = parsed;
    keep(frame);
    const taker = waiting.find(({ wanted }) => wanted(frame));
    if (taker === undefined) inbox.push(frame);
    else taker.resolve(frame);
  }

  /** Resolves with the first wanted frame that no other `next` has taken, received or future. */
  function next<T extends RelayFrame = RelayFrame>(wanted: (frame: RelayFrame) => frame is T): Promise<T>;
  function next(wanted: (frame: RelayFrame) => boolean): Promise<RelayFrame>;
  function next(wanted: (frame: RelayFrame) => boolean): Promise<RelayFrame> {
    const found = inbox.findIndex(wanted);
    const [frame] = found === -1 ? [] : inbox.splice(found, 1);
    if (frame !== undefined) return Promise.resolve(frame);
    return new Promise((resolve, reject) => {
      const give =
        <T>(answer: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          waiting = waiting.filter((one) => one !== entry);
          answer(value);
        };
      const entry: Waiting = { connection: socket, wanted, resolve: give(resolve), reject: give(reject) };
      const inVain = (): Error =>
        new Error(`The expected frame did not arrive. Received: ${JSON.stringify(inbox).slice(0, 2_000)}`);
      const timer = setTimeout(() => entry.reject(inVain()), TIMEOUT_MS);
      waiting.push(entry);
    });
  }

  function write(frame: ClientFrame): void {
    if (socket?.readyState !== WebSocket.OPEN) throw new Error("Not connected");
    socket.send(JSON.stringify(frame));
  }

  /** Connects, and sends `hello` with the newest number of the log and the identity. @returns the relay's welcome */
  async function connect(identity = options.identity): Promise<Welcome> {
    inbox = [];
    const opened = new WebSocket(`${relay.replace(/^http/, "ws")}/socket`, { headers: { Origin: origin } });
    socket = opened;
    // Frames and the end of an earlier connection may still arrive.
    opened.on("message", (data) => socket === opened && take(String(data)));
    await once(opened, "open");
    opened.on("error", () => opened.terminate());
    closed = new Promise((resolve) => opened.once("close", resolve));
    opened.once("close", (code) => {
      for (const one of waiting)
        if (one.connection === opened) one.reject(new Error(`The connection was closed with ${code}`));
    });
    const known = epoch === undefined ? {} : { epoch, since: head };
    const hello: Hello = {
      t: "hello",
      v: PROTOCOL,
      site,
      ...known,
      ...(token && { token }),
      ...(identity && { identity }),
    };
    write(hello);
    return next((frame): frame is Kind<"welcome"> => frame.t === "welcome");
  }

  /**
   * Sends a text; resolves with the message once the relay has stored it.
   * @throws Error with the relay's error code when it refuses the message
   */
  async function send(text: string, id: string = randomId(), extras: Extras = {}): Promise<VisitorMessage> {
    write({ t: "send", id, text, ...extras });
    const answers = (frame: RelayFrame): frame is Kind<"message" | "error"> =>
      isMessage(frame, (message) => message.id === id) || (frame.t === "error" && frame.id === id);
    const answer = await next(answers);
    if (answer.t === "error") throw new Error(answer.code);
    const { message } = answer;
    if (message.from !== "visitor") throw new Error(`${id} was returned as a reply`);
    return message;
  }

  /** Resolves with a matching message, from the log or a future frame. */
  async function sees(wanted: (message: Message) => boolean): Promise<Message> {
    const known = [...messages.values()].find(wanted);
    if (known !== undefined) return known;
    const frame = await next((frame) => isMessage(frame, wanted));
    return (frame as Kind<"message">).message;
  }

  /** Waits for a reply with this text. */
  const receives = async (text: string): Promise<Reply> =>
    (await sees((message) => message.from === "reply" && message.text === text)) as Reply;

  /** Ends the connection without a close frame, as a lost network does. */
  async function drop(): Promise<void> {
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = once(socket, "close");
    socket.terminate();
    await closed;
  }

  /** Closes the connection with a close frame. */
  async function close(): Promise<void> {
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = once(socket, "close");
    socket.close(1000);
    await closed;
  }

  return {
    connect,
    send,
    sees,
    receives,
    next,
    write,
    drop,
    close,
    /** Resolves with the close code when the relay ends the connection, or has ended it. */
    ended: (): Promise<number> => closed,
    /** The log, in the order of the thread. */
    log: (): Message[] => [...messages.values()].sort((a, b) => a.pos - b.pos),
    token: (): string | undefined => token,
    head: (): number => head,
  };
}

export type Visitor = ReturnType<typeof createVisitor>;

const isMessage = (frame: RelayFrame, wanted: (message: Message) => boolean): boolean =>
  frame.t === "message" && wanted(frame.message);
