import { describe, expect, it } from "vitest";
import { BOTS, type BotName, botTurn, isScript } from "./bots.ts";
import { setUp } from "./sandbox.fixture.ts";

const HOUR = 3_600_000;

/** The bot's messages within `ms` of virtual time. */
const repliesOf = async (botScript: BotName, body = "hello", ms = 60_000) => {
  const bench = await setUp({ botScript, clock: "virtual" });
  await bench.incoming({ body });
  await bench.sandbox.advance(ms);
  await bench.sandbox.until(({ outgoing }) => outgoing().every(({ status }) => status === "Sent"));
  return bench.client.bodies().map((reply) => String(reply.body));
};

describe("the bot's scripts (R-103, R-606)", () => {
  it("echo repeats the text byte for byte, and silent says nothing", async () => {
    const text = '<b>ÆØÅ</b> 👩‍👩‍👧 "quoted" \\n $& {body}';
    expect(await repliesOf("echo", text)).toEqual([`echo: ${text}`]);
    expect(await repliesOf("silent")).toEqual([]);
  });

  it("slow answers after 25 to 40 seconds", async () => {
    expect(await repliesOf("slow", "hello", 24_999)).toEqual([]);
    expect(await repliesOf("slow", "hello", 40_000)).toEqual(["slow: hello"]);
  });

  it("long sends 10,000 characters, empty sends none", async () => {
    expect((await repliesOf("long"))[0]).toHaveLength(10_000);
    expect(await repliesOf("empty")).toEqual([""]);
  });

  it("markdown, html, rtl and links contain what their names say", async () => {
    expect((await repliesOf("markdown"))[0]).toMatch(/\*\*[\s\S]*```/);
    expect((await repliesOf("html"))[0]).toMatch(/<script>/);
    expect((await repliesOf("rtl"))[0]).toMatch(/[\u0590-\u05ff][\s\S]*[\u0600-\u06ff]/);
    expect((await repliesOf("links"))[0]).toMatch(/https:\/\/[\s\S]*javascript:/);
  });

  it("followUps answers now, in an hour and in two days", async () => {
    const bench = await setUp({ botScript: "followUps", clock: "virtual" });
    await bench.incoming();
    const after = async (ms: number) => {
      await bench.sandbox.advance(ms);
      await bench.sandbox.until(({ outgoing }) => outgoing().every(({ status }) => status !== null));
      return bench.client.received.length;
    };
    expect(await after(0)).toBe(1);
    expect(await after(HOUR)).toBe(2);
    expect(await after(46 * HOUR)).toBe(2);
    expect(await after(HOUR)).toBe(3);
  });

  it("answers a later question while a part of an earlier turn waits for hours", async () => {
    const bench = await setUp({ botScript: "followUps", clock: "virtual" });
    await bench.incoming({ body: "one" });
    await bench.incoming({ body: "two" });
    await bench.sandbox.until(() => bench.client.received.length === 2);
    expect(bench.client.bodies().map(({ body }) => body)).toEqual(["echo: one", "echo: two"]);
  });

  it("answers in the order of the questions", async () => {
    const bench = await setUp({ botScript: "burst", clock: "virtual" });
    for (const body of ["a", "b"]) await bench.incoming({ body });
    await bench.sandbox.advance(1_000);
    await bench.sandbox.until(() => bench.client.received.length === 10);
    const said = bench.client.bodies().map(({ body }) => body);
    expect(said).toEqual([...["a", "b"].flatMap((letter) => [1, 2, 3, 4, 5].map((n) => `${n}/5 ${letter}`))]);
  });

  it("custom rules match texts and patterns, and may quote the visitor's message", async () => {
    const bench = await setUp();
    bench.sandbox.configure({
      botScript: [
        { match: "Price", parts: [{ text: "9 euros" }, { text: "with tax", afterMs: 1 }] },
        { match: "/^(hi|hello)\\b/", parts: [{ text: "Hello! You said {body}" }] },
        { parts: [{ text: "Pardon?" }] },
      ],
    });
    const ask = async (body: string, replies: number) => {
      const before = bench.client.received.length;
      await bench.incoming({ body });
      await bench.sandbox.until(() => bench.client.received.length === before + replies);
      return bench.client
        .bodies()
        .slice(before)
        .map((reply) => reply.body);
    };
    expect(await ask("what PRICE?", 2)).toEqual(["9 euros", "with tax"]);
    expect(await ask("Hello $&", 1)).toEqual(["Hello! You said Hello $&"]);
    expect(await ask("hm", 1)).toEqual(["Pardon?"]);
  });

  it("R-105 a campaign's script answers the messages of that campaign", async () => {
    const bench = await setUp({ botScript: "silent" });
    bench.sandbox.seed({ campaigns: { pricing: "echo" } });
    await bench.incoming();
    await bench.incoming({ campaignId: "pricing", body: "how much?" });
    await bench.sandbox.until(() => bench.client.received.length === 1);
    expect(bench.sandbox.outgoing()).toMatchObject([{ body: "echo: how much?", campaignId: "pricing" }]);
  });

  it("R-102 is silent when it is off, for all contacts or for one", async () => {
    const bench = await setUp({ botActive: false });
    await bench.incoming();
    await bench.incoming({ fromId: "v_grace" });
    bench.sandbox.bot({ fromId: "v_ada" }, true);
    await bench.incoming({ body: "now" });
    await bench.incoming({ fromId: "v_grace" });
    await bench.sandbox.until(() => bench.client.received.length === 1);
    expect(bench.sandbox.outgoing().map(({ body }) => body)).toEqual(["echo: now"]);
    bench.sandbox.bot({ fromId: "v_ada" }, undefined);
    await bench.incoming();
    expect(bench.sandbox.outgoing()).toHaveLength(1);
  });

  it("waits for botDelayMs before the first part", async () => {
    const bench = await setUp({ clock: "virtual", botDelayMs: { min: 25_000, max: 40_000 } });
    await bench.incoming();
    await bench.sandbox.advance(24_999);
    expect(bench.client.received).toHaveLength(0);
    await bench.sandbox.advance(15_001);
    await bench.sandbox.until(() => bench.client.received.length === 1);
  });

  it("refuses invalid scripts", () => {
    const wrong = [
      "parrot",
      7,
      null,
      [{}],
      [{ parts: [{}] }],
      [{ match: "/(/", parts: [] }],
      [{ match: 1, parts: [] }],
    ];
    expect(wrong.filter(isScript)).toEqual([]);
    expect(Object.keys(BOTS).every(isScript)).toBe(true);
  });
});

describe("the shop's assistant", () => {
  const ask = (body: string, more = {}) =>
    botTurn("faq", { body, media: false, turns: 0, random: () => 0, ...more }).map(({ text }) => text);

  it.each([
    ["Do you ship to Norway? <b>ÆØÅ</b> 👋", /Norway/],
    ["how long does delivery take", /working days/],
    ["Can I return my order?", /30 days/],
    ["Where is my parcel?", /tracking/],
    ["When are you open on Saturday?", /Monday to Friday/],
    ["do the sizes run small", /usual size/],
    ["Can I pay by card", /card/],
    ["I want to speak to a human", /colleague/],
    ["are you a bot?", /AI assistant/],
    ["Thank you!", /welcome/],
    ["can you help us", /not sure/],
  ])("answers “%s”", (question, answer) => {
    expect(ask(question).join(" ")).toMatch(answer);
  });

  it("greets by name, thanks for a file, and never gives the same answer twice in a row", () => {
    expect(ask("hi", { firstName: "Ada $&" })[0]).toBe("Hello, Ada $&! Good to see you. What can I help you with?");
    expect(ask("hi")[0]).toMatch(/^Hello! /);
    expect(ask("[image] a.png", { media: true })[0]).toMatch(/arrived/);
    expect(ask("qwerty", { turns: 1 })).not.toEqual(ask("qwerty", { turns: 0 }));
  });

  it("answers after about a second", () => {
    const [first] = botTurn("faq", { body: "hi", media: false, turns: 0, random: () => 0 });
    expect(first?.afterMs).toEqual({ min: 700, max: 1_200 });
  });
});
