/**
 * Makes the relay keep what never ends, on many connections: `hold-process.ts <kind> <port> <clients> <most>`. Runs in a separate
 * process, so that honest visitors do not wait for the attacker's own work. Sends a `Held` to its parent process.
 */
import { connect, type Socket } from "node:net";
import { FRAME_MAX } from "../../shared/limits.ts";
import { ORIGIN, UPGRADE } from "./target.ts";

/**
 * `begun`: the number of connections that were open when all began. `open`: the number of connections on which the relay still keeps
 * something. `finished`: whether it answered a client that, before the flood, completed what it had begun. Otherwise the attack does
 * not reach the code that it is about.
 */
export type Held = { begun: number; open: number; finished: boolean };

/** A connection to the relay. */
type Client = {
  socket: Socket;
  port: number;
  /** The client's address, as the proxy reports it. */
  address: string;
  /** Writes. Resolves when the operating system has taken the data, or when the connection is closed. */
  send: (...data: (string | Buffer)[]) => Promise<void>;
  /** Resolves to all that the relay sent, in Latin-1, once it matches or the connection is closed. */
  until: (wanted: RegExp) => Promise<string>;
};

/**
 * `prepare`: opens what the attack needs. `begin`: sends what the relay must keep; all clients do it at once. `finish`: completes it.
 * `answer`: what the relay has sent then.
 */
type Attack = {
  prepare: (client: Client, token: string) => Promise<void>;
  begin: (client: Client) => Promise<void>;
  finish: (client: Client) => Promise<void>;
  answer: RegExp;
  /** Clients that share an address. */
  perAddress: number;
  /** The relay has a deadline for what it keeps. After this time (ms), which is shorter, too many open connections are a success. */
  wait: number;
};

/** The id of a connection of the HTTP fallback, in the relay's answer. */
const LINE = /"line":"([^"]+)"/;
const BODY = 60_000;
/** Requests that wait on each connection: as many as the relay accepts. */
const WAITING = 8;

/** The head of a request of the client, without its end. */
const head = (line: string, { address }: Pick<Client, "address">): string =>
  `${line} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nOrigin: ${ORIGIN}\r\n`;

/** A masked text frame of `FRAME_MAX` bytes without its last 100 (RFC 6455 section 5.2). */
const PART_OF_FRAME = Buffer.concat([
  Buffer.from([0x81, 0x80 | 126, FRAME_MAX >> 8, FRAME_MAX & 0xff, 0, 0, 0, 0]),
  Buffer.alloc(FRAME_MAX - 100, "x"),
]);

/** A `hello` as a whole masked text frame. @param token absent: as a new visitor */
function helloWith(token?: string): Buffer {
  const text = JSON.stringify({ t: "hello", v: 1, site: "default", token });
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 0xff, 0, 0, 0, 0]),
    Buffer.from(text),
  ]);
}

const upgradeFrom = ({ address }: Client): string =>
  UPGRADE.replace("Host: a", `Host: a\r\nX-Forwarded-For: ${address}`);

const ATTACKS = {
  /** A22: frames of WebSockets without their last bytes. */
  frames: {
    /** All clients have the token of one visitor, because a site limits its new visitors. */
    async prepare(client, token) {
      await client.send(upgradeFrom(client), helloWith(token));
      await client.until(/"welcome"/);
    },
    begin: (client) => client.send(PART_OF_FRAME),
    finish: (client) => client.send(Buffer.alloc(100, "x")),
    answer: /bad_frame/,
    perAddress: 10,
    wait: 8_000,
  },
  /** A24: requests with bodies behind the endless answer of the HTTP fallback. */
  waiting: {
    async prepare(client) {
      await client.send(`${head("POST /socket/lines", client)}Content-Length: 0\r\n\r\n`);
      const [, line = ""] = LINE.exec(await client.until(LINE)) ?? [];
      await client.send(`${head(`GET /socket/lines/${line}?mode=stream`, client)}\r\n`);
      await client.until(/200 OK/);
    },
    async begin(client) {
      for (let n = 0; n < WAITING; n++)
        await client.send(
          `${head("POST /socket/lines/unknown", client)}Content-Length: ${BODY}\r\n\r\n`,
          Buffer.alloc(BODY, "\n"),
        );
    },
    /** A frame that is no hello ends the answer, and the requests behind it are handled. */
    async finish(client) {
      const [, line = ""] = LINE.exec(await client.until(LINE)) ?? [];
      const other = await open(client.port, client.address);
      await other.send(`${head(`POST /socket/lines/${line}`, client)}Content-Length: 2\r\n\r\n{}`);
      await other.until(/\r\n\r\n/);
      other.socket.destroy();
    },
    answer: /404 Not Found/,
    perAddress: 10,
    wait: 20_000,
  },
  /** A24: bodies without their last byte behind a wrong callback secret, from addresses whose guesses are delayed. */
  secrets: {
    /** The relay delays an address after 60 guesses. Then as many as `perAddress` may wait, for up to five seconds. */
    async prepare(client) {
      await client.send(`${head("GET /callbacks/reply/wrong", client)}\r\n`.repeat(2));
      await client.until(/(404 Not Found.*){2}/s);
    },
    begin: (client) =>
      client.send(
        `${head("POST /callbacks/reply/wrong", client)}Content-Length: ${BODY}\r\n\r\n`,
        Buffer.alloc(BODY - 1, "x"),
      ),
    finish: (client) => client.send("x"),
    answer: /(404 Not Found.*){3}/s,
    perAddress: 50,
    wait: 3_000,
  },
} satisfies Record<string, Attack>;

