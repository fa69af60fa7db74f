import { WebSocket } from "ws";

/** A WebSocket to a relay that sends anything, and records the answers. */
export type RawClient = {
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

export type RawClientOptions = { origin?: string; address?: string; path?: string };

/** Opens a connection. @returns undefined when the relay refuses the upgrade */
export async function openRawClient(relay: string, options: RawClientOptions = {}): Promise<RawClient | undefined> {
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
      const check = (): void => {
        if (ended === 0 && !frames.some(wanted)) return;
        listeners.delete(check);
        resolve();
      };
      listeners.add(check);
      check();
    });
  const send = (data: string | Uint8Array): void => socket.send(data, { binary: false }, () => {});
  return { socket, frames, send, until, code: () => ended, closed, end: () => socket.terminate() };
}

/** Sends `hello`. Resolves to the relay's `welcome`, or to undefined if it ends the connection. */
export async function greet(client: RawClient, hello: object = {}): Promise<Record<string, unknown> | undefined> {
  client.send(JSON.stringify({ t: "hello", v: 1, site: "default", ...hello }));
  await client.until((frame) => frame.includes('"t":"welcome"'));
  const welcome = client.frames.find((frame) => frame.includes('"t":"welcome"'));
  return welcome === undefined ? undefined : (JSON.parse(welcome) as Record<string, unknown>);
}

/** Resolves when the relay has handled everything sent so far: it answers in order. */
export async function settled(client: RawClient): Promise<void> {
  const before = client.frames.length;
  client.send('{"t":"ping"}');
  await client.until((frame) => client.frames.lastIndexOf(frame) >= before && frame.includes('"t":"pong"'));
}
