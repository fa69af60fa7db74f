import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createAdminListener } from "./admin-listener.ts";
import type { Core } from "./core.ts";

const settings = { adminListen: { host: "127.0.0.1", port: 0 } };
const core = { settings, clock: realClock } as unknown as Core;
const listener = createAdminListener(
  core,
  (_, response) => void response.end("ok"),
  () => undefined,
);
let port = 0;
beforeAll(async () => {
  port = (await listener?.start()) ?? 0;
});
afterAll(() => listener?.stop());

async function open(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** The beginning of the answer to a request with these header lines. */
async function answerTo(...lines: string[]): Promise<string> {
  const socket = await open("127.0.0.1");
  socket.write(`GET /admin HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString().slice(0, 12);
}

it("answers requests, but not those with two Host headers (A34)", async () => {
  expect([await answerTo("Host: a"), await answerTo("Host: a", "Host: b")]).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
});

it("limits the connections of one address before they send anything, and still answers others (A24)", async () => {
  const all = await Promise.all(Array.from({ length: 310 }, () => open("127.0.0.66")));
  for (const socket of all) socket.resume();
  await expect.poll(() => all.filter(({ destroyed }) => destroyed).length).toBe(10);
  expect(await answerTo("Host: a")).toBe("HTTP/1.1 200");
  for (const socket of all) socket.destroy();
});
