import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type House, startHouse } from "../harness.ts";
import { runProcess } from "../relays.ts";

describe("a relay that is killed", () => {
  let house: House;
  beforeEach(async () => {
    house = await startHouse({ run: runProcess });
  });
  afterEach(() => house.stop());

  it("delivers an acknowledged message exactly once after it starts again", async () => {
    const visitor = house.visitor();
    await visitor.connect();
    house.sandbox.configure({ forceStatus: { incoming: 503 } });
    const written = await visitor.send("written down, not yet delivered");
    expect(written.state).toBe("sent");
    await house.kill();
    expect(house.sandbox.messages()).toEqual([]);

    house.sandbox.configure({ forceStatus: {} });
    await house.start();
    await visitor.connect();
    await visitor.receives("echo: written down, not yet delivered");
    expect(house.sandbox.messages().map(({ body }) => body)).toEqual(["written down, not yet delivered"]);
  });

  it("delivers once although the service had the message and the relay died before the answer", async () => {
    const visitor = house.visitor();
    await visitor.connect();
    house.sandbox.failNext("incoming", 1, { kind: "hangRequest", when: "after" });
    await visitor.send("received but not confirmed");
    await house.sandbox.until((sandbox) => sandbox.messages().length === 1);
    await house.kill();
    await house.start();
    await visitor.connect();
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
    expect(house.sandbox.messages()).toHaveLength(1);
    const [first, second, ...more] = house.sandbox.requests();
    expect(second?.body).toEqual(first?.body);
    expect(more).toEqual([]);
  });

  it("keeps every reply that it answered with 200, in order", async () => {
    const visitor = house.visitor();
    await visitor.connect();
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await visitor.drop();
    const { fromId = "" } = house.sandbox.messages()[0] ?? {};
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => house.sandbox.humanReply({ fromId, body: `reply ${n}` })),
    );
    await house.kill();
    await house.start();
    await visitor.connect();
    const kept = sent.filter(({ status }) => status === "Sent").map(({ body }) => body);
    await visitor.receives(kept.at(-1) ?? "");
    expect(visitor.log().flatMap(({ from, text }) => (from === "reply" ? [text] : []))).toEqual([
      "echo: hello",
      ...kept,
    ]);
  });
});
