import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";

describe("a conversation over the wire", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());

  it("delivers a message to the service, and the reply to the visitor", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const text = "Do you ship to Norway? <b>ÆØÅ</b> 👋";
    const written = await visitor.send(text);
    expect(written).toMatchObject({ text, state: "sent", pos: 1 });
    await visitor.receives(`echo: ${text}`);
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
    expect(visitor.log().map(({ text }) => text)).toEqual([text, `echo: ${text}`]);
  });

  it("delivers quick messages in typing order under one unguessable fromId, none merged with another (R-465, R-466)", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const texts = ["one", "two", "three"].map((word) => `${word} of quick`);
    await Promise.all(texts.map((text) => visitor.send(text)));
    await harness.sandbox.until(
      (sandbox) => sandbox.messages().filter(({ body }) => texts.includes(body)).length === 3,
    );
    const received = harness.sandbox.messages().filter(({ body }) => texts.includes(body));
    expect(received.map(({ body }) => body)).toEqual(texts);
    const ids = new Set(received.map(({ fromId }) => fromId));
    expect(ids.size).toBe(1);
    expect([...ids][0]).toMatch(/^[A-Za-z0-9_]{20,50}$/);
  });

  it("gives every visitor a different fromId", async () => {
    const senders = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const visitor = harness.visitor();
        await visitor.connect();
        await visitor.send(`from visitor ${n}`);
        await visitor.receives(`echo: from visitor ${n}`);
        return harness.sandbox.messages().find(({ body }) => body === `from visitor ${n}`)?.fromId;
      }),
    );
    expect(new Set(senders).size).toBe(3);
  });

  it("answers a repeated send with the stored message and delivers it once", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    const [first, again] = [await visitor.send("once", "same-id-1"), await visitor.send("once", "same-id-1")];
    expect(again.pos).toBe(first.pos);
    await visitor.receives("echo: once");
    expect(harness.sandbox.messages().filter(({ body }) => body === "once")).toHaveLength(1);
  });

  it("continues after a dropped connection without a gap or a duplicate", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    await visitor.send("before the tunnel");
    await visitor.receives("echo: before the tunnel");
    await visitor.sees(({ text, from, n }) => from === "visitor" && text === "before the tunnel" && n > 1);
    await visitor.drop();
    const { fromId } = harness.sandbox.messages().at(-1) ?? {};
    await harness.sandbox.humanReply({ fromId: fromId ?? "", body: "said meanwhile" });
    const head = visitor.head();
    const welcome = await visitor.connect();
    expect(welcome).toMatchObject({ reset: false, after: head });
    await visitor.receives("said meanwhile");
    expect(visitor.log().map(({ text }) => text)).toEqual([
      "before the tunnel",
      "echo: before the tunnel",
      "said meanwhile",
    ]);
  });

  it("shows the whole thread in another tab of the visitor, and messages of both sides live", async () => {
    const first = harness.visitor();
    await first.connect();
    await first.send("from the first tab");
    await first.receives("echo: from the first tab");
    const token = first.token();
    const second = harness.visitor(token === undefined ? {} : { token });
    await second.connect();
    await second.receives("echo: from the first tab");
    await second.send("from the second tab");
    await first.sees(({ text }) => text === "from the second tab");
    await Promise.all([first.receives("echo: from the second tab"), second.receives("echo: from the second tab")]);
  });
});
