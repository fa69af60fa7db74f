import { WebSocket } from "ws";

/** A WebSocket to a relay that sends anything, and records the answers. */
export type Line = {
  socket: WebSocket;
  /** Every received frame, as text. */
  frames: string[];
  /** Sends text or bytes as one message. */
  send: (data: string | Uint8Array) => void;
  /** Resolves when a matching frame has arrived, or the connection has ended. */
  until: (wanted: (frame: string) => boolean) => Promise<void>;
  /** The close code of the relay; 0 while the connection is open. */
  code: () => number;
  closed: Promise<number>;
  end: () => void;
};

export type LineOptions = { origin?: string; address?: string; path?: string };

/** Opens a connection. @returns undefined when the relay refuses the upgrade */
export async function openLine(relay: string, options: LineOptions = {}): Promise<Line | undefined> {
  const { origin, address, path = "/socket" } = options;
  const headers = {
    ...(origin !== undefined && { Origin: origin }),
    ...(address !== undefined && { "X-Forwarded-For": address }),
  };
  const socket = new WebSocket(`${relay.replace(/^http/, "ws")}${path}`, { headers });
  const frames: string[] = [];
  const listeners = new Set<() => void>();
  let ended = 0;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  socket.on("message", (data) => {
    frames.push(String(data));
    changed();
  });
  const closed = new Promise<number>((resolve) =>
    socket.once("close", (code) => {
      ended = code;
      changed();
      resolve(code);
    }),
  );
  const open = await new Promise<boolean>((resolve) => {
    socket.once("open", () => resolve(true));
    socket.on("error", () => resolve(false));
  });
  if (!open) return undefined;
  const until = (wanted: (frame: string) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (ended === 0 && !frames.some(wanted)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
  const send = (data: string | Uint8Array): void => socket.send(data, { binary: false }, () => {});
  return { socket, frames, send, until, code: () => ended, closed, end: () => socket.terminate() };
}

/** Sends `hello`. Resolves to the relay's `welcome`, or to undefined if it ends the connection. */
export async function greet(line: Line, hello: object = {}): Promise<Record<string, unknown> | undefined> {
  line.send(JSON.stringify({ t: "hello", v: 1, site: "default", ...hello }));
  await line.until((frame) => frame.includes('"t":"welcome"'));
  const welcome = line.frames.find((frame) => frame.includes('"t":"welcome"'));
  return welcome === undefined ? undefined : (JSON.parse(welcome) as Record<string, unknown>);
}

/** Resolves when the relay has handled everything sent so far: it answers in order. */
export async function settled(line: Line): Promise<void> {
  const before = line.frames.length;
  line.send('{"t":"ping"}');
  await line.until((frame) => line.frames.lastIndexOf(frame) >= before && frame.includes('"t":"pong"'));
}
