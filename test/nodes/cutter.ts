/** A proxy between relays and PostgreSQL that cuts connections at a COMMIT. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where a connection is cut: before PostgreSQL gets the COMMIT, or after it has committed. */
type CutPoint = "before" | "after";

export type Cutter = {
  port: number;
  /** Cuts the connection at every n-th COMMIT, before and after it in turn; 0: at none. */
  every: number;
  /** Called after PostgreSQL has committed, when the answer is dropped; by default nothing happens. */
  onCommitted: () => void;
  /** How many connections were cut, by the point of the cut. */
  cuts: Record<CutPoint, number>;
  /** How many of the dropped answers were about messages of visitors. */
  dropped: number;
  stop: () => Promise<void>;
};

/**
 * A message of PostgreSQL's protocol: its type, the length of the rest, and a text that ends with NUL
 * (postgresql.org/docs/current/protocol-message-formats.html).
 */
function message(type: string, text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const COMMIT = message("Q", "COMMIT");
const COMMITTED = message("C", "COMMIT");
/** The preparation of a statement that stores messages of visitors (records/threads.ts): its name, then its text. */
const PREPARED = /([0-9a-f]{40})\0INSERT INTO messages [^\0]*'visitor'/g;

/** @returns whether data of the relay stores messages of visitors */
function createInsertDetector(): (data: Buffer) => boolean {
  /** Names of the statements that do so. Every connection uses the same names. */
  const storing = new Set<string>();
  return (data) => {
    const text = data.toString("latin1");
    for (const [, name = ""] of text.matchAll(PREPARED)) storing.add(name);
    return [...storing].some((name) => text.includes(name));
  };
}

/** @param target the port of PostgreSQL on this machine */
export async function startCutter(target: number): Promise<Cutter> {
  const open = new Set<Socket>();
  let commits = 0;
  const storesMessages = createInsertDetector();
  /** Counts a COMMIT. @returns where to cut its connection */
  function nextCutPoint(): CutPoint | undefined {
    if (cutter.every === 0 || ++commits % cutter.every > 0) return undefined;
    return (commits / cutter.every) % 2 === 1 ? "before" : "after";
  }

  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    let cutPoint: CutPoint | undefined;
    /** Whether the transaction stores messages of visitors. */
    let stores = false;
    const cut = (): void => {
      for (const socket of [client, upstream]) socket.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        open.delete(socket);
        cut();
      });
    }
    client.on("data", (data: Buffer) => {
      stores = storesMessages(data) || (stores && !data.includes("BEGIN"));
      if (cutPoint === undefined && data.includes(COMMIT)) cutPoint = nextCutPoint();
      if (cutPoint !== "before") return void upstream.write(data);
      cutter.cuts.before++;
      cut();
    });
    upstream.on("data", (data: Buffer) => {
      if (cutPoint === undefined || !data.includes(COMMITTED)) return void client.write(data);
      cutter.cuts.after++;
      if (stores) cutter.dropped++;
      cut();
      cutter.onCommitted();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cutter: Cutter = {
    port: (server.address() as AddressInfo).port,
    every: 0,
    onCommitted: () => {},
    cuts: { before: 0, after: 0 },
    dropped: 0,
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return cutter;
}
