import type { Result } from "./attack.ts";
import { ORIGIN, type Target } from "./target.ts";

const PEAK_MAX = 300;
const HONEST_MAX = 1_000;

/** Judges a relay after an attack: it may have grown so far, and answers an honest visitor in time. */
async function judged(target: Target, tried: number, through: number): Promise<Result> {
  const [ms, peak] = [await target.honest(), target.peak()];
  const failed = (peak > PEAK_MAX ? 1 : 0) + (ms > HONEST_MAX ? 1 : 0);
  return { tried, through: through + failed, control: `honest message in ${ms} ms, peak ${peak} MB` };
}

const post = (target: Target, path: string, body = ""): Promise<Response> =>
  fetch(target.url + path, { method: "POST", body, headers: { origin: ORIGIN } });

/** A24: 300 MB to the fallback's post, in chunks without a length, five times. */
export async function hugePosts(target: Target): Promise<Result> {
  let through = 0;
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
    if (sent > 64_000_000) through++;
  }
  return judged(target, 5, through);
}

/** A22: a hundred WebSockets begin a message, never end it, and drip on for 13 seconds. */
export async function halfMessages(target: Target): Promise<Result> {
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
  return judged(target, all.length, open.length);
}

/** A26: five thousand lines of the fallback from one address. */
export async function manyLines(target: Target): Promise<Result> {
  let opened = 0;
  for (let n = 0; n < 5_000; n += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(target, "/socket/lines")));
    opened += answers.filter(({ status }) => status === 201).length;
    for (const answer of answers) await answer.text();
  }
  return judged(target, 5_000, Math.max(0, opened - 200));
}

/** A27: forty fresh visitors of one address send ten messages each. */
export async function manyMessages(target: Target): Promise<Result> {
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
  return judged(target, 400, Math.max(0, written - 60));
}

/** A28: fifty visitors ask for pages of history, 75 a second, and read nothing. */
export async function neverReads(target: Target): Promise<Result> {
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
  const result = await judged(target, all.length, 0);
  for (const ws of all) ws.terminate();
  return result;
}
