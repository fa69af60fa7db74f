import { fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { SLOT_USES_PER_MINUTE } from "../../relay/src/base/connection-slots.ts";
import { png } from "../../relay/src/files/samples.fixture.ts";
import { FRAME_MAX } from "../../shared/limits.ts";
import type { Result } from "./attack.ts";
import { FLOODS } from "./flood-process.ts";
import type { Held, HoldKind } from "./hold-process.ts";
import { CLIENTS, THREAD } from "./return-process.ts";
import { ORIGIN, type Target, UPGRADE } from "./target.ts";

/** Most resident memory of the relay under attack, in megabytes. */
const PEAK_MAX = 300;
/**
 * The same while 5,000 clients come back at once. Each holds 30 to 35 KB until it is greeted, beside the 160 MB of a new relay, so
 * the bound of the other attacks is not reached. A relay in 512 MB survives this.
 */
const PEAK_MAX_OF_RETURN = 400;

/** The counts of an attack. */
type Tally = { tried: number; succeeded: number };

/**
 * Runs an attack while honest visitors connect from their own addresses, one after another. The attack also succeeds when the
 * relay exceeds the memory bound.
 */
async function withHonestVisitors(
  target: Target,
  act: () => Promise<Tally>,
  peakMax = PEAK_MAX,
): Promise<Result & Required<Pick<Result, "figures">>> {
  // The first visitor waits until the relay's code is compiled, so it is not counted.
  await target.honest();
  let over = false;
  const attack = act().finally(() => {
    over = true;
  });
  const times: number[] = [];
  do {
    times.push(await target.honest());
    await new Promise((resolve) => setTimeout(resolve, 250));
  } while (!over);
  const { tried, succeeded } = await attack;
  const figures = { peakMb: target.peak(), honestMs: Math.max(...times) };
  const grown = figures.peakMb > peakMax ? 1 : 0;
  return {
    tried,
    succeeded: succeeded + grown,
    figures,
    control: `honest visitors served during the attack: ${times.length}, under a ${target.limit} of 512 MB`,
  };
}

const post = (target: Target, path: string, body = ""): Promise<Response> =>
  fetch(target.url + path, { method: "POST", body, headers: { origin: ORIGIN } });

/** A24: posts 300 MB to the HTTP fallback, in chunks without a length, five times; then many bodies without their last byte. */
export const hugePosts = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () => {
    const huge = await hugePostsAlone(target);
    const half = await halfBodies(target);
    return { tried: huge.tried + half.tried, succeeded: huge.succeeded + half.succeeded };
  });

/** A24, in few attempts: requests behind endless answers, and bodies behind a wrong secret. */
export const fewWaitingBodies = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () =>
    sumOf([await holds(target, "waiting", 60), await holds(target, "secrets", 50)]),
  );

const sumOf = (tallies: readonly Tally[]): Tally => ({
  tried: tallies.reduce((sum, { tried }) => sum + tried, 0),
  succeeded: tallies.reduce((sum, { succeeded }) => sum + succeeded, 0),
});

/** Most connections of each kind on which the relay may keep something that does not end: 16 MB of it, or nothing. */
const KEPT_MAX: Record<HoldKind, number> = { frames: 512, waiting: 26, secrets: 0 };

/**
 * Makes the relay keep what never ends, see `hold-process.ts`. Succeeds with the connections beyond `KEPT_MAX`.
 * @throws Error when the relay does not answer even a client that completes what it began
 */
async function holds(target: Target, kind: HoldKind, clients: number): Promise<Tally> {
  const program = join(import.meta.dirname, "hold-process.ts");
  const child = fork(program, [kind, ...[target.port, clients, KEPT_MAX[kind]].map(String)], { execArgv: [] });
  const exit = once(child, "exit");
  const [held] = (await Promise.race([once(child, "message"), exit])) as [Held | number];
  if (typeof held !== "object" || !held.finished) throw new Error(`The attack ${kind} does not reach the relay`);
  await exit;
  return { tried: held.begun, succeeded: Math.max(0, held.open - KEPT_MAX[kind]) };
}

