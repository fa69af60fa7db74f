import { afterEach, describe, expect, it } from "vitest";
import { runFast } from "./clocks.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { caller, tokenFor } from "./tokens.ts";

let harness: Harness;
let call: ReturnType<typeof caller>;
afterEach(() => harness.stop());

async function open(sandbox: object = {}): Promise<void> {
  harness = await startHarness({ run: runFast(20), sandbox: { ...NO_UNKNOWN_OUTCOMES, ...sandbox }, site: {} });
  call = caller(harness, await tokenFor(harness));
}
const state = async (key: string) => (await call("GET", `/messages/${key}`)).body.state;
const sentTexts = () => harness.sandbox.outgoing().map(({ body }) => body);

describe("a message from the owner's backend", () => {
  it.each([false, "sameId", "otherId", "before"] as const)(
    "is sent once and shown once, in every open tab and on return, when the service sends a callback for it: %s (4.13-21; R-451)",
    async (sendTriggersCallback) => {
      await open({ sendTriggersCallback });
      const visitor = harness.visitor();
      await visitor.greet();
      const fromId = harness.sandbox.messages()[0]?.fromId ?? "";
      await call("POST", "/messages", { to: { visitor: fromId }, text: "Your lamp is on its way" }, "m-1");
      await visitor.receives("Your lamp is on its way");
      await expect.poll(() => state("m-1")).toBe("sent");
      await harness.sandbox.until((all) => all.callbacks().every(({ ok }) => ok));
      // A later message comes later in the thread, so a second copy would be visible by then.
      await visitor.send("thanks");
      await visitor.receives("echo: thanks");
      const { body } = await call("GET", `/visitors/${fromId}/messages`);
      const shown = (body.items as { text: string }[]).map(({ text }) => text);
      expect(shown).toEqual(["hello", "echo: hello", "Your lamp is on its way", "thanks", "echo: thanks"]);
      expect(sentTexts().filter((text) => text.startsWith("Your lamp"))).toHaveLength(1);
    },
  );

  it("reaches a person who has never visited the site, under the id that they get when they log in", async () => {
    await open();
    const sent = await call(
      "POST",
      "/messages",
      { to: { user: "customer-7" }, text: "Welcome", firstName: "Ada", email: "ada@b.example" },
      "w-1",
    );
    expect(sent.body.visitor).toMatch(/^u_/);
    await expect.poll(() => state("w-1")).toBe("sent");
    const [outgoing] = harness.sandbox.outgoing();
    expect(outgoing).toMatchObject({ fromId: sent.body.visitor, body: "Welcome" });
    expect(harness.sandbox.state().contacts).toMatchObject([{ firstName: "Ada", email: "ada@b.example" }]);
    const { body } = await call("GET", `/visitors/${sent.body.visitor}/messages`);
    expect(body.items).toMatchObject([{ from: "reply", text: "Welcome" }]);
    const [person] = (await call("GET", "/visitors")).body.items as { contactId: string }[];
    expect(person?.contactId).toBe(harness.sandbox.state().contacts[0]?.id);
  });

  it("to an anonymous id is exported and erased with the user that its visitor became (R-902)", async () => {
    harness = await startHarness({ sandbox: NO_UNKNOWN_OUTCOMES, env: { IDENTITY_SECRET } });
    call = caller(harness, await tokenFor(harness));
    const visitor = harness.visitor();
    await visitor.greet();
    const order = { to: { visitor: harness.sandbox.messages()[0]?.fromId }, text: "An offer", email: "ada@b.example" };
    await call("POST", "/messages", order, "o-1");
    await visitor.receives("An offer");
    const token = visitor.token() ?? "";
    await harness.visitor({ token, identity: identityOf({ sub: "customer-7" }) }).connect();
    const [user] = (await call("GET", "/visitors")).body.items as { id: string }[];
    expect((await call("GET", `/visitors/${user?.id}/export`)).body.sent).toMatchObject([{ text: "An offer" }]);
    expect((await call("DELETE", `/visitors/${user?.id}`, undefined, "erase-1")).status).toBe(204);
    expect((await call("GET", "/messages/o-1")).body.text).toBe("");
    expect((await call("POST", "/messages", order, "o-1")).status).toBe(404);
  });

  it.each([
    { kind: "resetConnection", when: "after" },
    { kind: "hangRequest", when: "after", ms: 500 },
    { kind: "status", status: 500, when: "after" },
    { kind: "cutBody" },
  ] as const)(
    "is never sent again automatically after %j; a person sets the outcome (4.13-6; R-452)",
    async (fault) => {
      await open();
      harness.sandbox.failNext("send", 1, fault);
      const to = { user: "customer-7" };
      await call("POST", "/messages", { to, text: "Perhaps" }, "u-1");
      await expect.poll(() => state("u-1")).toBe("unknown");
      await call("POST", "/messages", { to, text: "After it" }, "u-2");
      await expect.poll(() => state("u-2")).toBe("sent");
      const { body } = await call("POST", "/messages/u-1/resolve", { sent: true, reason: "seen in the app" }, "r-1");
      expect(body.state).toBe("sent");
      const thread = await call("GET", `/visitors/${body.visitor}/messages`);
      expect((thread.body.items as { text: string }[]).map(({ text }) => text).sort()).toEqual(["After it", "Perhaps"]);
      expect(sentTexts().filter((text) => text === "Perhaps")).toHaveLength(1);
    },
  );

  it.each([
    ["before its call is over", "before"],
    ["after it", false],
  ] as const)(
    "counts as sent when it comes back as a callback %s, with the service's id",
    async (_, sendTriggersCallback) => {
      await open({ sendTriggersCallback });
      harness.sandbox.failNext("send", 1, { kind: "status", status: 500, when: "after" });
      const { visitor } = (await call("POST", "/messages", { to: { user: "customer-7" }, text: "Perhaps" }, "p-1"))
        .body;
      const before = sendTriggersCallback === "before";
      if (!before) {
        await expect.poll(() => state("p-1")).toBe("unknown");
        await harness.sandbox.humanReply({ fromId: String(visitor), body: "Perhaps" });
      }
      await expect.poll(() => state("p-1")).toBe("sent");
      const { body } = await call("GET", "/messages/p-1");
      const ids = harness.sandbox.outgoing().map(({ messageId }) => messageId);
      expect(body).toMatchObject({ reason: "came back as a reply", messageId: before ? ids[0] : ids[1] });
      const thread = await call("GET", `/visitors/${visitor}/messages`);
      expect(thread.body.items).toMatchObject([{ text: "Perhaps" }]);
    },
  );

  it("is shown once although it comes back with other line ends (R-451)", async () => {
    await open({ sendTriggersCallback: false });
    const text = "Two lamps:\r\none\r\ntwo";
    const { visitor } = (await call("POST", "/messages", { to: { user: "customer-7" }, text }, "n-1")).body;
    await expect.poll(() => state("n-1")).toBe("sent");
    await harness.sandbox.humanReply({ fromId: String(visitor), body: "Two lamps:\none\ntwo" });
    await harness.sandbox.humanReply({ fromId: String(visitor), body: "after it" });
    const seen = async () => (await call("GET", `/visitors/${visitor}/messages`)).body.items as { text: string }[];
    await expect.poll(async () => (await seen()).map((message) => message.text)).toEqual([text, "after it"]);
  });

  it.each(["sameId", "before"] as const)(
    "hides no later reply with the same text, once it has come back as a callback: %s (R-451)",
    async (sendTriggersCallback) => {
      await open({ sendTriggersCallback });
      const { visitor } = (await call("POST", "/messages", { to: { user: "customer-7" }, text: "Hello" }, "e-1")).body;
      await expect.poll(() => state("e-1")).toBe("sent");
      await harness.sandbox.until((all) => all.callbacks().length > 0 && all.callbacks().every(({ ok }) => ok));
      await harness.sandbox.humanReply({ fromId: String(visitor), body: "Hello" });
      const seen = async () => (await call("GET", `/visitors/${visitor}/messages`)).body.items as { text: string }[];
      await expect.poll(async () => (await seen()).map(({ text }) => text)).toEqual(["Hello", "Hello"]);
    },
  );

  it("is sent again when it certainly was not sent, and fails visibly when it is refused", async () => {
    await open();
    harness.sandbox.failNext("send", 1, 400);
    await call("POST", "/messages", { to: { user: "a" }, text: "Never" }, "s-1");
    await expect.poll(() => state("s-1")).toBe("failed");
    harness.sandbox.failNext("send", 1, 401);
    await call("POST", "/messages", { to: { user: "a" }, text: "Soon" }, "s-2");
    await expect.poll(() => state("s-2")).toBe("sent");
    expect(sentTexts()).toEqual(["Soon"]);
  });

  it("is sent in the order of writing, even when the first one has to wait", async () => {
    await open();
    harness.sandbox.failNext("send", 1, 401);
    for (const [i, text] of ["first", "second", "third"].entries())
      await call("POST", "/messages", { to: { user: "a" }, text }, `o-${i}`);
    await expect.poll(() => state("o-2")).toBe("sent");
    expect(sentTexts()).toEqual(["first", "second", "third"]);
  });

  it("to an unknown person, to nobody, or without text is refused at once", async () => {
    await open();
    expect((await call("POST", "/messages", { to: { visitor: "v_made_up" }, text: "x" }, "n-1")).status).toBe(404);
    expect((await call("POST", "/messages", { to: {}, text: "x" }, "n-2")).status).toBe(400);
    expect((await call("POST", "/messages", { to: { user: "a" }, text: "\u200b" }, "n-3")).status).toBe(400);
    expect(harness.sandbox.requests().filter(({ route }) => route === "send")).toEqual([]);
  });
});
