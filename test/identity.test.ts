import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PNG } from "../relay/src/files/samples.fixture.ts";
import { type Harness, KEY, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { caller, tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";
import type { Visitor } from "./visitor.ts";

const BAD_TOKEN = 4401;

describe("a signed identity", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ env: { IDENTITY_SECRET, MESSAGES_PER_MINUTE: "0" } });
  });
  afterAll(() => harness.stop());

  const fromIdOf = (body: string) => harness.sandbox.messages().find((message) => message.body === body)?.fromId ?? "";
  const texts = (visitor: Visitor) => visitor.log().map(({ text }) => text);
  async function enter(options: { token?: string | undefined; identity?: string; origin?: string }): Promise<Visitor> {
    const { token, ...rest } = options;
    const visitor = harness.visitor({ ...rest, ...(token && { token }) });
    await visitor.connect();
    return visitor;
  }
  async function say(visitor: Visitor, text: string): Promise<void> {
    await visitor.send(text);
    await visitor.receives(`echo: ${text}`);
    await visitor.sees(
      (message) => message.from === "visitor" && message.text === text && message.state === "delivered",
    );
  }
  /** Tries to connect. Resolves to the error, which contains the close code, or to `connected`. */
  async function refusal(options: { token?: string; identity?: string }): Promise<string> {
    const visitor = harness.visitor(options);
    return visitor.connect().then(
      () => "connected",
      (error: Error) => error.message,
    );
  }

  it("is one person on every device, under one fromId that reveals nothing about them", async () => {
    const phone = await enter({ identity: identityOf({ sub: "ada@example.com" }) });
    await say(phone, "from the phone");
    const laptop = await enter({ identity: identityOf({ sub: "ada@example.com" }) });
    await laptop.receives("echo: from the phone");
    await say(laptop, "from the laptop");
    await phone.receives("echo: from the laptop");
    expect(fromIdOf("from the laptop")).toBe(fromIdOf("from the phone"));
    expect(fromIdOf("from the phone")).toMatch(/^u_[0-9a-z_]{30,48}$/);
    const other = await enter({ identity: identityOf({ sub: "bob@example.com" }) });
    await say(other, "from bob");
    expect(texts(other)).toEqual(["from bob", "echo: from bob"]);
  });

  it("gets a token, so that later connections need no identity", async () => {
    const visitor = await enter({ identity: identityOf({ sub: "returning" }) });
    await say(visitor, "before the reload");
    const again = await enter({ token: visitor.token() });
    await again.receives("echo: before the reload");
    await visitor.drop();
    const welcome = await visitor.connect();
    expect(welcome).toMatchObject({ reset: false });
    expect(welcome.token).toBeUndefined();
  });

  it("takes over the anonymous thread of this browser, once, with messages that still wait", async () => {
    const visitor = await enter({});
    await say(visitor, "anonymous one");
    const anonymous = visitor.token() ?? "";
    const oldId = fromIdOf("anonymous one");
    const tab = await enter({ token: anonymous });
    const identity = identityOf({ sub: "merged", name: "Mary Merged" });
    const user = await enter({ token: anonymous, identity });
    expect(await tab.ended()).toBe(BAD_TOKEN);
    await user.receives("echo: anonymous one");
    expect(user.token()).not.toBe(anonymous);
    await harness.sandbox.humanReply({ fromId: oldId, body: "before the user said a word" });
    await user.receives("before the user said a word");
    await say(user, "signed two");
    const { body } = await caller(harness, await tokenFor(harness))("GET", `/visitors/${fromIdOf("signed two")}`);
    const contacts = harness.sandbox.state().contacts;
    expect(body.contactId).toBe(contacts.find(({ fromId }) => fromId === fromIdOf("signed two"))?.id);
    const [one, two] = ["anonymous one", "signed two"].map((text) => [text, `echo: ${text}`]);
    expect(texts(user)).toEqual([...(one ?? []), "before the user said a word", ...(two ?? [])]);
    expect(fromIdOf("signed two")).toMatch(/^u_/);

    // The service keeps two contacts. Its messages to the old one reach the user.
    await harness.sandbox.humanReply({ fromId: oldId, body: "an answer to the old id" });
    await user.receives("an answer to the old id");
    expect(await refusal({ token: anonymous })).toContain(String(BAD_TOKEN));
    const numbers = user.log().map(({ n }) => n);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("delivers messages from before the login under their original id, in order and once", async () => {
    harness.sandbox.failNext("incoming", 1, { kind: "status", status: 500, when: "after" });
    harness.sandbox.failNext("incoming", 1, 503);
    const visitor = await enter({});
    await visitor.send("written before", "client-id-1");
    await visitor.send("written before, too");
    const user = await enter({ token: visitor.token(), identity: identityOf({ sub: "in-flight" }) });
    const repeated = await user.send("written before", "client-id-1");
    expect(repeated.pos).toBe(1);
    await user.receives("echo: written before, too");
    await say(user, "written after");
    const bodies = harness.sandbox.messages().filter(({ body }) => body.startsWith("written"));
    expect(bodies.map(({ body }) => body)).toEqual(["written before", "written before, too", "written after"]);
    expect(bodies.map(({ fromId }) => fromId[0])).toEqual(["v", "v", "u"]);
    await user.receives("echo: written before, too");
    await expect
      .poll(() =>
        user
          .log()
          .filter((message) => message.from === "visitor")
          .map((message) => message.state),
      )
      .toEqual(["delivered", "delivered", "delivered"]);
  });

  it("appends a second anonymous thread to the first, with its files", async () => {
    const first = await enter({ identity: identityOf({ sub: "two-devices" }) });
    await say(first, "known for long");
    const visitor = await enter({});
    const { answer } = await upload(harness, visitor, PNG);
    await visitor.send("with a picture", undefined, { media: answer.key });
    await visitor.receives("echo: with a picture");
    const unsent = await upload(harness, visitor, PNG, { name: "later.png" });
    const user = await enter({ token: visitor.token(), identity: identityOf({ sub: "two-devices" }) });
    await user.receives("echo: with a picture");
    await first.receives("echo: with a picture");
    expect(texts(user)).toEqual(["known for long", "echo: known for long", "with a picture", "echo: with a picture"]);
    const picture = user.log().find(({ text }) => text === "with a picture");
    expect(picture?.media).toMatchObject({ type: "image/png" });
    expect((await fetch(`${harness.url}${picture?.media?.url}`)).status).toBe(200);
    const later = await user.send("", undefined, { media: unsent.answer.key });
    expect(later.media).toMatchObject({ name: "later.png" });
  });

  it("never merges two persons, and shows nothing of one to the other", async () => {
    const one = await enter({ identity: identityOf({ sub: "person-1" }) });
    await say(one, "secret of person 1");
    const two = await enter({ token: one.token(), identity: identityOf({ sub: "person-2" }) });
    await say(two, "hello from person 2");
    expect(JSON.stringify(two.log())).not.toContain("person 1");
    const back = await enter({ token: one.token() });
    await back.receives("echo: secret of person 1");
    expect(JSON.stringify(back.log())).not.toContain("person 2");
  });

  it("starts at the beginning of the user's thread, whatever number the anonymous thread had reached", async () => {
    const visitor = await enter({});
    await say(visitor, "numbers one");
    await say(visitor, "numbers two");
    const since = visitor.head();
    expect(since).toBeGreaterThan(4);
    const identity = identityOf({ sub: "numbers" });
    const user = await enter({ identity });
    await say(user, "of the user");
    await visitor.drop();
    const welcome = await visitor.connect(identity);
    expect(welcome).toMatchObject({ reset: true, after: 0 });
    await visitor.receives("echo: numbers two");
    await visitor.receives("echo: of the user");
    expect(texts(visitor)).toHaveLength(6);
  });

  it("is refused when it is forged, expired or of another site, with or without a token", async () => {
    const visitor = await enter({});
    await say(visitor, "anonymous before a forgery");
    const expired = identityOf({ sub: "x", exp: Math.floor(Date.now() / 1_000) - 1 });
    const forged = identityOf({ sub: "x" }, "a secret that somebody made up, long enough");
    const foreign = identityOf({ sub: "x", aud: "another-site" });
    for (const identity of [expired, forged, foreign, "not.a.jwt"]) {
      expect(await refusal({ identity })).toContain(String(BAD_TOKEN));
      expect(await refusal({ identity, token: visitor.token() ?? "" })).toContain(String(BAD_TOKEN));
    }
    const again = await enter({ token: visitor.token() });
    await again.receives("echo: anonymous before a forgery");
  });

  it("gives the service the signed names and email, with the next message only", async () => {
    const identity = identityOf({ sub: "named", name: "Grace Brewster Hopper", email: "Grace@EXAMPLE.com" });
    const visitor = await enter({ identity });
    await say(visitor, "named one");
    await say(visitor, "named two");
    const contact = harness.sandbox.state().contacts.find(({ fromId }) => fromId === fromIdOf("named one"));
    expect(contact).toMatchObject({ firstName: "Grace Brewster", lastName: "Hopper", email: "Grace@example.com" });
    const bodies = harness.sandbox.requests().map((request) => JSON.stringify(request));
    const named = bodies.filter((body) => body.includes("Hopper"));
    // Only one message has the name. It may be sent again if its answer was lost.
    expect(named).not.toEqual([]);
    expect(named.filter((body) => !body.includes("named one"))).toEqual([]);
    // The relay knows the address, so the chat does not ask for it.
    await visitor.drop();
    expect((await visitor.connect()).email).toBe(true);
    expect((await harness.visitor({ identity: identityOf({ sub: "without" }) }).connect()).email).toBeUndefined();
  });

  it("is greeted by the signed first name, or the one that the service knows; nobody else is (4.13-30; R-436, R-207)", async () => {
    const url = `${harness.sandbox.url}/contacts?apiKey=${encodeURIComponent(KEY)}`;
    const headers = { "Content-Type": "application/json" };
    const createContact = async (person: object): Promise<void> => {
      const request = () => fetch(url, { method: "POST", headers, body: JSON.stringify(person) });
      const made = () =>
        request().then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(made).toBe(true);
    };
    await createContact({ firstName: "Jane", email: "jane@example.com", phone: "+4930123456" });
    const welcomed = async (claims: object) => {
      const visitor = harness.visitor({ identity: identityOf({ sub: "greeted", ...claims }) });
      return (await visitor.connect()).name;
    };
    expect(await welcomed({ name: "Grace Hopper" })).toBe("Grace");
    // If the service fails or takes too long, that greeting has no name.
    await expect.poll(() => welcomed({ email: "jane@example.com" })).toBe("Jane");
    await expect.poll(() => welcomed({ phone: "+4930123456" })).toBe("Jane");
    expect(await welcomed({ email: "nobody@example.com" })).toBeUndefined();
    harness.sandbox.configure({ placeholders: true });
    await createContact({ email: "no-name@example.com" });
    expect(await welcomed({ email: "no-name@example.com" })).toBeUndefined();
    const typed = await enter({});
    typed.write({ t: "lead", id: "guess-a-name", chat: true, email: "jane@example.com" });
    await typed.next(({ t }) => t === "lead");
    await typed.drop();
    expect((await typed.connect()).name).toBeUndefined();
    await typed.drop();
    expect((await typed.connect(identityOf({ sub: "guesser" }))).name).toBeUndefined();
  });

  it("is welcomed without a name when the service is slow", async () => {
    harness.sandbox.failNext("findContact", 1, { kind: "hangRequest", ms: 4_000 });
    const visitor = harness.visitor({ identity: identityOf({ sub: "hurried", email: "hurried@example.com" }) });
    expect((await visitor.connect()).name).toBeUndefined();
    await say(visitor, "in a hurry");
  });

  it("replaces the details that were typed before the login", async () => {
    const visitor = await enter({});
    visitor.write({ t: "lead", id: "typed-lead", chat: true, firstName: "Typed", email: "typed@example.com" });
    await visitor.next(({ t }) => t === "lead");
    await visitor.drop();
    await visitor.connect(identityOf({ sub: "typed-before" }));
    await say(visitor, "who am I");
    const sent = harness.sandbox.requests().map((request) => JSON.stringify(request));
    expect(sent.filter((request) => request.includes("who am I"))).not.toEqual([]);
    expect(sent.filter((request) => request.includes("typed@example.com"))).toEqual([]);
  });

  it("ends with a logout on every connection of this session, and on no other device", async () => {
    const identity = identityOf({ sub: "shared-computer" });
    const library = await enter({ identity });
    await say(library, "private words");
    const tab = await enter({ token: library.token() });
    const home = await enter({ identity });
    const { answer } = await upload(harness, library, PNG);
    expect(answer.key).toBeDefined();
    library.write({ t: "logout" });
    expect(await Promise.all([library.ended(), tab.ended()])).toEqual([BAD_TOKEN, BAD_TOKEN]);
    const token = library.token() ?? "";
    expect(await refusal({ token })).toContain(String(BAD_TOKEN));
    expect((await upload(harness, library, PNG)).answer.code).toBe("unauthorized");
    await say(home, "still here at home");
    const next = await enter({ identity: identityOf({ sub: "next-person" }) });
    await say(next, "what do I see?");
    expect(JSON.stringify(next.log())).not.toContain("private words");
    const stale = await enter({ token, identity: identityOf({ sub: "next-person" }) });
    await stale.receives("echo: what do I see?");
    expect(JSON.stringify(stale.log())).not.toContain("private words");
  });

  it("begins a new thread after the chat was deleted, and earlier sessions stay invalid", async () => {
    const identity = identityOf({ sub: "fresh-start" });
    const visitor = await enter({ identity });
    await say(visitor, "to be deleted");
    const before = fromIdOf("to be deleted");
    visitor.write({ t: "forget" });
    await visitor.ended();
    const again = await enter({ identity });
    await say(again, "anew");
    expect(texts(again)).toEqual(["anew", "echo: anew"]);
    expect(fromIdOf("anew")).toBe(before);
    expect(await refusal({ token: visitor.token() ?? "" })).toContain(String(BAD_TOKEN));
  });

  it("makes the old anonymous id invalid when its user is deleted", async () => {
    const visitor = await enter({});
    await say(visitor, "anonymous, then deleted");
    const oldId = fromIdOf("anonymous, then deleted");
    const user = await enter({ token: visitor.token(), identity: identityOf({ sub: "deleted-user" }) });
    user.write({ t: "forget" });
    await user.ended();
    const { ok, status } = await harness.sandbox.callbackTo({ toId: oldId, body: "too late" });
    expect([ok, status]).toEqual([false, 404]);
    const again = await enter({ identity: identityOf({ sub: "deleted-user" }) });
    await say(again, "back again");
    expect((await harness.sandbox.callbackTo({ toId: oldId, body: "far too late" })).status).toBe(404);
  });
});

