import { CLOSE_CODE } from "@porchlight/shared/close";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { frameOf, only, replyOf, WELCOME } from "./script.fixture.ts";
import { firstVisit, KEY, sends, states, visit } from "./visit.fixture.ts";

let { world, browser, tab, script, chat, online } = firstVisit();
beforeEach(() => {
  ({ world, browser, tab, script, chat, online } = firstVisit());
});

/** Loads the page once more: the visitor's next tab. */
const load = () => {
  ({ tab, script, chat, online } = visit(browser));
};

describe("before the visitor opens the chat", () => {
  it("uses neither storage nor network nor page events", () => {
    const look = vi.spyOn(browser.storage, "get");
    world.advance(60_000);
    expect(look).not.toHaveBeenCalled();
    expect(browser.storage.size).toBe(0);
    expect(script.wires).toHaveLength(0);
    expect(tab.listening()).toBe(0);
    expect(world.pending()).toBe(0);
  });
});

describe("the hello", () => {
  it("of a new visitor has no token; the chat stores the token that it receives", () => {
    const wire = online({ token: "secret" });
    expect(wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop" });
    expect(JSON.parse(browser.storage.get(KEY) ?? "")).toMatchObject({ token: "secret", epoch: "e1" });
    expect(chat.ready.value).toBe(true);
  });

  it("after a lost connection contains token, epoch and newest number", () => {
    const wire = online({ head: 2 });
    wire.deliver(frameOf(replyOf(1)));
    wire.deliver(frameOf(replyOf(2)));
    wire.close(1006);
    world.advance(1_000);
    script.wire.open();
    expect(script.wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop", token: "token-1", epoch: "e1", since: 2 });
  });

  it("is answered with the relay's time, to which the times of all messages are adjusted", () => {
    const wire = online({ head: 1, now: world.now() + 86_400_000 + 1_234 });
    wire.deliver(frameOf(replyOf(1, { at: world.now() + 86_400_000 })));
    expect(chat.items.value.map(({ at }) => at)).toEqual([world.now()]);
    wire.close(1006);
    world.advance(1_000);
    script.greet({ reset: false, after: 1, head: 2, now: world.now() + 1_234 });
    script.wire.deliver(frameOf(replyOf(2, { at: world.now() })));
    expect(chat.items.value.at(-1)?.at).toBe(world.now());
  });

  it("after a reload requests the whole thread, because the tab holds no messages", () => {
    online();
    tab.kill();
    load();
    chat.start();
    script.wire.open();
    expect(script.wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop", token: "token-1" });
  });

  it("contains no number of another visitor's log", () => {
    online();
    browser.storage.set(KEY, JSON.stringify({ token: "another", epoch: "e1" }));
    script.wire.close(1006);
    world.advance(1_000);
    script.wire.open();
    expect(script.wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop", token: "another" });
  });

  it("after a refused token leads to a new visitor, who keeps the unsent messages", () => {
    const wire = online();
    wire.close(1006);
    chat.send("still here");
    world.advance(1_000);
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    const next = script.greet({ token: "token-2" });
    expect(next.sent[0]).toEqual({ t: "hello", v: 1, site: "shop" });
    expect(sends(next)).toEqual(["still here"]);
  });

  it("without a token is not repeated after a refusal: the connection ends", () => {
    chat.start();
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    expect(chat.link.value).toBe("ended");
    expect(chat.ending.value).toBe("badToken");
    world.advance(60_000);
    expect(script.wires).toHaveLength(1);
  });

  it("uses the token that another new tab received a moment earlier", () => {
    const other = visit(browser);
    chat.start();
    other.chat.start();
    script.wire.open();
    other.script.greet({ token: "first" });
    script.wire.deliver({ ...WELCOME, token: "second" });
    script.wire.open();
    expect(script.wire.sent[0]).toMatchObject({ token: "first" });
    expect(browser.storage.get(KEY)).toContain("first");
  });

  it("leads to a visible thread only when all of it has arrived", () => {
    const wire = online({ after: 0, head: 2 });
    expect(chat.ready.value).toBe(false);
    wire.deliver(frameOf(replyOf(1)));
    expect(chat.items.value).toEqual([]);
    wire.deliver(frameOf(replyOf(2)));
    expect(chat.ready.value).toBe(true);
    expect(states(chat)).toEqual(["answer 1: received", "answer 2: received"]);
  });

  it("answered with reset drops the messages of the tab", () => {
    const wire = online({ head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    chat.send("mine");
    wire.close(1006);
    world.advance(1_000);
    const next = script.greet({ reset: true, after: 8, head: 9, older: true, epoch: "e2" });
    next.deliver(frameOf(replyOf(9)));
    expect(states(chat)).toEqual(["answer 9: received", "mine: sending"]);
    expect(chat.older.value).toBe(true);
  });
});

describe("catching up", () => {
  it("sends hello again when a frame continues from a number that the tab does not have", () => {
    const wire = online();
    wire.deliver(frameOf(replyOf(3), 2));
    expect(wire.closed).toBe(true);
    expect(chat.items.value).toEqual([]);
    world.advance(1_000);
    script.wire.open();
    expect(script.wire.sent[0]).toMatchObject({ since: 0 });
  });

  it("sends hello again when announced messages do not arrive", () => {
    const wire = online();
    wire.deliver({ t: "pong", head: 3 });
    world.advance(4_000);
    expect(wire.closed).toBe(false);
    world.advance(1_000);
    expect(wire.closed).toBe(true);
  });

  it("keeps its connection when announced messages arrive", () => {
    const wire = online();
    wire.deliver({ t: "pong", head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    world.advance(20_000);
    expect(wire.closed).toBe(false);
  });

  it("requests one older page at a time", () => {
    const wire = online({ after: 40, head: 41, older: true });
    wire.deliver(frameOf(replyOf(41)));
    chat.loadOlder();
    chat.loadOlder();
    expect(only(wire.sent, "older")).toEqual([{ t: "older", before: 41 }]);
    wire.deliver({ t: "history", before: 41, messages: [replyOf(1), replyOf(30)], older: false });
    expect(states(chat)).toEqual(["answer 1: received", "answer 30: received", "answer 41: received"]);
    expect(chat.older.value).toBe(false);
    chat.loadOlder();
    expect(only(wire.sent, "older")).toHaveLength(1);
  });
});

describe("a signed identity", () => {
  it("is sent in a new hello with the token; later hellos use the new token", () => {
    online();
    chat.identify("jwt");
    const wire = script.greet({ token: "token-user" });
    expect(wire.sent[0]).toMatchObject({ token: "token-1", identity: "jwt" });
    wire.close(1006);
    world.advance(1_000);
    script.wire.open();
    expect(script.wire.sent[0]).toMatchObject({ token: "token-user", since: 0 });
    expect(script.wire.sent[0]).not.toHaveProperty("identity");
  });

  it("is adopted by every other tab", () => {
    const other = visit(browser);
    online();
    other.chat.start();
    const wire = other.script.greet({ token: undefined });
    chat.identify("jwt");
    wire.close(CLOSE_CODE.badToken);
    script.greet({ token: "token-user", name: "Ada" });
    expect(chat.name.value).toBe("Ada");
    expect(chat.token()).toBe("token-user");
    world.advance(1_000);
    other.script.wire.open();
    expect(other.script.wire.sent[0]).toMatchObject({ token: "token-user" });
    expect(other.script.wire.sent[0]).not.toHaveProperty("since");
  });

  it("is adopted immediately by a tab whose connection is still open", () => {
    const other = visit(browser);
    online();
    other.chat.start();
    const wire = other.script.greet({ token: undefined });
    chat.identify("jwt");
    script.greet({ token: "token-user" });
    world.advance(10);
    expect(wire.closed).toBe(true);
    other.script.wire.open();
    expect(other.script.wire.sent[0]).toMatchObject({ token: "token-user" });
  });

  it("is dropped when the relay refuses it, and the page gets an error", () => {
    const errors: string[] = [];
    chat.on("error", ({ code }) => errors.push(code));
    online();
    chat.identify("jwt");
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    script.wire.open();
    expect(script.wire.sent[0]).not.toHaveProperty("identity");
    expect(script.wire.sent[0]).toMatchObject({ token: "token-1" });
    expect(errors).toEqual(["not_allowed"]);
  });

  it("is reported to the page when the relay has accepted it, and the name remains until the next identity", () => {
    let identified = 0;
    chat.on("identify", () => identified++);
    online();
    chat.identify("jwt");
    expect(identified).toBe(0);
    script.greet({ token: "token-user", name: "Ada" });
    expect(identified).toBe(1);
    // The connection is lost, and then the relay refuses a forged identity.
    script.wire.close(1006);
    world.advance(1_000);
    script.greet({ reset: false, token: undefined });
    chat.identify("forged");
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    script.greet({ reset: false, token: undefined });
    expect([identified, chat.name.value]).toEqual([1, "Ada"]);
    chat.identify("another");
    script.greet({ token: "token-another" });
    expect([identified, chat.name.value]).toEqual([2, undefined]);
  });

  it("loses its name when its token is refused", () => {
    online();
    chat.identify("jwt");
    script.greet({ token: "token-user", name: "Ada" });
    script.wire.close(1006);
    world.advance(1_000);
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    script.greet({ token: "token-new" });
    expect(chat.name.value).toBeUndefined();
  });
});

describe("a form", () => {
  const form = { t: "lead", chat: true, email: "ada@example.com" } as const;

  it("is sent again over each new connection until it is stored, with one id", async () => {
    const wire = online();
    const done = chat.submit(form);
    wire.close(1006);
    world.advance(1_000);
    const next = script.greet({ reset: false, token: undefined });
    const [first, second] = [wire, next].flatMap(({ sent }) => only(sent, "lead"));
    expect(first).toEqual({ id: first?.id, ...form });
    expect(second).toEqual(first);
    next.deliver({ t: "lead", id: first?.id ?? "" });
    expect(await done).toBeUndefined();
    expect(JSON.stringify([...browser.storage.values()])).not.toContain("ada@");
  });

  it("with an address marks the address as known once it is stored; so does the relay's welcome; a logout resets it", async () => {
    const wire = online();
    const done = [chat.submit({ t: "lead", chat: true, firstName: "Ada" }), chat.submit(form)];
    const known: unknown[] = [chat.email.value];
    for (const { id } of only(wire.sent, "lead")) {
      wire.deliver({ t: "lead", id });
      known.push(chat.email.value);
    }
    await Promise.all(done);
    wire.close(1006);
    world.advance(1_000);
    script.greet({ reset: false, token: undefined, email: true });
    known.push(chat.email.value);
    chat.logout();
    known.push(chat.email.value);
    expect(known).toEqual([undefined, undefined, true, true, undefined]);
  });

  it("resolves with the relay's error, which is not shown elsewhere", async () => {
    const wire = online();
    const done = chat.submit(form);
    wire.deliver({ t: "error", code: "invalid_email", id: only(wire.sent, "lead")[0]?.id ?? "" });
    expect(await done).toBe("invalid_email");
    expect(chat.notice.value).toBeUndefined();
  });

  it("is shown again once when the service refuses a field later, and again after a corrected form", async () => {
    const wire = online();
    const refusal = { t: "error", code: "invalid_phone", id: "the-same-form", field: "phone" } as const;
    const done = chat.submit({ t: "lead", chat: true, phone: "+4930123456" }, refusal.id);
    wire.deliver({ t: "lead", id: refusal.id });
    await done;
    wire.deliver(refusal);
    expect(chat.refused.value).toEqual({ id: refusal.id, field: "phone" });
    chat.refused.value = undefined;
    // The relay repeats the error with every welcome. A visitor who has closed the form does not see it again.
    wire.deliver(refusal);
    expect([chat.refused.value, chat.notice.value]).toEqual([undefined, undefined]);
    void chat.submit({ t: "lead", chat: true, phone: "+49301234567" }, refusal.id);
    wire.deliver({ t: "lead", id: refusal.id });
    wire.deliver(refusal);
    expect(chat.refused.value).toEqual({ id: refusal.id, field: "phone" });
  });
});

describe("other frames", () => {
  it("report typing at most every 3 s", () => {
    const wire = online();
    chat.typing();
    chat.typing();
    world.advance(3_000);
    chat.typing();
    expect(only(wire.sent, "typing")).toHaveLength(2);
  });

  it("send a reaction", () => {
    const wire = online();
    chat.react("reply-1", "👍");
    expect(only(wire.sent, "react")).toEqual([{ t: "react", id: "reply-1", emoji: "👍" }]);
  });

  it("update the delivery state", () => {
    const wire = online({ delivery: "delayed" });
    expect(chat.delivery.value).toBe("delayed");
    wire.deliver({ t: "status", delivery: "ok" });
    expect(chat.delivery.value).toBe("ok");
  });
});
