/**
 * Posts JSON bodies over bare TCP connections, as the messaging service posts its callbacks: on connections that are kept,
 * or on a new one each. Reduced to what a load driver needs, for the reason that `load-client.ts` gives.
 */
import { connect, type Socket } from "node:net";

export type Poster = {
  /** Posts a body; resolves with the status once the answer is complete. Waits for a free connection. */
  post: (body: string) => Promise<number>;
  /** How many connections were opened. */
  opened: () => number;
  close: () => void;
};

export type PosterOptions = {
  port: number;
  path: string;
  /** Connections at most, each with one request in flight. */
  connections: number;
  /** Whether a connection is used again. If not, the request says `Connection: close`. */
  keep: boolean;
};

type Waiting = { body: string; resolve: (status: number) => void; reject: (error: Error) => void };
type Connection = {
  socket: Socket;
  job: Waiting | undefined;
  received: Buffer;
  /** Whether the connection has carried an answer. If so, the server may close it at any moment while it is idle. */
  used: boolean;
};

const NOTHING = Buffer.alloc(0);

/** Length of the answer at the beginning of `data`; undefined while it is incomplete. */
function answerLength(data: Buffer): number | undefined {
  const end = data.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = data.toString("latin1", 0, end).toLowerCase();
  const [, length] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
  if (length !== undefined) return data.length >= end + 4 + Number(length) ? end + 4 + Number(length) : undefined;
  if (!head.includes("transfer-encoding: chunked")) return end + 4;
  const last = data.indexOf("0\r\n\r\n", end + 4);
  return last < 0 ? undefined : last + 5;
}

const closes = (head: Buffer): boolean => /\r\nconnection: close\r\n/i.test(head.toString("latin1"));

type PosterState = PosterOptions & {
  /** Open connections without a request in flight. */
  free: Connection[];
  all: Set<Connection>;
  waiting: Waiting[];
  /** Number of connections so far. */
  opened: number;
  closed: boolean;
};

/** Opens connections to a server on this machine as they are needed. */
export function createPoster(options: PosterOptions): Poster {
  const poster: PosterState = {
    ...options,
    free: [],
    all: new Set<Connection>(),
    waiting: [],
    opened: 0,
    closed: false,
  };

  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        poster.waiting.push({ body, resolve, reject });
        next(poster);
      }),
    opened: () => poster.opened,
    close() {
      poster.closed = true;
      for (const { socket } of poster.all) socket.resetAndDestroy();
    },
  };
}

const request = (poster: PosterState, body: string): string =>
  `POST ${poster.path} HTTP/1.1\r\nHost: 127.0.0.1:${poster.port}\r\nContent-Type: application/json\r\n` +
  `${poster.keep ? "" : "Connection: close\r\n"}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function start(poster: PosterState, connection: Connection, job: Waiting): void {
  connection.job = job;
  connection.socket.write(request(poster, job.body));
}

function leave(poster: PosterState, connection: Connection): void {
  poster.all.delete(connection);
  const at = poster.free.indexOf(connection);
  if (at >= 0) poster.free.splice(at, 1);
  const { job } = connection;
  connection.job = undefined;
  // The server closed the idle connection while the request was on its way, so it did not read the request: send it again
  // (RFC 9112, 9.3.1).
  if (job !== undefined && connection.used && connection.received.length === 0 && !poster.closed)
    poster.waiting.unshift(job);
  else job?.reject(new Error("The connection ended before the answer"));
  next(poster);
}

function receive(poster: PosterState, connection: Connection, chunk: Buffer): void {
  const data = connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk]);
  connection.received = data;
  const length = answerLength(data);
  if (length === undefined) return;
  connection.received = NOTHING;
  connection.used = true;
  const { job } = connection;
  connection.job = undefined;
  job?.resolve(Number(data.toString("latin1", 9, 12)));
  if (!poster.keep || closes(data.subarray(0, length))) {
    poster.all.delete(connection);
    connection.socket.destroy();
  } else poster.free.push(connection);
  next(poster);
}

function dial(poster: PosterState): Connection {
  const connection: Connection = {
    socket: connect({ host: "127.0.0.1", port: poster.port, noDelay: true }),
    job: undefined,
    received: NOTHING,
    used: false,
  };
  poster.opened++;
  poster.all.add(connection);
  connection.socket.on("data", (chunk: Buffer) => receive(poster, connection, chunk));
  connection.socket.on("error", () => {});
  connection.socket.on("close", () => leave(poster, connection));
  return connection;
}

function next(poster: PosterState): void {
  while (
    !poster.closed &&
    poster.waiting.length > 0 &&
    (poster.free.length > 0 || poster.all.size < poster.connections)
  ) {
    const job = poster.waiting.shift();
    if (job !== undefined) start(poster, poster.free.shift() ?? dial(poster), job);
  }
}
