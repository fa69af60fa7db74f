import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../relay/src/base/clock.ts";
import { realClock } from "../relay/src/base/clock.ts";
import { randomId } from "../shared/id.ts";
import type { ErrorFrame, Mailed, RelayFrame } from "../shared/protocol.ts";
import { type Harness, type HarnessOptions, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { type Env, runAt, runProcess } from "./relays.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Visitor } from "./visitor.ts";

const PUBLIC_URL = "https://chat.example.com";
const HOUR = 3_600_000;

let harness: Harness;
let mailServer: MailServer;
/** The relay's clock is ahead by this time, in milliseconds. */
let ahead = 0;
afterEach(async () => {
  await harness.stop();
  await mailServer.stop();
});

const mailing = (): Env => ({
  SMTP_URL: mailServer.url,
  MAIL_FROM: "chat@shop.example",
  MAIL_AFTER_MINUTES: "0",
  PUBLIC_URL,
});

async function open(options: HarnessOptions = {}): Promise<void> {
  ahead = 0;
  mailServer = await startMailServer();
  const clock: Clock = { ...realClock, now: () => Date.now() + ahead };
  const site = { title: "Ada's Shop", ...options.site };
  const env = { ...mailing(), ...options.env };
  harness = await startHarness({
    sandbox: { botActive: false },
    run: (all) => runAt(all, clock),
    ...options,
    env,
    site,
  });
}

type Guest = { visitor: Visitor; id: string };

/** A visitor who has sent a message, and asked for the reply by email if an address is given. */
async function guest(email?: string, identity = ""): Promise<Guest> {
  const visitor = harness.visitor({ identity });
  await visitor.connect();
  const before = harness.sandbox.messages().length;
  await visitor.send("Is it in stock?");
  await harness.sandbox.until((all) => all.messages().length > before);
  const id = harness.sandbox.messages().at(-1)?.fromId ?? "";
  if (email !== undefined) {
    const form = {
      t: "lead",
      id: randomId(),
      chat: true,
      email,
      reply: true,
      page: "/lamps?secret=1#top",
      locale: "de",
    } as const;
    visitor.write(form);
    await visitor.next((frame) => frame.t === "lead" && frame.id === form.id);
  }
  return { visitor, id };
}

const answer = (to: Guest, body: string) => harness.sandbox.humanReply({ fromId: to.id, body });
const tos = (): string[][] => mailServer.mails.map(({ to }) => to);

describe("replies by email while the visitor is away", () => {
  it("come in one mail with all unread replies, as text and HTML, with links back and to unsubscribe (C18)", async () => {
    await open();
    const ada = await guest("ada@post.example");
    await answer(ada, "seen on the page");
    await ada.visitor.receives("seen on the page");
    const upTo = ada.visitor.head();
    ada.visitor.write({ t: "read", n: upTo });
    await ada.visitor.next((frame) => frame.t === "status" && frame.read === upTo);
    for (const words of ["Yes: 3 <b>left</b> & waiting", "Shall I keep one?"]) {
      await answer(ada, words);
      await ada.visitor.receives(words);
    }
    await ada.visitor.drop();
    const [mail] = await mailServer.until(1);
    expect(mail).toMatchObject({ from: "chat@shop.example", to: ["ada@post.example"] });
    expect(mail?.headers.from).toBe(`"Ada's Shop" <chat@shop.example>`);
    expect(mail?.headers.subject).toContain("Ada's Shop: Yes: 3 <b>left</b> & waiting");
    expect(mail?.text).toContain("Yes: 3 <b>left</b> & waiting\n\nShall I keep one?");
    expect(mail?.text).not.toContain("seen on the page");
    expect(mail?.text).not.toContain("Is it in stock?");
    expect(mail?.html).toContain("3 &#60;b&#62;left&#60;/b&#62; &#38; waiting");
    // The link leads to the visitor's page, in their language, without its query.
    expect(mail?.text).toContain(`Zum Chat: ${harness.host}/lamps\n`);
    expect(mail?.html).toContain(`href="${harness.host}/lamps"`);
    expect(mail?.headers["list-unsubscribe"]).toMatch(/^<https:\/\/chat\.example\.com\/mail\/stop\/[\w-]+\.[\w-]+>$/);
    expect(mail?.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail?.headers["auto-submitted"]).toBe("auto-generated");
    expect(harness.lines().join("\n")).not.toContain("ada@post.example");
  });

  it("come from the name in MAIL_FROM, quoted where a mail needs that", async () => {
    await open({ env: { MAIL_FROM: '"The \\"best\\" shop, Oslo" <chat@shop.example>' } });
    const ada = await guest("ada@post.example");
    await ada.visitor.drop();
    await answer(ada, "Yes");
    const [mail] = await mailServer.until(1);
    expect(mail).toMatchObject({ from: "chat@shop.example", to: ["ada@post.example"] });
    expect(mail?.headers.from).toBe('"The \\"best\\" shop, Oslo" <chat@shop.example>');
  });

  it("are not sent to visitors who are online, did not ask, or got a mail within the hour", async () => {
    await open();
    const here = await guest("here@post.example");
    const silent = await guest();
    const ada = await guest("ada@post.example");
    await Promise.all([silent.visitor.drop(), ada.visitor.drop()]);
    for (const each of [here, silent, ada]) await answer(each, "first");
    await mailServer.until(1);
    await answer(ada, "second");
    const bob = await guest("bob@post.example");
    await bob.visitor.drop();
    await answer(bob, "for Bob");
    await mailServer.until(2);
    expect(tos()).toEqual([["ada@post.example"], ["bob@post.example"]]);
    ahead = HOUR + 1_000;
    const [, , third] = await mailServer.until(3);
    expect(third?.to).toEqual(["ada@post.example"]);
    expect(third?.text).toMatch(/^second\n/);
  });

  it("are sent to the known address if the form has none; an empty form of an unknown visitor requests nothing", async () => {
    await open();
    const ada = await guest("ada@post.example");
    await ada.visitor.drop();
    expect((await ada.visitor.connect()).email).toBe(true);
    const form = { t: "lead", chat: true, reply: true, page: "/chairs", locale: "en" } as const;
    ada.visitor.write({ ...form, id: "the-known-address" });
    await ada.visitor.next((frame) => frame.t === "lead" && frame.id === "the-known-address");
    const silent = await guest();
    silent.visitor.write({ ...form, id: "nobodys-address" });
    const refusal = await silent.visitor.next((frame) => frame.t === "error");
    expect(refusal).toMatchObject({ code: "empty", id: "nobodys-address" });
    await Promise.all([ada.visitor.drop(), silent.visitor.drop()]);
    await answer(silent, "sent to nobody");
    await answer(ada, "We have chairs, too.");
    const [mail] = await mailServer.until(1);
    expect(mail?.text).toContain("/chairs");
    expect(tos()).toEqual([["ada@post.example"]]);
  });

  it("end with one POST to an unforgeable link, but not with a GET (RFC 8058)", async () => {
    await open();
    const ada = await guest("ada@post.example");
    await ada.visitor.drop();
    await answer(ada, "first");
    const [mail] = await mailServer.until(1);
    const link = (mail?.headers["list-unsubscribe"] ?? "").slice(1, -1).replace(PUBLIC_URL, harness.url);
    expect((await fetch(link)).status).toBe(200);
    expect((await fetch(`${link}x`, { method: "POST" })).status).toBe(404);
    ahead = HOUR + 1_000;
    await answer(ada, "after a look");
    await mailServer.until(2);
    const stopped = await fetch(link, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
    expect(stopped.status).toBe(200);
    ahead = 2 * HOUR + 2_000;
    await answer(ada, "after the end");
    const bob = await guest("bob@post.example");
    await bob.visitor.drop();
    await answer(bob, "for Bob");
    await mailServer.until(3);
    expect(tos()).toEqual([["ada@post.example"], ["ada@post.example"], ["bob@post.example"]]);
  });

  it("reach a typed address at most three times a day, and otherwise wait for the next day", async () => {
    await open();
    for (let n = 0; n < 4; n++) {
      const each = await guest("Victim@post.example");
      await each.visitor.drop();
      await answer(each, "mind your lamp");
    }
    await mailServer.until(3);
    await expect.poll(() => harness.lines().filter((line) => line.includes("mail.capped")).length).toBe(1);
    expect(tos()).toHaveLength(3);
    ahead = 25 * HOUR;
    await mailServer.until(4);
  });
});

describe("the mail server", () => {
  it("gets a mail again after a temporary error, but not after a permanent one", async () => {
    await open();
    mailServer.behaviour.status = 451;
    const ada = await guest("ada@post.example");
    await ada.visitor.drop();
    await answer(ada, "patience");
    await expect.poll(() => harness.lines().some((line) => line.includes("mail.waiting"))).toBe(true);
    mailServer.behaviour.status = 250;
    ahead = HOUR;
    await mailServer.until(1);
    mailServer.behaviour.status = 550;
    const bob = await guest("bob@post.example");
    await bob.visitor.drop();
    await answer(bob, "never");
    await expect.poll(() => harness.lines().some((line) => line.includes("mail.failed"))).toBe(true);
    const found = await porchlight(harness, ["doctor", "--json"], { ...mailing(), SITE_TITLE: "Shop" });
    const findings = JSON.parse(found.out) as { check: string; ok: boolean; found: string }[];
    expect(findings.find(({ check }) => check === "mail server")).toMatchObject({ ok: true });
    expect(findings.find(({ check }) => check === "mail of site default")?.found).toMatch(/failed: .*Not today/);
    await harness.halt();
    await harness.start({ SMTP_URL: mailServer.url.replace("relay:", "other:") });
    const wrong = await porchlight(harness, ["doctor"]);
    expect(wrong.out).toMatch(/FAIL {2}mail server: .*Invalid/);
  });

  it("gets a mail at most once when the relay is killed while sending", async () => {
    await open({ run: runProcess, env: { LOG_LEVEL: "info" } });
    mailServer.behaviour.status = "silent";
    const ada = await guest("ada@post.example");
    await ada.visitor.drop();
    await answer(ada, "only once");
    await expect.poll(() => mailServer.received()).toBe(1);
    await harness.kill();
    mailServer.behaviour.status = 250;
    await harness.start();
    const bob = await guest("bob@post.example");
    await bob.visitor.drop();
    await answer(bob, "for Bob");
    await mailServer.until(1);
    expect(tos()).toEqual([["bob@post.example"]]);
    const isReported = () => harness.lines().some((line) => line.includes("mail.failed") && line.includes("unknown"));
    await expect.poll(isReported).toBe(true);
  });
});

describe("the conversation by email", () => {
  const ask = async ({ visitor }: Guest): Promise<string> => {
    const id = randomId();
    visitor.write({ t: "transcript", id, page: "/lamps", locale: "en" });
    const about = (frame: RelayFrame): frame is Mailed | ErrorFrame =>
      (frame.t === "mailed" || frame.t === "error") && frame.id === id;
    const answer = await visitor.next(about);
    return answer.t === "mailed" ? answer.email : answer.code;
  };

  it("is sent completely to the visitor's own address on request (C23)", async () => {
    await open();
    const ada = await guest("ada@post.example");
    await answer(ada, "Yes, three.");
    await ada.visitor.receives("Yes, three.");
    expect(await ask(ada)).toBe("ada@post.example");
    const [mail] = await mailServer.until(1);
    expect(mail?.headers.subject).toBe("Ada's Shop");
    expect(mail?.text).toMatch(/^You · .* UTC\nIs it in stock\?\n\nAda's Shop · .* UTC\nYes, three\.\n/);
    expect(await ask(await guest())).toBe("invalid_email");
    expect([await ask(ada), await ask(ada), await ask(ada)]).toEqual([
      "ada@post.example",
      "ada@post.example",
      "rate_limited",
    ]);
  });

  it("is sent three times a day to an address that a signed-in visitor typed, more often to the signed one (A27)", async () => {
    await open({ env: { IDENTITY_SECRET, MESSAGES_PER_MINUTE: "0" }, site: { identitySecret: "env:IDENTITY_SECRET" } });
    const askFourTimes = async (from: Guest): Promise<string[]> => [
      await ask(from),
      await ask(from),
      await ask(from),
      await ask(from),
    ];
    const email = "ada@post.example";
    const identity = identityOf({ sub: "ada", email });
    const atStranger = await guest("stranger@post.example", identity);
    const stranger = "stranger@post.example";
    expect(await askFourTimes(atStranger)).toEqual([stranger, stranger, stranger, "rate_limited"]);
    expect(await askFourTimes(await guest(undefined, identity))).toEqual([email, email, email, email]);
  });

  it("is sent by the owner's backend and from the command line, to any address", async () => {
    await open();
    const ada = await guest();
    const call = caller(harness, await tokenFor(harness));
    expect(await call("POST", `/visitors/${ada.id}/transcript`, {}, "t1")).toMatchObject({
      status: 400,
      body: { field: "email" },
    });
    const sent = await call("POST", `/visitors/${ada.id}/transcript`, { email: "owner@shop.example" }, "t2");
    expect(sent).toMatchObject({ status: 202, body: { email: "owner@shop.example" } });
    expect((await call("POST", "/visitors/v_nobody/transcript", {}, "t3")).status).toBe(404);
    const run = await porchlight(harness, ["transcript", ada.id, "--to", "boss@shop.example"], mailing());
    expect([run.code, run.out]).toEqual([0, "The conversation is mailed to boss@shop.example.\n"]);
    await mailServer.until(2);
    expect(tos()).toEqual([["owner@shop.example"], ["boss@shop.example"]]);
  });
});

describe("a relay or a site without mail", () => {
  it("offers no mail, and sends none", async () => {
    await open({ sites: { quiet: { mail: false } } });
    const scriptOf = async (path: string): Promise<string> => (await fetch(`${harness.url}${path}`)).text();
    expect(await scriptOf("/w/default.js")).toContain('"mail":true');
    expect(await scriptOf("/w/quiet.js")).not.toContain('"mail":true');
    expect(await scriptOf("/w/quiet.js")).not.toContain('"emailOffer":true');
    const visitor = harness.visitor({ site: "quiet" });
    await visitor.connect();
    await visitor.send("hello");
    visitor.write({ t: "transcript", id: "transcript1" });
    const refused = await visitor.next((frame): frame is ErrorFrame => frame.t === "error");
    expect(refused).toMatchObject({ code: "not_allowed", id: "transcript1" });
  });
});
