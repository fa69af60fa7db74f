import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLog } from "../base/log.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createLinks } from "../files/links.ts";
import { addMedia } from "../records/media.ts";
import { type MediaDeps, media } from "./media.ts";

const KEY = "a".repeat(26);
const ORIGIN = "https://shop.example";
let db: Database;
let app: Hono;
const links = createLinks("signing key of the tests", () => 0);

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  const deps = {
    db,
    files: { get: async () => Readable.from(["<script>alert(1)</script>"]) },
    uploads: { take: () => Promise.reject(new Error("nobody may upload")) },
    links,
    log: silentLog,
    allows: (origin: string) => origin === ORIGIN,
    findByToken: async () => undefined,
    wait: () => 0,
  } as unknown as MediaDeps;
  app = media(deps) as unknown as Hono;
});
afterEach(() => db.close());

async function download(type: string, { name = "a file", link = links.to(KEY, type) } = {}): Promise<Response> {
  const row = { key: KEY, name, type, size: 25, width: null, height: null };
  await db.transaction((tx) => addMedia(tx, { ...row, visitor: "v_1", site: "default", now: 0 }));
  return app.request(link);
}

it("an uploaded file is sent with a fixed type, and with headers under which no browser runs it (A17)", async () => {
  const { status, headers } = await download("image/gif");
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "image/gif",
    "x-content-type-options": "nosniff",
    "content-security-policy":
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'",
    "content-disposition": expect.stringMatching(/^inline/),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
});

it("browsers save a file that may hold scripts instead of showing it (A17)", async () => {
  expect((await download("application/pdf")).headers.get("content-disposition")).toMatch(/^attachment/);
});

it("text is sent as UTF-8, so that no other encoding turns it into markup (A17)", async () => {
  const { headers } = await download("text/plain");
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(headers.get("content-disposition")).toMatch(/^attachment/);
});

it("a file is not found without its link's own signature", async () => {
  expect((await download("image/gif", { link: `${links.to(KEY, "image/gif")}x` })).status).toBe(404);
  expect((await app.request(`/media/${KEY}.gif`)).status).toBe(404);
});

it("a browser that follows an expired link gets a page that says so in the visitor's language; programs get JSON", async () => {
  const ask = (accept: string) =>
    app.request(`/media/${KEY}.gif`, { headers: { Accept: accept, "Accept-Language": "de-AT" } });
  const page = await ask("text/html,*/*;q=0.8");
  expect([page.status, await page.text()]).toEqual([
    404,
    expect.stringContaining("<h1>Dieser Link funktioniert nicht mehr</h1>"),
  ]);
  expect(await (await ask("image/*,*/*;q=0.8")).json()).toMatchObject({ code: "not_found" });
});

it("a file is accepted only from pages of listed origins, and only with a visitor's token", async () => {
  const served = new Hono().route("/", app);
  const upload = (headers: Record<string, string>) =>
    served.request("/media", { method: "POST", body: "x", headers }, { incoming: Readable.from([]) });
  expect((await upload({ Origin: "https://evil.example" })).status).toBe(403);
  expect((await upload({})).status).toBe(403);
  expect((await upload({ Origin: ORIGIN, Authorization: "Bearer forged" })).status).toBe(401);
});

it("an upload whose client disconnects or breaks HTTP is not reported as an error of the relay", async () => {
  const events: string[] = [];
  const take = async ({ source }: { source: AsyncIterable<Buffer> }) => {
    for await (const _ of source);
  };
  const deps = {
    uploads: { take },
    log: (event: string, { code = "" }: { code?: string }) => void events.push(`${event} ${code}`),
    allows: () => true,
    findByToken: async () => ({ visitor: "v_1", site: "default" }),
    wait: () => 0,
  } as unknown as MediaDeps;
  const server = createServer(getRequestListener(media(deps).fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const head = `POST /media HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nAuthorization: Bearer x\r\n`;
  for (const rest of ["Content-Length: 1000\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n"]) {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    const asked = once(server, "request");
    socket.write(head + rest);
    await asked;
    if (rest.includes("hello\r\n")) await once(socket.resume(), "close");
    socket.destroy();
  }
  await expect.poll(() => events).toEqual(["upload.refused cut_off", "upload.refused cut_off"]);
  server.close();
});
