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
type FrameOf<T extends RelayFrame["t"]> = Extract<RelayFrame, { t: T }>;

type VisitorState = {
  /** The relay's address, `http://…` */
  relay: string;
  site: string;
  origin: string;
  token: string | undefined;
  messages: Map<string, Message>;
  /** Frames that no `next` has taken yet. */
  inbox: RelayFrame[];
  waiting: Waiting[];
  socket: WebSocket | undefined;
  /** Resolves with the close code of the newest connection. */
  closed: Promise<number>;
  epoch: string | undefined;
  /** The newest number of the log. */
  head: number;
};

/** Resolves with the first wanted frame that no other `next` has taken, received or future. */
type Next = {
  <T extends RelayFrame = RelayFrame>(wanted: (frame: RelayFrame) => frame is T): Promise<T>;
  (wanted: (frame: RelayFrame) => boolean): Promise<RelayFrame>;
};

/** @param relay the relay's address, `http://…` */
export function createVisitor(relay: string, options: VisitorOptions = {}) {
  const visitor: VisitorState = {
    relay,
    site: options.site ?? "default",
    origin: options.origin ?? relay,
    token: options.token,
    messages: new Map<string, Message>(),
    inbox: [],
    waiting: [],
    socket: undefined,
    closed: Promise.resolve(0),
    epoch: undefined,
    head: 0,
  };

  return {
    connect: (identity: string | undefined = options.identity) => connect(visitor, identity),
    send: (text: string, id?: string, extras?: Extras) => send(visitor, text, id, extras),
    sees: (wanted: (message: Message) => boolean) => sees(visitor, wanted),
    receives: (text: string) => receives(visitor, text),
    /** Connects, sends a text, and waits for the echo that the sandbox's bot answers. */
    greet: (text = "hello") => greet(visitor, text, options.identity),
    next: ((wanted: (frame: RelayFrame) => boolean) => next(visitor, wanted)) as Next,
    write: (frame: ClientFrame) => write(visitor, frame),
    drop: () => drop(visitor),
    close: () => close(visitor),
    /** Resolves with the close code when the relay ends the connection, or has ended it. */
    ended: (): Promise<number> => visitor.closed,
    /** The log, in the order of the thread. */
    log: (): Message[] => [...visitor.messages.values()].sort((a, b) => a.pos - b.pos),
    token: (): string | undefined => visitor.token,
    head: (): number => visitor.head,
  };
}

/** Applies a frame to the log, as the widget does. */
function applyFrame(visitor: VisitorState, frame: RelayFrame): void {
  if (frame.t === "welcome") {
    visitor.token = frame.token ?? visitor.token;
    visitor.epoch = frame.epoch;
    if (frame.reset) visitor.messages.clear();
    visitor.head = frame.after;
  }
  if (frame.t === "message") {
    if (frame.after > visitor.head)
      throw new Error(`A gap: this continues from ${frame.after}, the log ends at ${visitor.head}`);
    const known = visitor.messages.get(frame.message.id);
    if (known === undefined || known.n <= frame.message.n) visitor.messages.set(frame.message.id, frame.message);
    visitor.head = Math.max(visitor.head, frame.message.n);
  }
  if (frame.t === "history") for (const message of frame.messages) visitor.messages.set(message.id, message);
}

/** Parses a frame, applies it to the log, and gives it to the first `next` that waits for it. */
function receiveFrame(visitor: VisitorState, raw: string): void {
  const parsed = parseRelayFrame(raw);
  if ("problem" in parsed) throw new Error(`The relay sent a bad frame (${parsed.problem}): ${raw}`);
  const { frame } = parsed;
  applyFrame(visitor, frame);
  const waiting = visitor.waiting.find(({ wanted }) => wanted(frame));
  if (waiting === undefined) visitor.inbox.push(frame);
  else waiting.resolve(frame);
}

/** See `Next`. */
function next<T extends RelayFrame>(visitor: VisitorState, wanted: (frame: RelayFrame) => frame is T): Promise<T>;
function next(visitor: VisitorState, wanted: (frame: RelayFrame) => boolean): Promise<RelayFrame>;
function next(visitor: VisitorState, wanted: (frame: RelayFrame) => boolean): Promise<RelayFrame> {
  const found = visitor.inbox.findIndex(wanted);
  const [frame] = found === -1 ? [] : visitor.inbox.splice(found, 1);
  if (frame !== undefined) return Promise.resolve(frame);
  return new Promise((resolve, reject) => {
    const settle =
      <T>(answer: (value: T) => void) =>
      (value: T): void => {
        clearTimeout(timer);
        visitor.waiting = visitor.waiting.filter((one) => one !== entry);
        answer(value);
      };
    const entry: Waiting = { connection: visitor.socket, wanted, resolve: settle(resolve), reject: settle(reject) };
    const timeoutError = (): Error =>
      new Error(`The expected frame did not arrive. Received: ${JSON.stringify(visitor.inbox).slice(0, 2_000)}`);
    const timer = setTimeout(() => entry.reject(timeoutError()), TIMEOUT_MS);
    visitor.waiting.push(entry);
  });
}

