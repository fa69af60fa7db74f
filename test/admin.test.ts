import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { type House, SCRIPTED, startHouse } from "./harness.ts";

const ADDRESS = "192.0.2.1";
let house: House;
let token: string;
let cookie: string;
let visitor: string;
let failed: string;
let sid: string;

beforeAll(async () => {
  house = await startHouse({
    sandbox: { ...SCRIPTED, botActive: false },
    sites: { b: {} },
    env: { TRUST_PROXY: "1" },
  });
  token = (JSON.parse(readFileSync(join(house.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
  cookie = cookieOf(await login(token));
  const somebody = house.visitor();
  await somebody.connect();
  await somebody.send("where is my <b>parcel</b>?");
  await somebody.sees((message) => message.from === "visitor" && message.state === "delivered");
  visitor = house.sandbox.messages().at(-1)?.fromId ?? "";
  await house.sandbox.humanReply({ fromId: visitor, body: "on its way" });
  await somebody.hears("on its way");
  house.sandbox.failNext("incoming", 1, 400);
  failed = (await somebody.send("this one fails")).id;
  await somebody.sees(({ id, ...rest }) => id === failed && rest.from === "visitor" && rest.state === "failed");
  const db = openSqlite(join(house.dataDir, "porchlight.db"));
  const [row] = await db.all<{ sid: string }>("SELECT sid FROM messages WHERE id = $1", failed);
  await db.close();
  sid = row?.sid ?? "";
});
afterAll(() => house.stop());

type Ask = { cookie?: string; form?: Record<string, string>; headers?: Record<string, string>; address?: string };

/** Asks as a browser does, which follows no redirect here. */
const ask = (path: string, { cookie: given = cookie, form, headers = {}, address = ADDRESS }: Ask = {}) =>
  fetch(`${house.url}${path}`, {
    redirect: "manual",
    method: form === undefined ? "GET" : "POST",
    ...(form && { body: new URLSearchParams(form) }),
    headers: { Cookie: given, "X-Forwarded-For": address, "Sec-Fetch-Site": "same-origin", ...headers },
  });
const login = (given: string, more: Ask = {}) => ask("/admin/login", { cookie: "", form: { token: given }, ...more });
const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
/** What the forms of a session's pages carry. */
const formTokenOf = async (given = cookie): Promise<string> =>
  /name="token" value="([^"]+)"/.exec(await (await ask("/admin", { cookie: given })).text())?.[1] ?? "";

const PAGES = [
  "/admin",
  ...["conversations", "deliveries", "leads", "mails", "webhooks", "blocks", "sites", "settings", "audit"].map(
    (name) => `/admin/${name}`,
  ),
];

describe("the door of the admin pages", () => {
  it("shows nothing without a login", async () => {
    for (const path of [
      ...PAGES,
      `/admin/conversations/${visitor}`,
      `/admin/messages/${visitor}/${failed}`,
      "/admin/find?id=x",
    ])
      for (const given of ["", "porchlight_admin=wrong"]) {
        const answer = await ask(path, { cookie: given });
        expect([answer.status, answer.headers.get("location")], path).toEqual([303, "/admin/login"]);
      }
  });

  it("opens with the token only, from its own page only, and gives a cookie that no script and no other site gets", async () => {
    expect((await login("wrong")).status).toBe(401);
    expect((await login(token, { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(401);
    expect((await login(token, { headers: { Origin: "https://evil.example" } })).status).toBe(401);
    const answer = await login(token);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin"]);
    expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict|SameSite=Strict; HttpOnly/);
  });

  it("shuts an address that guesses, and tells nobody else", async () => {
    const address = "203.0.113.7";
    for (let n = 0; n < 8; n++) await login(`guess-${n}`, { address });
    expect((await login(token, { address })).status).toBe(401);
    expect((await login(token, { address: "203.0.113.8" })).status).toBe(303);
  });

  it("has a strict policy on every page, and keeps none of them", async () => {
    for (const path of [...PAGES, "/admin/login"]) {
      const { headers } = await ask(path);
      expect(headers.get("content-security-policy"), path).toMatch(
        /^default-src 'none'; style-src 'self';.*frame-ancestors 'none'/,
      );
      expect([headers.get("cache-control"), headers.get("x-content-type-options")], path).toEqual([
        "no-store",
        "nosniff",
      ]);
    }
  });

  it("takes no form without the session's own token, nor from another origin", async () => {
    const form = { token: await formTokenOf(), item: `${visitor} ${failed}` };
    for (const path of ["/admin/deliveries/retry", "/admin/logout", "/admin/logout-everywhere"]) {
      expect((await ask(path, { form: { ...form, token: "x" } })).status, path).toBe(403);
      expect((await ask(path, { form, headers: { "Sec-Fetch-Site": "cross-site" } })).status, path).toBe(403);
      expect((await ask(path, { form, headers: { Origin: "https://evil.example" } })).status, path).toBe(403);
      expect(
        (await ask(path, { form: { ...form, token: await formTokenOf(cookieOf(await login(token))) } })).status,
      ).toBe(403);
    }
  });

  it("signs out here, and everywhere", async () => {
    const [one, two, three] = await Promise.all(
      [login(token), login(token), login(token)].map(async (each) => cookieOf(await each)),
    );
    await ask("/admin/logout", { cookie: one ?? "", form: { token: await formTokenOf(one) } });
    expect((await ask("/admin", { cookie: one ?? "" })).status).toBe(303);
    expect((await ask("/admin", { cookie: two ?? "" })).status).toBe(200);
    await ask("/admin/logout-everywhere", { cookie: two ?? "", form: { token: await formTokenOf(two) } });
    for (const each of [two, three]) expect((await ask("/admin", { cookie: each ?? "" })).status).toBe(303);
    cookie = cookieOf(await login(token));
  });
});

describe("the admin pages", () => {
  const text = async (path: string): Promise<string> => (await ask(path)).text();

  it("answer, each with its own heading", async () => {
    const headings = await Promise.all(PAGES.map(async (path) => /<h1>([^<]+)<\/h1>/.exec(await text(path))?.[1]));
    expect(new Set(headings).size).toBe(PAGES.length);
  });

  it("show how it is now", async () => {
    const page = await text("/admin?range=day");
    expect(page).toMatch(/Failed<\/p>\s*<p class="value">1</);
    expect(page.match(/<svg class="plot"/g)).toHaveLength(6);
  });

  it("find a conversation by words, by its visitor, and by every id of a message; words are text", async () => {
    for (const words of ["PARCEL", visitor, failed, sid]) {
      const page = await text(`/admin/conversations?words=${encodeURIComponent(words)}`);
      expect(page, words).toContain(`/admin/conversations/${visitor}`);
    }
    expect(await text("/admin/conversations?words=nothing%25")).toContain("No conversation matches");
    const thread = await text(`/admin/conversations/${visitor}`);
    expect(thread).toContain("where is my &lt;b&gt;parcel&lt;/b&gt;?");
    expect(thread).toContain("on its way");
  });

  it("lead from any id to the message's journey, with what the service said", async () => {
    for (const id of [failed, sid]) {
      const { headers } = await ask(`/admin/find?id=${id}`);
      expect(headers.get("location")).toBe(`/admin/messages/${visitor}/${failed}`);
    }
    const page = await text(`/admin/messages/${visitor}/${failed}`);
    expect(page).toContain("Failed after 1 try");
    expect(page).toMatch(/Tried, and not accepted<\/strong> · <time[\s\S]+The service answered <code>400/);
    expect(page).toMatch(/Failed after 1 try<\/strong> · <time/);
    expect(page).toContain("The service refused this message");
    expect((await ask(`/admin/messages/${visitor}/none`)).status).toBe(404);
    expect((await ask("/admin/conversations/none")).status).toBe(404);
  });

  it("start a failed message again, and write down who did it", async () => {
    expect(await text("/admin/deliveries")).toContain(failed);
    const form = { token: await formTokenOf(), item: `${visitor} ${failed}` };
    const answer = await ask("/admin/deliveries/retry", { form });
    expect(answer.headers.get("location")).toBe("/admin/deliveries?retried=1");
    await house.sandbox.until((sandbox) => sandbox.messages().some(({ body }) => body === "this one fails"));
    const log = await text("/admin/audit");
    expect(log).toContain(`${visitor} ${failed}`);
    expect(log).toContain(`admin at ${ADDRESS}`);
  });

  it("show no secret among the settings", async () => {
    const page = await text("/admin/settings");
    expect(page).toContain("MESSAGES_PER_MINUTE");
    expect(page).not.toContain(token);
  });
});
