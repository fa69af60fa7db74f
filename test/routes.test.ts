import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTE_ROWS } from "../relay/src/app.ts";
import { runOnManualClock } from "./clocks.ts";
import { type Harness, startHarness } from "./harness.ts";
import { tokenFor } from "./tokens.ts";

/** The rows of the table whose routes read a body of a fixed size. `media.test.ts` tests uploads. */
const ROWS = ROUTE_ROWS.flatMap(({ bytes, ...row }) =>
  typeof bytes === "number" && bytes > 0 ? [{ ...row, bytes }] : [],
);

/** The settings that switch the unsubscribe page on. No mail is sent. */
const MAIL = {
  SMTP_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "chat@shop.example",
  PUBLIC_URL: "https://chat.shop.example",
};

const { run, pass } = runOnManualClock();
let harness: Harness;
/** Headers and parameters with which the routes read the body. */
let headers: string;
let line: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  harness = await startHarness({ run, env: MAIL });
  const admin = (JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
  const login = await fetch(`${harness.url}/admin/login`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ token: admin }),
    headers: { "Sec-Fetch-Site": "same-origin" },
  });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  headers = `Host: a\r\nCookie: ${cookie}\r\nAuthorization: Bearer ${await tokenFor(harness)}\r\nOrigin: ${harness.host}\r\n`;
  const opened = await fetch(`${harness.url}/socket/lines`, { method: "POST", headers: { Origin: harness.host } });
  ({ line } = (await opened.json()) as { line: string });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await harness.stop();
});

/** Sends a request that announces a body of this length, but only `body` of it. @returns the socket and its answer until now */
async function request({ method, path }: (typeof ROWS)[number], length: number, body = "") {
  const secret = new URL(harness.callbackUrl).pathname.split("/").at(-1) ?? "";
  const address = path
    .replace(":secret", secret)
    .replace(":line", line)
    .replace("*", "messages")
    .replace(/:\w+/g, "none");
  const { port, hostname } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (part) => {
    answer += part;
  });
  const verb = method === "ALL" ? "POST" : method;
  socket.write(
    `${verb} ${address} HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  await expect.poll(() => answer).toContain("HTTP/1.1 ");
  return { socket, path, answer: () => answer.replace("HTTP/1.1 100 Continue\r\n\r\n", "") };
}

it.each(ROWS)("$method $path takes bodies of $limits, and refuses one more byte", async (row) => {
  const { answer } = await request(row, row.bytes + 1);
  await expect.poll(answer).toMatch(/^HTTP\/1.1 413 /);
  // A connection that has not said hello takes less: fallback.test.ts.
  if (row.path.startsWith("/socket/lines")) return;
  const whole = await request(row, row.bytes, "x".repeat(row.bytes));
  await expect.poll(whole.answer).toMatch(/^HTTP\/1.1 (?!413)/);
});

it("ends every request whose body is late at the time limit of its route, and not before", async () => {
  const times = [...new Set(ROWS.map(({ ms }) => ms))];
  expect(times).toEqual([30_000]);
  const late = await Promise.all(ROWS.map((row) => request(row, 10, "x")));
  const open = () => late.filter(({ socket }) => !socket.destroyed).map(({ path }) => path);
  // An answered request shows that the relay has handled all earlier ones.
  const settle = () => fetch(`${harness.url}/healthz`);
  await settle();
  pass(29_999);
  await settle();
  expect(open()).toEqual(ROWS.map(({ path }) => path));
  pass(1);
  await expect.poll(open).toEqual([]);
});
