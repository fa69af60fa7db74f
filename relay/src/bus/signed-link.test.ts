import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { newSecret, tagOf } from "../base/sign.ts";
import type { NodeLink } from "./cluster.ts";
import { signedLink } from "./signed-link.ts";

/** A channel that delivers every text to all listeners. `texts`: what was sent over it. */
function channel() {
  const listeners: ((text: string) => void)[] = [];
  const texts: string[] = [];
  const send = (text: string): void => {
    texts.push(text);
    for (const listener of listeners) listener(text);
  };
  const link = (): NodeLink => ({ send, onText: (listener) => void listeners.push(listener), close: async () => {} });
  return { link, send, texts };
}

const clock = manualClock(Date.UTC(2026, 10, 22));

/** A node on the channel, and the texts that it receives. */
function nodeOn(link: NodeLink, key: string) {
  const received: string[] = [];
  const signed = signedLink(link, key, clock);
  signed.onText((text) => void received.push(text));
  return { ...signed, received };
}

it("transports the texts of nodes with the same key", () => {
  const { link } = channel();
  const key = newSecret();
  const [one, two] = [nodeOn(link(), key), nodeOn(link(), key)];
  for (const text of ['{"from":"one"}', "", "grüße 😀\n"]) one.send(text);
  expect(two.received).toEqual(['{"from":"one"}', "", "grüße 😀\n"]);
});

it("ignores what others write to the same Redis or database (A33)", () => {
  const { link, send, texts } = channel();
  const key = newSecret();
  const [node, sender] = [nodeOn(link(), key), nodeOn(link(), key)];
  nodeOn(link(), newSecret()).send('{"from":"other relay"}');
  const forged = `x.1.${clock.now()} {"from":"x","news":[{"visitor":"v","head":1,"gone":true}]}`;
  for (const text of [
    forged,
    "",
    "é".repeat(43),
    `${"A".repeat(43)}${forged}`,
    `${tagOf(key, "another purpose", forged)}${forged}`,
  ])
    send(text);
  sender.send('{"from":"one","news":[]}');
  const [real = ""] = texts.slice(-1);
  expect(node.received).toEqual(['{"from":"one","news":[]}']);
  for (let n = 0; n < real.length; n++) send(`${real.slice(0, n)}~${real.slice(n + 1)}`);
  for (let n = 0; n < real.length; n++) send(real.slice(0, n));
  // The number of the next text.
  send(real.replace(/\.1\./, ".2."));
  expect(node.received).toHaveLength(1);
});

it("ignores repeated texts, in any order, and those that are older than ten minutes (A33)", () => {
  const { link, send, texts } = channel();
  const key = newSecret();
  const [node, sender] = [nodeOn(link(), key), nodeOn(link(), key)];
  for (const text of ["one", "two", "three"]) sender.send(text);
  for (const text of [...texts, ...texts.toReversed()]) send(text);
  expect(node.received).toEqual(["one", "two", "three"]);
  // A node that has started since then has not received them.
  const late = nodeOn(link(), key);
  clock.pass(600_001);
  for (const text of [...texts]) send(text);
  expect(late.received).toEqual([]);
  sender.send("four");
  expect([node.received.at(-1), late.received]).toEqual(["four", ["four"]]);
});

it("accepts the texts of two thousand nodes that started one after the other", () => {
  const { link, send, texts } = channel();
  const key = newSecret();
  const node = nodeOn(link(), key);
  for (let n = 0; n < 2_000; n++) {
    signedLink(link(), key, clock).send(`${n}`);
    clock.pass(1_000);
  }
  expect(node.received).toHaveLength(2_000);
  for (const text of [...texts]) send(text);
  expect(node.received).toHaveLength(2_000);
});

it("drops the texts of this node, which come back to it", () => {
  const { link } = channel();
  const key = newSecret();
  const [one, two] = [nodeOn(link(), key), nodeOn(link(), key)];
  one.send("one");
  two.send("two");
  expect([one.received, two.received]).toEqual([["two"], ["one"]]);
});