/** Sends bodies of 96 KB, 288 MB in all, and holds back their last bytes. Succeeds when the memory exceeds its bound. */
async function halfBodies(target: Target): Promise<Tally> {
  const ALL = 3_000;
  const size = 3 * FRAME_MAX;
  const { line } = (await (await post(target, "/socket/lines")).json()) as { line: string };
  await post(target, `/socket/lines/${line}`, JSON.stringify({ t: "hello", v: 1, site: "default" }));
  const head = `POST /socket/lines/${line} HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nContent-Length: ${size}\r\n\r\n`;
  const body = Buffer.alloc(size - 1, "\n");
  const sockets: Socket[] = [];
  for (let n = 0; n < ALL; n++) {
    const socket = await target.raw();
    sockets.push(socket.resume());
    await new Promise((resolve) => {
      socket.once("close", resolve);
      socket.write(head);
      socket.write(body, resolve);
    });
    // All bodies begin within their deadline of 30 s. A faster flood would measure the machine's speed, not the memory.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const socket of sockets) socket.destroy();
  return { tried: ALL, succeeded: 0 };
}

async function hugePostsAlone(target: Target): Promise<Tally> {
  let succeeded = 0;
  for (let n = 0; n < 5; n++) {
    const { line } = (await (await post(target, "/socket/lines")).json()) as { line: string };
    const socket = await target.raw();
    let sent = 0;
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    socket.write(
      `POST /socket/lines/${line} HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    await new Promise<void>((resolve) => {
      const more = (): void => {
        while (!socket.destroyed && sent < 300_000_000 && socket.write(chunk)) sent += 65_536;
        if (sent >= 300_000_000) socket.destroy();
      };
      socket.on("drain", more).once("close", resolve).resume();
      more();
    });
    if (sent > 64_000_000) succeeded++;
  }
  return { tried: 5, succeeded };
}

/** A18: forty pictures of 5 MB, from four addresses, whose last bytes arrive at the same time. */
export const manyPictures = (target: Target): Promise<Result> =>
  withHonestVisitors(target, () => manyPicturesAlone(target));

async function manyPicturesAlone(target: Target): Promise<Tally> {
  const picture = png(1, 1, 5_000_000);
  const sockets: Socket[] = [];
  for (let n = 0; n < 40; n++) {
    const address = `203.0.113.${n % 4}`;
    const token = await target.token(address);
    const socket = await target.raw();
    socket.write(
      `POST /media HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nOrigin: ${ORIGIN}\r\n` +
        `Authorization: Bearer ${token}\r\nX-File-Name: a.png\r\nContent-Length: ${picture.length}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.write(picture.subarray(0, -1), resolve));
    sockets.push(socket);
  }
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(picture.subarray(-1));
      const [answer] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return answer.toString();
    }),
  );
  // If the relay took none, the attack has not reached the code that reads pictures.
  const read = answers.filter((answer) => answer.startsWith("HTTP/1.1 201")).length;
  if (read === 0) throw new Error(`The relay took no picture: ${answers[0]}`);
  return { tried: sockets.length, succeeded: 0 };
}

/** A22: a hundred WebSockets start a message, never finish it, and send a pong every second for 13 seconds. */
export const halfMessages = (target: Target): Promise<Result> =>
  withHonestVisitors(target, () => halfMessagesAlone(target));

/** A22, in few attempts: frames without their last bytes. */
export const fewHalfFrames = (target: Target): Promise<Result> =>
  withHonestVisitors(target, () => holds(target, "frames", 700));

async function halfMessagesAlone(target: Target): Promise<Tally> {
  const all = await Promise.all(Array.from({ length: 100 }, () => target.visitor()));
  for (const ws of all) ws.send("{", { fin: false });
  const drip = setInterval(() => {
    for (const ws of all) if (ws.readyState === ws.OPEN) ws.pong();
  }, 1_000);
  const closed = Promise.all(all.map((ws) => new Promise((resolve) => ws.once("close", resolve))));
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 13_000))]);
  clearInterval(drip);
  const open = all.filter((ws) => ws.readyState === ws.OPEN);
  for (const ws of open) ws.terminate();
  return { tried: all.length, succeeded: open.length };
}

