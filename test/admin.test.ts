import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTE_ROWS } from "../relay/src/app.ts";
import { shortHash } from "../relay/src/base/log.ts";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { PNG } from "../relay/src/files/samples.fixture.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { addBlock } from "../relay/src/records/blocks.ts";
import { addEvent, setEvent } from "../relay/src/records/events.ts";
import { addLead } from "../relay/src/records/leads.ts";
import { addEntry } from "../relay/src/records/ledger/ledger.ts";
import { addMail, setMail } from "../relay/src/records/mails.ts";
import { SCOPES } from "../relay/src/records/tokens.ts";
import { type Harness, KEY, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { freePort } from "./ports.ts";
import { porchlight } from "./shell.ts";
import { tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";

const ADDRESS = "192.0.2.1";
const READ_TOKEN = "a-reader-of-all-the-sites";
let harness: Harness;
let token: string;
let cookie: string;
let visitor: string;
let failed: string;
let sid: string;

beforeAll(async () => {
  harness = await startHarness({
    sandbox: { ...NO_RANDOM_FAULTS, botActive: false },
    sites: { b: {} },
    env: { TRUST_PROXY: "1", ADMIN_READ_TOKEN: READ_TOKEN },
    account: { credits: { mode: "manual" } },
  });
  token = (JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
  cookie = cookieOf(await login(token));
  const somebody = harness.visitor();
  await somebody.connect();
  await somebody.send("where is my <b>parcel</b>?");
  await somebody.sees((message) => message.from === "visitor" && message.state === "delivered");
  visitor = harness.sandbox.messages().at(-1)?.fromId ?? "";
  await harness.sandbox.humanReply({ fromId: visitor, body: "on its way" });
  await somebody.receives("on its way");
  harness.sandbox.failNext("incoming", 1, 400);
  failed = (await somebody.send("this one fails")).id;
  await somebody.sees(({ id, ...rest }) => id === failed && rest.from === "visitor" && rest.state === "failed");
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  const [row] = await db.all<{ sid: string }>("SELECT sid FROM messages WHERE id = $1", failed);
  await db.close();
  sid = row?.sid ?? "";
});
afterAll(() => harness.stop());

type Ask = { cookie?: string; form?: Record<string, string>; headers?: Record<string, string>; address?: string };

/** Sends a request as a browser does, without following redirects. */
const ask = (path: string, { cookie: given = cookie, form, headers = {}, address = ADDRESS }: Ask = {}) =>
  fetch(`${harness.url}${path}`, {
    redirect: "manual",
    method: form === undefined ? "GET" : "POST",
    ...(form && { body: new URLSearchParams(form) }),
    headers: { Cookie: given, "X-Forwarded-For": address, "Sec-Fetch-Site": "same-origin", ...headers },
  });
const login = (given: string, more: Ask = {}) => ask("/admin/login", { cookie: "", form: { token: given }, ...more });
/** A page as the operator sees it. */
const text = async (path: string): Promise<string> => (await ask(path)).text();
const cookieOf = (answer: Response): string => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
/** The form token of a session's pages. */
const formTokenOf = async (given = cookie): Promise<string> =>
  /name="token" value="([^"]+)"/.exec(await (await ask("/admin", { cookie: given })).text())?.[1] ?? "";

/** Every address of the admin pages that a browser can request, apart from the login and its files. */
const READS = ROUTE_ROWS.filter(
  ({ method, path }) => method === "GET" && /^\/admin(\/|$)/.test(path) && !/\/login$|\.(css|js)$/.test(path),
).map(({ path }) => path);
/** The same with names in place of the parameters: of a message, and of a message of the backend, by its key. */
function readsOf(visitor: string, id: string, key = "shipped-1042"): string[] {
  const entry = { ":kind{send|grant}": "send", ":account": "default", ":key": encodeURIComponent(key) };
  const names = Object.entries({ ":visitor": visitor, ":id": id, ...entry, "*": "no-such-page" });
  return READS.map((path) => names.reduce((all, [name, value]) => all.replace(name, value), path));
}
/** The pages in the navigation. */
const PAGES = READS.filter((path) => !/[:*]|\/find$/.test(path));

/** Every route that changes something, except the login. */
const ACTIONS = ROUTE_ROWS.filter(
  ({ method, path }) => method === "POST" && path.startsWith("/admin/") && path !== "/admin/login",
).map(({ path }) => path);

describe("access to the admin pages", () => {
  it("shows nothing without a login", async () => {
    for (const path of [...readsOf(visitor, failed), `/admin/find?id=${failed}`])
      for (const given of ["", "porchlight_admin=wrong"]) {
        const answer = await ask(path, { cookie: given });
        const to = new URL(answer.headers.get("location") ?? "", harness.url);
        expect([answer.status, to.pathname], path).toEqual([303, "/admin/login"]);
      }
  });

  it("requires the token, accepts it only from its own page, and sets a cookie that scripts and other sites cannot read", async () => {
    expect((await login("wrong")).status).toBe(401);
    expect((await login(token, { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(401);
    expect((await login(token, { headers: { Origin: "https://evil.example" } })).status).toBe(401);
    const answer = await login(token);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin"]);
    expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict|SameSite=Strict; HttpOnly/);
  });

  it("leads after the login to the requested page, and to no other site", async () => {
    const path = `/admin/find?id=${failed}`;
    const { headers } = await ask(path, { cookie: "porchlight_admin=ended" });
    const to = headers.get("location") ?? "";
    expect(to).toBe(`/admin/login?${new URLSearchParams({ next: path, ended: "page" })}`);
    const form = await (await ask(to, { cookie: "" })).text();
    expect(form).toContain("Your session has ended.");
    const next = /name="next" value="([^"]+)"/.exec(form)?.[1] ?? "";
    const wrong = await login("wrong", { form: { token: "wrong", next } });
    expect(await wrong.text()).toContain(`name="next" value="${next}"`);
    const placeAfter = async (next: string) => (await login(token, { form: { token, next } })).headers.get("location");
    expect(await placeAfter(next)).toBe(path);
    expect(await placeAfter("/admin?range=week")).toBe("/admin?range=week");
    const elsewhere = [
      "https://evil.example/",
      "//evil.example",
      "/widget.js",
      "/admin/logout",
      "\\\\evil.example/x",
      "/a\r\nb",
    ];
    for (const other of elsewhere) expect(await placeAfter(other), other).toBe("/admin");
    expect(await placeAfter("https://evil.example/admin/leads")).toBe("/admin/leads");
    // The path stays on this host.
    expect(await placeAfter("/admin/..//evil.example")).toBe("/admin");
  });

  it("blocks an address that guesses, without affecting others", async () => {
    const address = "203.0.113.7";
    for (let n = 0; n < 8; n++) await login(`guess-${n}`, { address });
    expect((await login(token, { address })).status).toBe(401);
    expect((await login(token, { address: "203.0.113.8" })).status).toBe(303);
  });

  it("opens no more than 20 sessions at once for a reader at one address, because each leaves a permanent entry (A27)", async () => {
    const address = "203.0.113.9";
    const statuses: number[] = [];
    // On a slow machine the limit partly refills meanwhile.
    while (statuses.length < 200 && statuses.at(-1) !== 401)
      statuses.push((await login(READ_TOKEN, { address })).status);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.at(-1)).toBe(401);
  });

  it("sends a strict content policy with every page, and forbids caching", async () => {
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

  it("refuses a form without the session's token, or from another origin", async () => {
    const form = { token: await formTokenOf(), item: `${visitor} ${failed}` };
    const { token: _, ...withoutToken } = form;
    expect(ACTIONS.length).toBeGreaterThan(4);
    for (const path of ACTIONS) {
      expect((await ask(path, { form, cookie: "" })).headers.get("location"), path).toBe("/admin/login");
      const ended = { form, cookie: "porchlight_admin=ended", headers: { Referer: `${harness.url}/admin/deliveries` } };
      expect((await ask(path, ended)).headers.get("location"), path).toBe(
        "/admin/login?next=%2Fadmin%2Fdeliveries&ended=form",
      );
      const refused = await ask(path, { form: withoutToken });
      expect(refused.status, path).toBe(403);
      const page = await refused.text();
      expect(page, path).toContain("<h1>Nothing was changed</h1>");
      expect(page, path).toContain("The form belongs to an earlier session");
      expect((await ask(path, { form: { ...form, token: "x" } })).status, path).toBe(403);
      expect((await ask(path, { form, headers: { "Sec-Fetch-Site": "cross-site" } })).status, path).toBe(403);
      expect((await ask(path, { form, headers: { Origin: "https://evil.example" } })).status, path).toBe(403);
      expect(
        (await ask(path, { form: { ...form, token: await formTokenOf(cookieOf(await login(token))) } })).status,
      ).toBe(403);
    }
  });

  it("signs out one session, or all sessions", async () => {
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

describe("access to the server API", () => {
  const calls = Object.entries(OPERATIONS).map(([name, { method, path, scope }], n) => ({
    name,
    method: method.toUpperCase(),
    scope,
    path: `/api/v1${path.replaceAll(/\{\w+\}/g, "x")}`,
    // Wrong tokens are counted by address.
    address: `198.51.100.${n}`,
  }));
  const api = ({ method, path, address }: (typeof calls)[number], headers: Record<string, string>) =>
    fetch(`${harness.url}${path}`, {
      method,
      headers: {
        "X-Forwarded-For": address,
        "Idempotency-Key": "k",
        "Content-Type": "application/json",
        ...headers,
      },
      ...(method === "POST" && { body: "{}" }),
    });

  it("is refused for every operation without an API token, and for pages of other origins", async () => {
    for (const each of calls) {
      const foreign = { Origin: "https://evil.example", Cookie: cookie, "Sec-Fetch-Site": "cross-site" };
      for (const headers of [{}, { Authorization: `Bearer ${token}` }, { Cookie: cookie }, foreign]) {
        const answer = await api(each, headers);
        expect([answer.status, answer.headers.get("access-control-allow-origin")], each.name).toEqual([401, null]);
      }
      const preflight = await api(
        { ...each, method: "OPTIONS" },
        { Origin: "https://evil.example", "Access-Control-Request-Method": each.method },
      );
      expect(preflight.headers.get("access-control-allow-origin"), each.name).toBe(null);
    }
  });

  it("requires the scope of each operation", async () => {
    for (const scope of new Set(calls.map((each) => each.scope))) {
      const others = await tokenFor(
        harness,
        SCOPES.filter((each) => each !== scope),
        "default",
      );
      for (const each of calls.filter((one) => one.scope === scope))
        expect((await api(each, { Authorization: `Bearer ${others}` })).status, each.name).toBe(403);
    }
  });
});

describe("the admin pages", () => {
  it("answer, each with its own heading", async () => {
    const headings = await Promise.all(PAGES.map(async (path) => /<h1>([^<]+)<\/h1>/.exec(await text(path))?.[1]));
    expect(new Set(headings).size).toBe(PAGES.length);
  });

  it("show a page of the same design for an address that does not exist", async () => {
    const answer = await ask("/admin/no-such-page");
    const page = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(page).toContain("<h1>Not found</h1>");
    expect(page).toContain('<nav aria-label="Pages">');
    expect((await ask("/admin/no-such-page", { cookie: "" })).headers.get("location")).toMatch(/^\/admin\/login\?/);
  });

  it("are found with a slash at the end of their address, too", async () => {
    for (const path of ["/admin", "/admin/leads"])
      expect((await ask(`${path}/`)).headers.get("location"), path).toBe(path);
  });

  it("show the present state", async () => {
    const page = await text("/admin?range=day");
    expect(page).toMatch(/Failed<\/a><\/p>\s*<p class="value">1</);
    expect(page.match(/<figure>/g)).toHaveLength(8);
    // A name that every object has, such as `constructor`, is not a range.
    expect((await ask("/admin?range=constructor")).status).toBe(200);
  });

  it("find a conversation by its text, its visitor and every id of a message, and escape the text", async () => {
    // A text that was copied from elsewhere may contain NUL.
    for (const words of ["PARCEL", "PAR\0CEL", visitor, failed, sid]) {
      const page = await text(`/admin/conversations?words=${encodeURIComponent(words)}`);
      expect(page, words).toContain(`/admin/conversations/${visitor}`);
    }
    expect(await text("/admin/conversations?words=nothing%25")).toContain("No conversation matches");
    const thread = await text(`/admin/conversations/${visitor}`);
    expect(thread).toContain("where is my &lt;b&gt;parcel&lt;/b&gt;?");
    expect(thread).toContain("on its way");
  });

  it("lead from the visitor in a log line to the conversation", async () => {
    const lines = harness
      .lines()
      .map((line) => JSON.parse(line) as { event: string; visitor: string; message: string });
    const line = lines.find(({ event, message }) => event === "delivery.failed" && message === failed);
    const { headers } = await ask(`/admin/find?id=${line?.visitor}`);
    expect(headers.get("location")).toBe(`/admin/conversations/${visitor}`);
  });

  it("show when a reply was sent to a tab, also after that tab has closed", async () => {
    const somebody = harness.visitor();
    await somebody.connect();
    await somebody.send("is anybody there?");
    await somebody.sees((message) => message.from === "visitor" && message.state === "delivered");
    const fromId = harness.sandbox.messages().at(-1)?.fromId ?? "";
    const before = Date.now();
    const pages: string[] = [];
    for (const body of ["first answer", "second answer"]) {
      await harness.sandbox.humanReply({ fromId, body });
      await somebody.receives(body);
      const { id } = somebody.log().at(-1) ?? { id: "" };
      pages.push(`/admin/messages/${fromId}/${id}`);
    }
    const [first = "", second = ""] = pages;
    const sentAt = (page: string, tab: string): string =>
      new RegExp(`Sent to a tab that ${tab}</strong> <time datetime="([^"]+)"`).exec(page)?.[1] ?? "";
    const newest = await text(second);
    const times = [await text(first), newest].map((page) => Date.parse(sentAt(page, "is still open")));
    expect(times.filter(Number.isNaN)).toEqual([]);
    const order = [before, ...times, Date.now()];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(newest).toContain("Not seen yet");
    await somebody.drop();
    await expect.poll(() => text(second)).toContain("No tab of the visitor is connected to this relay now.");
    const closed = await text(second);
    expect(closed).not.toContain("still open");
    expect(sentAt(closed, "has closed since")).toBe(sentAt(newest, "is still open"));
  });

  it("link the file of a message for those who may read the conversation", async () => {
    const somebody = harness.visitor();
    await somebody.connect();
    const { answer } = await upload(harness, somebody, PNG, { name: "brown lamp.png" });
    const { id } = await somebody.send("", undefined, { media: answer.key });
    const path = (await ask(`/admin/find?id=${id}`)).headers.get("location") ?? "";
    const conversation = path.replace("messages", "conversations").replace(`/${id}`, "");
    const reader = cookieOf(await login(await tokenFor(harness, ["admin:read"], "default")));
    const ofOther = cookieOf(await login(await tokenFor(harness, ["admin:read"], "b")));
    for (const each of [path, conversation]) {
      const page = await (await ask(each, { cookie: reader })).text();
      const link = /class="file"><a href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
      expect(Buffer.from(await (await fetch(`${harness.url}${link}`)).arrayBuffer())).toEqual(PNG);
      expect(page).toContain(">brown lamp.png</a>");
      expect((await ask(each, { cookie: ofOther })).status).toBe(404);
    }
  });

  it("ignore an outcome in the address that is not a number", async () => {
    const deliveries = (query: string): Promise<string> => text(`/admin/deliveries?${query}`);
    expect(await deliveries("retried=abc")).not.toMatch(/NaN|role="status"/);
    expect(await deliveries("retried=0")).toContain("No message was sent again: none of them had failed.");
    expect(await deliveries("retried=1")).toContain("You sent 1 message again.");
    expect(await deliveries("discarded=2000")).toContain("You discarded 2,000 messages.");
  });

  it("lead from any id to the message's journey, with the service's answer", async () => {
    for (const id of [failed, sid]) {
      const { headers } = await ask(`/admin/find?id=${id}`);
      expect(headers.get("location")).toBe(`/admin/messages/${visitor}/${failed}`);
    }
    const page = await text(`/admin/messages/${visitor}/${failed}`);
    expect(page).toContain("Failed after 1 try");
    expect(page).toMatch(/Sent, but not accepted<\/strong> <time[\s\S]+The service answered <code>400/);
    expect(page).toMatch(/Failed after 1 try<\/strong> <time/);
    expect(page).toContain("The service refused this message");
    expect(page).toContain('<a href="/admin/conversations" aria-current="page">');
    expect((await ask(`/admin/messages/${visitor}/none`)).status).toBe(404);
    expect((await ask("/admin/conversations/none")).status).toBe(404);
  });

  it("send a failed message again, and record who did it", async () => {
    expect(await text("/admin/deliveries")).toContain(failed);
    const form = { token: await formTokenOf(), item: `${visitor} ${failed}` };
    const journey = () => text(`/admin/messages/${visitor}/${failed}`);
    harness.sandbox.failNext("incoming", 1, 400);
    await ask("/admin/deliveries/retry", { form });
    await expect.poll(journey).toContain("Failed after 2 tries");
    const answer = await ask("/admin/deliveries/retry", { form });
    expect(answer.headers.get("location")).toBe("/admin/deliveries?retried=1");
    await harness.sandbox.until((sandbox) => sandbox.messages().some(({ body }) => body === "this one fails"));
    const log = await text("/admin/audit");
    expect(log).toContain(`${visitor} ${failed}`);
    expect(log).toContain(`admin at ${ADDRESS}`);
  });

  it("show the settings in force, where each came from, and no secret", async () => {
    const page = (await text("/admin/settings")).replaceAll(/<[^>]+>/g, "|").replaceAll(/\|+/g, "|");
    expect(page).toContain("|MESSAGES_PER_MINUTE|30|default|");
    expect(page).toContain("|TRUST_PROXY|1|environment|");
    expect(page).toContain("|ADMIN_TOKEN|generated; not shown|secrets.json of the data folder|");
    expect(page).toContain("|ADMIN_READ_TOKEN|set; not shown|environment|");
    expect(page).toContain("|default|url|http://127.0.0.1");
    for (const secret of [token, READ_TOKEN, KEY]) expect(page).not.toContain(secret);
  });
});

describe("discarding", () => {
  it("removes a failed message from the list, and ends a waiting one; the visitor sees both as failed", async () => {
    const somebody = harness.visitor();
    await somebody.connect();
    harness.sandbox.failNext("incoming", 1, 400);
    const { id } = await somebody.send("discarded soon");
    await somebody.sees((each) => each.id === id && each.from === "visitor" && each.state === "failed");
    const [, from = ""] = new RegExp(`/admin/messages/([^/"]+)/${id}"`).exec(await text("/admin/deliveries")) ?? [];
    const form = { token: await formTokenOf(), item: `${from} ${id}` };
    const answer = await ask("/admin/deliveries/discard", { form });
    expect(answer.headers.get("location")).toBe("/admin/deliveries?discarded=1");
    expect((await ask("/admin/deliveries/discard", { form })).headers.get("location")).toMatch(/discarded=0$/);
    expect(await text("/admin/deliveries")).not.toContain(id);
    expect(await text("/admin/audit")).toContain("discard message");
    expect(await text(`/admin/messages/${from}/${id}`)).toContain("Failed after 1 try");
  });

  it("applies to all failed messages at once, as Retry does, after a question with their number", async () => {
    const somebody = harness.visitor();
    await somebody.connect();
    for (const words of ["first of two", "second of two"]) {
      harness.sandbox.failNext("incoming", 1, 400);
      const { id } = await somebody.send(words);
      await somebody.sees((each) => each.id === id && each.from === "visitor" && each.state === "failed");
    }
    for (const path of ["retry", "discard"])
      expect(await text("/admin/deliveries")).toContain(`href="/admin/deliveries/${path}"`);
    const question = await text("/admin/deliveries/retry");
    expect(question).toContain("Send 2 messages to the service again?");
    expect(question).toContain("Each of them can cost money");
    expect(question).toMatch(/<button class="main" name="all" value="2">Send 2 messages again</);
    expect(question).toMatch(/rejected: 400[\s\S]*?<span class="number">2</);
    expect(await text("/admin/deliveries/discard")).toContain("Take 2 messages off the list?");
    const token = await formTokenOf();
    const outcome = async (path: string, all: string): Promise<string> =>
      (await ask(`/admin/deliveries/${path}`, { form: { token, all } })).headers.get("location") ?? "";
    // The form names the number of messages that its page showed. It changes no more than these, and none without a number.
    expect(await outcome("discard", "yes")).toMatch(/discarded=0$/);
    expect(await outcome("discard", "1")).toMatch(/discarded=1$/);
    expect(await text("/admin/deliveries/discard")).toContain("Take 1 message off the list?");
    expect(await outcome("discard", "2")).toMatch(/discarded=1$/);
    expect(await text("/admin/deliveries")).toContain("Nothing waits, and nothing failed.");
    expect(await text("/admin/deliveries/retry")).toContain("No message has failed.");
  });
});

describe("the ledger", () => {
  it("shows what waits for a person, and stores the decision with its reason", async () => {
    const url = harness.callbackUrl.replace("/reply/", "/recharge/");
    harness.sandbox.seed({ subAccounts: [{ email: "client@agency.example" }] });
    await fetch(url, {
      method: "POST",
      body: JSON.stringify({ idempotency_key: "r-1", email: "client@agency.example", amount: 5 }),
    });
    await expect.poll(async () => (await ask("/admin/ledger")).text()).toContain("r-1");
    const form = { token: await formTokenOf(), account: "default", key: "r-1", decision: "approve", reason: "" };
    expect(await follow("/admin/ledger/decide", form)).toMatch(/class="error"[^>]*>A reason is needed/);
    expect(harness.sandbox.state().grants).toEqual([]);
    expect(await follow("/admin/ledger/decide", { ...form, reason: "as agreed" })).toMatch(
      /class="done"[^>]*>Recorded: r-1/,
    );
    await harness.sandbox.until(() => harness.sandbox.state().grants.length === 1);
    expect(await (await ask("/admin/audit")).text()).toContain("ledger: approve");
  });

  const follow = async (path: string, form: Record<string, string>): Promise<string> =>
    (await ask((await ask(path, { form })).headers.get("location") ?? "")).text();
});

describe("the relay's report about itself", () => {
  it("shows the findings of doctor with their remedies, and the field names of callbacks", async () => {
    const page = await text("/admin/doctor");
    const { out } = await porchlight(harness, ["doctor", "--json"]);
    const findings = JSON.parse(out) as { check: string; ok: boolean; cure?: string }[];
    expect(findings.length).toBeGreaterThan(8);
    for (const { check } of findings) expect(page, check).toContain(check);
    const fields = await text("/admin/callbacks");
    for (const field of ["toId", "body", "messageId"]) expect(fields).toContain(`>${field}<`);
    expect(fields).not.toContain("on its way");
  });

  it("finds conversations by the time of their messages", async () => {
    // A day to either side, since midnight may have passed between the message and this test.
    const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(await text(`/admin/conversations?from=${dayIn(-1)}`)).toContain(visitor);
    expect(await text(`/admin/conversations?from=${dayIn(-1)}&to=${dayIn(1)}`)).toContain(visitor);
    expect(await text("/admin/conversations?to=2020-01-01")).toContain("No conversation matches");
    expect(await text("/admin/conversations?from=2200-01-01")).toContain("No conversation matches");
  });
});

/** Stores one of each thing that a site can have. Each of them contains the word, and nothing of it is due. */
async function addOneOfEach(site: string, visitor: string, word: string): Promise<void> {
  const [at, due] = [Date.now(), Number.MAX_SAFE_INTEGER];
  const person = { firstName: word, lastName: null, email: `${word}@example.com`, phone: null, consent: null };
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  await db.transaction(async (tx) => {
    await addLead(tx, { ...person, id: word, visitor, site, account: "default", own: 1, lists: null, due, at });
    await addEvent(tx, { id: word, site, visitor, type: "message.reply", body: "{}", at });
    await setEvent(tx, { id: word, state: "failed", attempts: 1, due, status: 500, problem: word, tries: "[]" });
    await addBlock(tx, { site, value: "203.0.113.77", reason: word, actor: "cli", at });
    await addMail(tx, {
      id: word,
      visitor,
      kind: "replies",
      address: word,
      since: 0,
      upto: 1,
      page: "",
      locale: "en",
      at,
    });
    await setMail(tx, { id: word, state: "failed", attempts: 1, due, problem: word });
    const content = JSON.stringify({ site, text: word, email: word });
    const entry = { kind: "send", key: `${site}/${word}`, account: "default", lane: visitor, digest: word } as const;
    await addEntry(tx, { ...entry, content, state: "refused", reason: word, actor: "test", now: at });
  });
  await db.close();
}

describe("readers", () => {
  /** Requests a page as a reader. */
  const read = async (path: string, reader: string) => ask(path, { cookie: reader });

  it("of all sites see every page, and cannot change anything", async () => {
    const reader = cookieOf(await login(READ_TOKEN));
    for (const path of PAGES) expect((await read(path, reader)).status, path).toBe(200);
    const token = await formTokenOf(reader);
    for (const path of ACTIONS.filter((each) => each !== "/admin/logout")) {
      const form = { token, item: `${visitor} ${failed}`, all: "1", decision: "dismiss", key: "r-1", reason: "no" };
      const refused = await ask(path, { cookie: reader, form });
      expect(refused.status, path).toBe(403);
      expect(await refused.text(), path).toContain("This session may only read.");
    }
    expect(await (await read(`/admin/messages/${visitor}/${failed}`, reader)).text()).not.toContain("Retry</button>");
  });

  it("of one site see nothing of another site, whatever they request", async () => {
    const inB = harness.visitor({ site: "b" });
    await inB.connect();
    harness.sandbox.failNext("incoming", 1, 400);
    const { id } = await inB.send("a secret of site b");
    await inB.sees((each) => each.id === id && each.from === "visitor" && each.state === "failed");
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    const [row] = await db.all<{ visitor: string; sid: string }>("SELECT visitor, sid FROM messages WHERE id = $1", id);
    await db.close();
    const { visitor: other = "", sid: otherSid = "" } = row ?? {};
    await addOneOfEach("b", other, "word-of-b");
    await addOneOfEach("default", visitor, "word-of-default");

    const reader = cookieOf(await login(await tokenFor(harness, ["admin:read"], "default")));
    const words = [other, shortHash(other), id, otherSid, "a secret of site b", "word-of-b", "b/word-of-b", "%", ""];
    const paths = [
      ...readsOf(other, id, "b/word-of-b"),
      ...words.flatMap((each) => {
        const text = encodeURIComponent(each);
        return [
          `/admin/conversations?site=b&words=${text}`,
          `/admin/conversations?words=${text}`,
          `/admin/find?id=${text}`,
        ];
      }),
    ];
    for (const path of paths) {
      const answer = await read(path, reader);
      const page = await answer.text();
      for (const word of [other, id, otherSid, "secret of site b", "word-of-b"].filter(
        (each) => !decodeURIComponent(path).includes(each),
      ))
        expect(page.includes(word), `${word} in ${path}`).toBe(false);
      expect(answer.headers.get("location") ?? "", path).not.toContain(`/${other}`);
      expect(page, path).not.toMatch(/data-site="b"|\/c\/b/);
    }
    expect((await read(`/admin/conversations/${other}`, reader)).status).toBe(404);
    expect((await read(`/admin/messages/${other}/${id}`, reader)).status).toBe(404);
    expect((await read(`/admin/conversations/${visitor}`, reader)).status).toBe(200);
    // Control: the pages show the data of the reader's own site, so they are not empty.
    for (const path of ["leads", "mails", "webhooks", "blocks", "ledger/send/default/default%2Fword-of-default"])
      expect(await (await read(`/admin/${path}`, reader)).text(), path).toContain("word-of-default");
    for (const path of ["", "/ledger", "/settings", "/doctor", "/alerts", "/callbacks", "/audit"])
      expect((await read(`/admin${path}`, reader)).headers.get("location"), path).toBe("/admin/conversations");
  });

  it("need the scope: other API tokens open neither the pages nor the metrics", async () => {
    const scoped = await tokenFor(harness, ["messages:read"], "default");
    expect((await login(scoped, { address: "203.0.113.60" })).status).toBe(401);
    const metrics = (given: string, address: string) =>
      fetch(`${harness.url}/metrics`, { headers: { Authorization: `Bearer ${given}`, "X-Forwarded-For": address } });
    expect((await metrics(READ_TOKEN, "203.0.113.61")).status).toBe(200);
    const ofSite = await tokenFor(harness, ["admin:read"], "default");
    expect((await metrics(ofSite, "203.0.113.62")).status).toBe(401);
  });
});

it("a session ends with the token that opened it", async () => {
  const text = await tokenFor(harness, ["admin:read"], "default");
  const reader = cookieOf(await login(text));
  expect((await ask("/admin/conversations", { cookie: reader })).status).toBe(200);
  const [, id = ""] = /^pl_([0-9a-z]+)_/.exec(text) ?? [];
  expect(await porchlight(harness, ["token", "revoke", id])).toMatchObject({ code: 0 });
  expect((await ask("/admin/conversations", { cookie: reader })).headers.get("location")).toMatch(/^\/admin\/login\?/);
  // A session of one token is not a session of another token, whatever name its cookie has.
  expect((await ask("/admin", { cookie: cookie.replace("=admin.", "=reader.") })).status).toBe(303);
  expect((await ask("/admin", { cookie: cookie.replace("=admin.", "=") })).status).toBe(303);
});

it("with their own listener, the pages and the metrics are served there, and not on the public port", async () => {
  const port = await freePort();
  const env = { ADMIN_LISTEN: `127.0.0.1:${port}`, TRUST_PROXY: "1", PUBLIC_URL: "https://chat.example.com" };
  const apart = await startHarness({ env: { ...env, ADMIN_TOKEN: READ_TOKEN } });
  try {
    for (const path of ["/admin", "/admin/login", "/admin/style.css", "/metrics"])
      expect((await fetch(`${apart.url}${path}`, { redirect: "manual" })).status, path).toBe(404);
    const own = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual" });
    expect((await own("/admin")).headers.get("location")).toBe("/admin/login");
    expect((await own("/metrics")).status).toBe(401);
    for (const path of ["/widget.js", "/c/default", "/api"]) expect((await own(path)).status, path).toBe(404);
    expect(await (await fetch(`${apart.url}/`)).text()).not.toContain('href="/admin"');
    const signIn = (given: string, headers: Record<string, string>): Promise<Response> => {
      const form = {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ token: given }),
        headers,
      } as const;
      return fetch(`http://127.0.0.1:${port}/admin/login`, form);
    };
    // A browser drops a Secure cookie of a page that was served over plain http.
    const over = async (origin: string): Promise<string> =>
      (await signIn(READ_TOKEN, { Origin: origin })).headers.get("set-cookie") ?? "";
    expect(await over(`http://127.0.0.1:${port}`)).toMatch(/^porchlight_admin=(?!.*Secure)/);
    expect(await over(`https://127.0.0.1:${port}`)).toMatch(/^porchlight_admin=.*Secure/);
    const somebody = apart.visitor();
    await somebody.connect();
    const { answer } = await upload(apart, somebody, PNG);
    const { id } = await somebody.send("", undefined, { media: answer.key });
    const Cookie = cookieOf(await signIn(READ_TOKEN, { Origin: `http://127.0.0.1:${port}` }));
    const shown = await fetch(`http://127.0.0.1:${port}/admin/find?id=${id}`, { headers: { Cookie } });
    expect(await shown.text()).toContain(`<img src="https://chat.example.com/media/${answer.key}.png?`);
    expect(shown.headers.get("content-security-policy")).toContain("img-src https://chat.example.com;");
    // No proxy stands in front of this listener, so a guesser cannot choose its address by a header.
    const from = (address: string) => ({ Origin: `http://127.0.0.1:${port}`, "X-Forwarded-For": address });
    for (let n = 0; n < 8; n++) await signIn(`guess-${n}`, from(`198.51.100.${n}`));
    expect((await signIn(READ_TOKEN, from("198.51.100.9"))).status).toBe(401);
  } finally {
    await apart.stop();
  }
});

it("an empty list says what will appear in it", async () => {
  const fresh = await startHarness({ env: { ADMIN_TOKEN: READ_TOKEN } });
  const form = { method: "POST", redirect: "manual", body: new URLSearchParams({ token: READ_TOKEN }) } as const;
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const session = cookieOf(await fetch(`${fresh.url}/admin/login`, { ...form, headers }));
  for (const path of [
    "conversations",
    "deliveries",
    "leads",
    "mails",
    "webhooks",
    "ledger",
    "blocks",
    "alerts",
    "callbacks",
  ]) {
    const page = await (await fetch(`${fresh.url}/admin/${path}`, { headers: { Cookie: session } })).text();
    for (const [, empty = ""] of page.matchAll(/<p class="empty">(.*?)<\/p>/g))
      expect(empty, path).toMatch(/appears? here|tag for your pages/);
    expect(page, path).toContain('<p class="empty">');
  }
  await fresh.stop();
});

it("the root page leads to the chat, the page of the tag, the operator's pages and the API, and names no site if there are several", async () => {
  const placesOf = async (url: string): Promise<string[]> =>
    [...(await (await fetch(`${url}/`)).text()).matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(await placesOf(harness.url)).toEqual(["/admin", "/admin/sites", "/api"]);
  const alone = await startHarness();
  const paths = await placesOf(alone.url);
  expect(paths).toEqual(["/c/default", "/c/default/snippet", "/admin", "/api"]);
  for (const path of paths) expect((await fetch(alone.url + path)).status, path).toBe(200);
  await alone.stop();
});