export type HoldKind = keyof typeof ATTACKS;

/** Clients that begin at the same time. */
const AT_ONCE = 250;
/** Interval (ms) at which open connections are counted. */
const COUNT_MS = 50;

/** Opens a connection. Its errors are ignored: the relay may refuse or reset it. */
function open(port: number, address: string): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let read = "";
  let check = (): void => {};
  socket.on("data", (part) => {
    read += part.toString("latin1");
    check();
  });
  const client: Client = {
    socket,
    port,
    address,
    send: (...data) =>
      Promise.race([
        closed,
        new Promise<void>((resolve) => socket.write(Buffer.concat(data.map(bytesOf)), () => resolve())),
      ]),
    async until(wanted) {
      const found = new Promise<void>((resolve) => {
        check = () => wanted.test(read) && resolve();
        check();
      });
      await Promise.race([closed, found]);
      return read;
    },
  };
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(client)).on("error", () => resolve(client));
  });
}

const bytesOf = (data: string | Buffer): Buffer => (typeof data === "string" ? Buffer.from(data) : data);

/** The session token of a new visitor. */
async function newToken(port: number): Promise<string> {
  const client = await open(port, "198.51.100.1");
  await client.send(upgradeFrom(client), helloWith());
  const [, token = ""] = /"token":"([^"]+)"/.exec(await client.until(/"token":"[^"]+"/)) ?? [];
  client.socket.destroy();
  return token;
}

/** Whether a single client that completes what it began gets its answer. */
async function finishes(port: number, token: string, { prepare, begin, finish, answer }: Attack): Promise<boolean> {
  const client = await open(port, "198.51.100.1");
  await prepare(client, token);
  await begin(client);
  await finish(client);
  const read = await client.until(answer);
  client.socket.destroy();
  return answer.test(read);
}

/** The address of the client with this number. */
function addressOf(n: number, perAddress: number): string {
  const address = Math.floor(n / perAddress);
  return `198.18.${address >> 8}.${address & 255}`;
}

/** Opens all connections, then begins on all of them at once. Waits until the relay has closed all but `most`. */
async function hold(
  port: number,
  count: number,
  most: number,
  token: string,
  { prepare, begin, perAddress, wait }: Attack,
): Promise<Omit<Held, "finished">> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const from = clients.length;
    const size = Math.min(AT_ONCE, count - from);
    clients.push(
      ...(await Promise.all(Array.from({ length: size }, (_, n) => open(port, addressOf(from + n, perAddress))))),
    );
  }
  const openClients = (): number => clients.filter(({ socket }) => !socket.destroyed).length;
  await Promise.all(clients.map((client) => prepare(client, token)));
  const begun = openClients();
  await Promise.all(clients.map(begin));
  const until = performance.now() + wait;
  while (openClients() > most && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, COUNT_MS));
  const kept = openClients();
  for (const { socket } of clients) socket.destroy();
  return { begun, open: kept };
}

if (import.meta.main) {
  const [kind, port, count, most] = process.argv.slice(2);
  const attack: Attack = ATTACKS[kind as HoldKind];
  const token = await newToken(Number(port));
  const finished = await finishes(Number(port), token, attack);
  const { begun, open: kept } = await hold(Number(port), Number(count), Number(most), token, attack);
  process.send?.({ begun, open: kept, finished } satisfies Held);
  process.disconnect?.();
}