/** A26: five thousand fallback connections from one address; then three thousand WebSockets, each closed immediately. */
export const manyConnections = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () => {
    const fallback = await manyFallbackConnections(target);
    const sockets = await shortSockets(target);
    return { tried: fallback.tried + sockets.tried, succeeded: fallback.succeeded + sockets.succeeded };
  });

/** Milliseconds after which the relay closes an unread fallback connection and frees its place. */
const UNREAD_MS = 40_000;

async function manyFallbackConnections(target: Target): Promise<Tally> {
  const begun = performance.now();
  let opened = 0;
  for (let n = 0; n < 5_000; n += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(target, "/socket/lines")));
    opened += answers.filter(({ status }) => status === 201).length;
    for (const answer of answers) await answer.text();
  }
  const allowed = 200 * (1 + Math.floor((performance.now() - begun) / UNREAD_MS));
  return { tried: 5_000, succeeded: Math.max(0, opened - allowed) };
}

/**
 * Opens WebSockets from one address and closes each immediately. Succeeds with sockets beyond the number that the address may
 * open.
 */
async function shortSockets(target: Target): Promise<Tally> {
  const ALL = 3_000;
  const begun = performance.now();
  let opened = 0;
  const one = (): Promise<void> =>
    target.socket("192.0.2.200").then(
      (ws) => {
        opened++;
        ws.terminate();
      },
      () => {},
    );
  for (let n = 0; n < ALL; n += 50) await Promise.all(Array.from({ length: 50 }, one));
  const perMinute = 200 * SLOT_USES_PER_MINUTE;
  const refilled = (perMinute * (performance.now() - begun)) / 60_000;
  return { tried: ALL, succeeded: Math.max(0, opened - Math.ceil(perMinute + refilled)) };
}

/** A27: forty new visitors from one address send ten messages each. */
export const manyMessages = (target: Target): Promise<Result> =>
  withHonestVisitors(target, () => manyMessagesAlone(target));

async function manyMessagesAlone(target: Target): Promise<Tally> {
  let written = 0;
  const all = await Promise.all(Array.from({ length: 40 }, () => target.visitor()));
  let answered = 0;
  await new Promise<void>((resolve) => {
    for (const [v, ws] of all.entries()) {
      ws.on("message", (data) => {
        const { t, message } = JSON.parse(String(data)) as { t: string; message?: { state?: string } };
        if (t === "message" && message?.state === "sent") written++;
        if (t === "message" || t === "error") answered++;
        if (answered === 400) resolve();
      });
      for (let n = 0; n < 10; n++) ws.send(JSON.stringify({ t: "send", id: `flood-${v}-${n}-0`, text: "buy" }));
    }
  });
  for (const ws of all) ws.terminate();
  return { tried: 400, succeeded: Math.max(0, written - 60) };
}

/**
 * A28: fifty visitors each request 75 pages of history per second, and never read the answers; then fifty HEAD requests; then five
 * thousand clients come back at once.
 */
export async function neverReads(target: Target): Promise<Result> {
  const unread = await withHonestVisitors(target, async () => {
    const sockets = await neverReadsAlone(target);
    const heads = await headRequests(target);
    return { tried: sockets.tried + heads.tried, succeeded: sockets.succeeded + heads.succeeded };
  });
  const returns = await withHonestVisitors(target, () => returnAtOnce(target), PEAK_MAX_OF_RETURN);
  return {
    tried: unread.tried + returns.tried,
    succeeded: unread.succeeded + returns.succeeded,
    figures: { ...unread.figures, honestMs: Math.max(unread.figures.honestMs, returns.figures.honestMs) },
    control: `${unread.control}; ${returns.figures.peakMb} MB while ${CLIENTS.toLocaleString("en")} clients came back`,
  };
}