function write(visitor: VisitorState, frame: ClientFrame): void {
  if (visitor.socket?.readyState !== WebSocket.OPEN) throw new Error("Not connected");
  visitor.socket.send(JSON.stringify(frame));
}

/** Connects, and sends `hello` with the newest number of the log and the identity. @returns the relay's welcome */
async function connect(visitor: VisitorState, identity: string | undefined): Promise<Welcome> {
  visitor.inbox = [];
  const opened = new WebSocket(`${visitor.relay.replace(/^http/, "ws")}/socket`, {
    headers: { Origin: visitor.origin },
  });
  visitor.socket = opened;
  // Frames and the end of an earlier connection may still arrive.
  opened.on("message", (data) => visitor.socket === opened && receiveFrame(visitor, String(data)));
  await once(opened, "open");
  opened.on("error", () => opened.terminate());
  visitor.closed = new Promise((resolve) => opened.once("close", resolve));
  opened.once("close", (code) => {
    for (const one of visitor.waiting)
      if (one.connection === opened) one.reject(new Error(`The connection was closed with ${code}`));
  });
  const known = visitor.epoch === undefined ? {} : { epoch: visitor.epoch, since: visitor.head };
  const hello: Hello = {
    t: "hello",
    v: PROTOCOL,
    site: visitor.site,
    ...known,
    ...(visitor.token && { token: visitor.token }),
    ...(identity && { identity }),
  };
  write(visitor, hello);
  return next(visitor, (frame): frame is FrameOf<"welcome"> => frame.t === "welcome");
}

/**
 * Sends a text; resolves with the message once the relay has stored it.
 * @throws Error with the relay's error code when it refuses the message
 */
async function send(
  visitor: VisitorState,
  text: string,
  id: string = randomId(),
  extras: Extras = {},
): Promise<VisitorMessage> {
  write(visitor, { t: "send", id, text, ...extras });
  const answers = (frame: RelayFrame): frame is FrameOf<"message" | "error"> =>
    isMessage(frame, (message) => message.id === id) || (frame.t === "error" && frame.id === id);
  const answer = await next(visitor, answers);
  if (answer.t === "error") throw new Error(answer.code);
  const { message } = answer;
  if (message.from !== "visitor") throw new Error(`${id} was returned as a reply`);
  return message;
}

/** Resolves with a matching message, from the log or a future frame. */
async function sees(visitor: VisitorState, wanted: (message: Message) => boolean): Promise<Message> {
  const known = [...visitor.messages.values()].find(wanted);
  if (known !== undefined) return known;
  const frame = await next(visitor, (frame) => isMessage(frame, wanted));
  return (frame as FrameOf<"message">).message;
}

async function greet(visitor: VisitorState, text: string, identity: string | undefined): Promise<void> {
  await connect(visitor, identity);
  await send(visitor, text);
  await receives(visitor, `echo: ${text}`);
}

/** Waits for a reply with this text. */
const receives = async (visitor: VisitorState, text: string): Promise<Reply> =>
  (await sees(visitor, (message) => message.from === "reply" && message.text === text)) as Reply;

/** Ends the connection without a close frame, as a lost network does. */
async function drop(visitor: VisitorState): Promise<void> {
  if (visitor.socket === undefined || visitor.socket.readyState === WebSocket.CLOSED) return;
  const closed = once(visitor.socket, "close");
  visitor.socket.terminate();
  await closed;
}

/** Closes the connection with a close frame. */
async function close(visitor: VisitorState): Promise<void> {
  if (visitor.socket === undefined || visitor.socket.readyState === WebSocket.CLOSED) return;
  const closed = once(visitor.socket, "close");
  visitor.socket.close(1000);
  await closed;
}

export type Visitor = ReturnType<typeof createVisitor>;

const isMessage = (frame: RelayFrame, wanted: (message: Message) => boolean): boolean =>
  frame.t === "message" && wanted(frame.message);