describe("a site that requires identities", () => {
  it("refuses visitors and uploads without one, and accepts a person's later visits with their token", async () => {
    const site = { identitySecret: "env:IDENTITY_SECRET" };
    const harness = await startHarness({ site, env: { IDENTITY_SECRET } });
    const anonymous = harness.visitor();
    await anonymous.connect();
    await anonymous.drop();
    await harness.halt();
    const file = join(harness.dataDir, "sites.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"identitySecret"', '"requireIdentity":true,$&'));
    await harness.start();
    const refused = (options: object) => expect(harness.visitor(options).connect()).rejects.toThrow(String(BAD_TOKEN));
    await refused({});
    await refused({ token: anonymous.token() ?? "" });
    expect((await upload(harness, anonymous, PNG)).answer.code).toBe("unauthorized");
    const person = harness.visitor({ identity: identityOf({ sub: "member" }) });
    await person.connect();
    expect((await upload(harness, person, PNG)).status).toBe(201);
    const later = harness.visitor({ token: person.token() ?? "" });
    await later.connect();
    await harness.stop();
  });

  it("cannot be configured without a secret, or with a short one", async () => {
    await expect(startHarness({ env: { REQUIRE_IDENTITY: "true" } })).rejects.toThrow("REQUIRE_IDENTITY");
    await expect(startHarness({ env: { IDENTITY_SECRET: "short" } })).rejects.toThrow("IDENTITY_SECRET");
  });
});

describe("a site that publishes the keys of its login (JWKS)", () => {
  it("accepts identities signed by them, and none that use the public key as a secret", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256", use: "sig" };
    const file = join(await mkdtemp(join(tmpdir(), "porchlight-")), "jwks.json");
    await writeFile(file, JSON.stringify({ keys: [jwk] }));
    const harness = await startHarness({ site: { identityKeys: `file:${file}`, requireIdentity: true } });
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = part({ sub: "member", name: "Ada", exp: Math.floor(Date.now() / 1_000) + 600 });
    const signed = `${part({ alg: "ES256", kid: "k1" })}.${claims}`;
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    const identity = `${signed}.${signature.toString("base64url")}`;
    expect(await harness.visitor({ identity }).connect()).toMatchObject({ name: "Ada" });

    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const none = `${part({ alg: "none" })}.${claims}.`;
    for (const forged of [identityOf({ sub: "member" }, pem), identityOf({ sub: "member" }, JSON.stringify(jwk)), none])
      await expect(harness.visitor({ identity: forged }).connect()).rejects.toThrow(String(BAD_TOKEN));
    await harness.stop();
  });
});

describe("a site without keys for identities", () => {
  it("accepts none", async () => {
    const harness = await startHarness();
    const visitor = harness.visitor({ identity: identityOf({ sub: "x" }) });
    await expect(visitor.connect()).rejects.toThrow(String(BAD_TOKEN));
    await harness.stop();
  });
});