/** Fifty visitors write long messages; then a hundred clients of each say hello at once without their thread. */
async function returnAtOnce(target: Target): Promise<Tally> {
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => writeThread(target, n)));
  const program = join(import.meta.dirname, "return-process.ts");
  const child = fork(program, [String(target.port), ...tokens], { execArgv: [] });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`Most returning clients did not get their thread: the process ended with ${code}`);
  return { tried: CLIENTS, succeeded: 0 };
}

/** Stores the messages of a new visitor. @returns the visitor's session token */
async function writeThread(target: Target, visitor: number): Promise<string> {
  const address = `198.19.0.${visitor}`;
  const token = await target.token(address);
  const ws = await target.socket(address);
  const welcome = once(ws, "message");
  ws.send(JSON.stringify({ t: "hello", v: 1, site: "default", token }));
  await welcome;
  let stored = 0;
  const done = new Promise<void>((resolve, reject) => {
    ws.on("message", (data) => String(data).includes('"state":"sent"') && ++stored === THREAD.messages && resolve());
    ws.once("close", reject);
  });
  const text = "ї".repeat(THREAD.bytes / 2);
  for (let n = 0; n < THREAD.messages; n++)
    ws.send(JSON.stringify({ t: "send", id: `thread-${visitor}-${n}-0`, text }));
  await done;
  ws.terminate();
  return token;
}

/** Sends HEAD requests to fallback connections: their answer has no body. Succeeds when the relay accepts one as a reader. */
async function headRequests(target: Target): Promise<Tally> {
  const ALL = 50;
  let succeeded = 0;
  for (let n = 0; n < ALL; n++) {
    const { line } = (await (await post(target, "/socket/lines")).json()) as { line: string };
    const address = `${target.url}/socket/lines/${line}?mode=${n % 2 === 0 ? "stream" : "poll"}`;
    if ((await fetch(address, { method: "HEAD", headers: { origin: ORIGIN } })).ok) succeeded++;
  }
  return { tried: ALL, succeeded };
}

async function neverReadsAlone(target: Target): Promise<Tally> {
  const all = await Promise.all(Array.from({ length: 50 }, (_, n) => target.visitor(`203.0.113.${n}`)));
  for (const [v, ws] of all.entries())
    for (let n = 0; n < 10; n++)
      ws.send(JSON.stringify({ t: "send", id: `reader-${v}-${n}-0`, text: "ї".repeat(4_000) }));
  await Promise.all(all.map((ws) => new Promise((resolve) => ws.once("message", resolve))));
  for (const ws of all) ws.pause();
  const older = JSON.stringify({ t: "older", before: 1_000 });
  const ask = setInterval(() => {
    for (const ws of all) for (let n = 0; n < 15; n++) if (ws.readyState === ws.OPEN) ws.send(older, () => {});
  }, 200);
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  clearInterval(ask);
  for (const ws of all) ws.terminate();
  return { tried: all.length, succeeded: 0 };
}

/** Waits until every socket is closed, at most `ms` milliseconds. @returns how many are still open */
async function stillOpen(sockets: readonly Socket[], ms: number): Promise<number> {
  const closed = Promise.all(
    sockets.map((socket) => socket.closed || new Promise((resolve) => socket.once("close", resolve))),
  );
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, ms))]);
  const open = sockets.filter((socket) => !socket.closed);
  for (const socket of open) socket.destroy();
  return open.length;
}

/**
 * A25, A24: six thousand connections that send most of a large header; then six hundred that send one character per second of a
 * header, a body or a first frame.
 */
export const drips = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () => {
    const headers = await incompleteHeaders(target);
    const slow = await slowConnections(target);
    return { tried: headers.tried + slow.tried, succeeded: headers.succeeded + slow.succeeded };
  });

