import { expect, it } from "vitest";
import { newSecret, tagOf } from "../base/sign.ts";
import { isFrom, type NodeLink } from "./cluster.ts";
import { signedLink } from "./signed-link.ts";

/** A channel that delivers every text to all listeners. */
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

/** A node on the channel, and the texts that it receives. */
function nodeOn(link: NodeLink, key: string, isOwn = (_: string) => false) {
  const received: string[] = [];
  const signed = signedLink(link, key, isOwn);
  signed.onText((text) => void received.push(text));
  return { ...signed, received };
}

it("transports the texts of nodes with the same key", () => {
  const { link } = channel();
  const key = newSecret();
  const [one, two] = [nodeOn(link(), key), nodeOn(link(), key)];
  for (const text of ['{"from":"one"}', "", "grüße 😀"]) one.send(text);
  expect(two.received).toEqual(['{"from":"one"}', "", "grüße 😀"]);
});

it("ignores what others write to the same Redis or database (A33)", () => {
  const { link, send, texts } = channel();
  const key = newSecret();
  const node = nodeOn(link(), key);
  nodeOn(link(), newSecret()).send('{"from":"other relay"}');
  const forged = '{"from":"x","news":[{"visitor":"v","head":1,"gone":true}]}';
  for (const text of [
    forged,
    "",
    "é".repeat(43),
    `${"A".repeat(43)}${forged}`,
    `${tagOf(key, "another purpose", forged)}${forged}`,
  ])
    send(text);
  node.send('{"from":"one","news":[]}');
  const [real = ""] = texts.slice(-1);
  expect(node.received).toEqual(['{"from":"one","news":[]}']);
  for (let n = 0; n < real.length; n++) send(`${real.slice(0, n)}~${real.slice(n + 1)}`);
  for (let n = 0; n < real.length; n++) send(real.slice(0, n));
  expect(node.received).toHaveLength(1);
});

it("drops the texts of this node, which come back to it, and no others", () => {
  const { link } = channel();
  const key = newSecret();
  const [one, two] = [nodeOn(link(), key, isFrom("one")), nodeOn(link(), key, isFrom("one two"))];
  for (const from of ["one", "one two", "two"]) one.send(JSON.stringify({ from, news: [] }));
  expect(one.received).toEqual(['{"from":"one two","news":[]}', '{"from":"two","news":[]}']);
  expect(two.received).toEqual(['{"from":"one","news":[]}', '{"from":"two","news":[]}']);
});
