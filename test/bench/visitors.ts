import { ORIGIN, type Server } from "./server.ts";
import { type LoadClient, openLoadClient } from "./wire/load-client.ts";

/** A connected visitor. */
export type Visitor = {
  /** The id under which the service knows the visitor, if the server tells it. */
  id: string;
  send: (text: string) => void;
  /** Sends a frame that a bare server returns as it is. */
  echo: (text: string) => void;
  cut: () => void;
};

/** Called with what a visitor receives: the acknowledgement of an own message, or a reply, with its text. */
export type OnMessage = (what: "acknowledged" | "reply", text: string) => void;

/** What a client reconnects with: its token, the epoch of the database, and the newest number it has. */
export type Known = { token?: string; epoch?: string; since?: number };

export type ConnectOptions = {
  onMessage?: OnMessage;
  known?: Known;
  /** Called with each frame as it came. */
  onText?: (text: string) => void;
};

/** The protocol of a server: plain frames, or Socket.IO 4 over Engine.IO 4. */
type Protocol = {
  path: string;
  open: (client: LoadClient, known: Known) => void;
  message: (id: string, text: string) => string;
  welcome: string;
};

const FRAMES: Protocol = {
  path: "/socket",
  open: (client, known) => client.send(JSON.stringify({ t: "hello", v: 1, site: "default", ...known })),
  message: (id, text) => `{"t":"send","id":"${id}","text":"${text}"}`,
  welcome: '{"t":"welcome"',
};
const SOCKET_IO: Protocol = {
  path: "/socket.io/?EIO=4&transport=websocket",
  open: (client) => client.send("40"),
  message: (id, text) => `42["message",{"id":"${id}","text":"${text}"}]`,
  welcome: '42["welcome"',
};

/** Servers limit each address, so each visitor has its own, from 127.0.1.1 on. */
const addressOf = (number: number): string => `127.0.${1 + (Math.floor(number / 250) % 250)}.${1 + (number % 250)}`;
let visitors = 0;
let messages = 0;

/** The text of a message frame. The load's texts contain nothing that JSON escapes. */
function textIn(frame: string): string {
  const from = frame.indexOf('"text":"') + 8;
  return frame.slice(from, frame.indexOf('"', from));
}

function reportFrame(frame: string, onMessage: OnMessage): void {
  if (frame.includes('"from":"reply"')) onMessage("reply", textIn(frame));
  else if (frame.includes('"from":"visitor"')) onMessage("acknowledged", textIn(frame));
  else if (frame.startsWith('{"t":"echo"')) onMessage("acknowledged", textIn(frame));
}

/** Connects a visitor and sends `hello`. Resolves after `welcome`. */
export function connect({ kind, port }: Pick<Server, "kind" | "port">, options: ConnectOptions = {}): Promise<Visitor> {
  const { onMessage = () => {}, known = {}, onText } = options;
  const protocol = kind === "naive" ? SOCKET_IO : FRAMES;
  return new Promise((resolve, reject) => {
    let client: LoadClient | undefined;
    const nextId = (): string => `bench${(messages++).toString(36).padStart(11, "0")}`;
    function onFrame(text: string): void {
      onText?.(text);
      if (text.startsWith(protocol.welcome)) return welcome(text);
      if (kind === "naive" && text === "2") return client?.send("3");
      reportFrame(text, onMessage);
    }
    function welcome(text: string): void {
      if (client === undefined) return;
      const { send, cut } = client;
      const [, id = ""] = /"visitor":"([^"]+)"/.exec(text) ?? [];
      resolve({
        id,
        send: (text) => send(protocol.message(nextId(), text)),
        echo: (text) => send(`{"t":"echo","id":"${nextId()}","text":"${text}"}`),
        cut,
      });
    }
    openLoadClient({
      port,
      path: protocol.path,
      origin: ORIGIN,
      from: addressOf(visitors++),
      onText: onFrame,
      onClose: () => reject(new Error("The server ended the connection")),
    }).then((opened) => {
      client = opened;
      protocol.open(opened, known);
    }, reject);
  });
}

/** Runs `make` for 0 to `count - 1`, at most `width` at a time; resolves with the results in order. */
export async function inParallel<T>(count: number, width: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next++;
      results[i] = await make(i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
  return results;
}