/** Headers of 15 KB without their end, with one large field or with many small ones. Succeeds when the memory exceeds its bound. */
async function incompleteHeaders(target: Target): Promise<Tally> {
  const ALL = 6_000;
  const AT_ONCE = 50;
  const begun = `GET /healthz HTTP/1.1\r\nHost: a\r\n`;
  const texts = [`${begun}X-Large: ${"x".repeat(15_500)}`, begun + "ab: c\r\n".repeat(700)];
  const sockets: Socket[] = [];
  while (sockets.length < ALL) {
    const added = await Promise.all(Array.from({ length: AT_ONCE }, () => target.raw()));
    for (const [n, socket] of added.entries()) socket.resume().write(texts[n % texts.length] ?? "");
    sockets.push(...added);
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  for (const socket of sockets) socket.destroy();
  return { tried: ALL, succeeded: 0 };
}

async function slowConnections(target: Target): Promise<Tally> {
  const begun = [
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: `,
    `POST /socket/lines/x HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nContent-Length: 900\r\n\r\n`,
    UPGRADE,
  ];
  const sockets = await Promise.all(Array.from({ length: 600 }, () => target.raw()));
  for (const [n, socket] of sockets.entries()) socket.resume().write(begun[n % begun.length] ?? "");
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.closed && socket.writable) socket.write("x");
  }, 1_000);
  const succeeded = await stillOpen(sockets, 75_000);
  clearInterval(drip);
  return { tried: sockets.length, succeeded };
}

/**
 * A34: ten thousand connections that are reset at some point of their upgrade; then fifty with pipelined requests, and a
 * hundred refused upgrades.
 */
export const rawConnections = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () => {
    const reset = await resets(target);
    const unread = await pipelines(target);
    const refused = await refusedUpgrades(target);
    return {
      tried: reset.tried + unread.tried + refused.tried,
      succeeded: reset.succeeded + unread.succeeded + refused.succeeded,
    };
  });

/** Upgrades that the relay refuses, on connections whose client never ends its side. Succeeds when one stays open. */
async function refusedUpgrades(target: Target): Promise<Tally> {
  const sockets = await Promise.all(Array.from({ length: 100 }, () => target.raw(undefined, { allowHalfOpen: true })));
  for (const socket of sockets)
    socket.resume().write("GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  // A closed connection answers a write with a reset; a half-open one takes it.
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.closed) socket.write("x");
  }, 500);
  const succeeded = await stillOpen(sockets, 10_000);
  clearInterval(drip);
  return { tried: sockets.length, succeeded };
}

async function resets(target: Target): Promise<Tally> {
  const ALL = 10_000;
  const one = async (n: number): Promise<void> => {
    // Use a hundred addresses: the relay refuses a single address after 1,200 connections per minute.
    const socket = await target.raw(`127.0.66.${n % 100}`);
    const cut = n % 4 === 0 ? UPGRADE.length : (n * 7) % UPGRADE.length;
    await new Promise<void>((resolve) => socket.write(UPGRADE.slice(0, cut), () => resolve()));
    // Reset some before the relay has read a byte, some during its answer, some after its answer.
    if (n % 3 === 1) await new Promise((resolve) => setImmediate(resolve));
    if (n % 12 === 8) await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
    socket.resetAndDestroy();
  };
  for (let n = 0; n < ALL; n += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => one(n + i)));
  const answer = await fetch(`${target.url}/healthz`).catch(() => undefined);
  return { tried: ALL, succeeded: answer?.status === 200 ? 0 : 1 };
}

/** Fifty connections send two thousand requests each, and never read. Succeeds when a connection stays open. */
async function pipelines(target: Target): Promise<Tally> {
  const sockets = await Promise.all(Array.from({ length: 50 }, () => target.raw()));
  const requests = "GET /widget.js HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_000);
  // A write fails once the relay has closed the connection; a paused socket would not notice the end.
  for (const socket of sockets) socket.write(requests, () => socket.resume());
  return { tried: sockets.length, succeeded: await stillOpen(sockets, 10_000) };
}

/**
 * A21: oversized frames, bodies, headers and addresses, ten of each at the same time, from another process: see
 * `flood-process.ts`.
 */
export const hugeFloods = (target: Target): Promise<Result> =>
  withHonestVisitors(target, async () => {
    const child = fork(join(import.meta.dirname, "flood-process.ts"), [String(target.port)], { execArgv: [] });
    const [code] = (await once(child, "exit")) as [number];
    if (code !== 0) throw new Error(`The flooding process ended with ${code}`);
    return { tried: FLOODS, succeeded: 0 };
  });
