import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Inline } from "../../widget/src/text/inline.ts";
import { type Block, parseMarkdown } from "../../widget/src/text/markdown.ts";
import { PAYLOADS } from "../browser/checks/payloads.ts";
import { COMPILE_CACHE } from "../compile-cache.ts";
import { corpus } from "../corpora.ts";
import type { Payloads, Result } from "./attack.ts";
import type { Steps } from "./steps.ts";
import { replyOf, type Testbed } from "./testbed.ts";
import { naughtyStrings } from "./wire.ts";

type Link = Extract<Inline, { kind: "link" }>;

/** These nodes and all nodes inside them. */
const withNested = (nodes: readonly Inline[]): Inline[] =>
  nodes.flatMap((node) => [node, ...("children" in node ? withNested(node.children) : [])]);

/** All nodes inside a block. */
function within(block: Block): (Block | Inline)[] {
  if (block.kind === "list") return block.items.flatMap(({ blocks }) => nodesOf(blocks));
  if (block.kind === "quote" || block.kind === "card") return nodesOf(block.blocks);
  if (block.kind === "table") return withNested([block.head, ...block.rows].flat(2));
  return "children" in block ? withNested(block.children) : [];
}

/** All nodes of a reply's tree, nested ones included. */
const nodesOf = (blocks: readonly Block[]): (Block | Inline)[] => blocks.flatMap((block) => [block, ...within(block)]);
const linksIn = (text: string): Link[] =>
  nodesOf(parseMarkdown(text)).filter((node): node is Link => node.kind === "link");

/** Addresses that could run something, from the corpus and our own. */
function hostileAddresses(): string[] {
  const file = corpus("xss/url-vectors.json");
  const known = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { url: string }[]).map(({ url }) => url)
    : [];
  return [
    ...known,
    "javascript:alert(1)",
    " JaVa\tscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://a/x",
    "file:///etc/passwd",
  ];
}

/** A13: hostile addresses in every syntax of a link. Succeeds when a link has another scheme than the four allowed ones. */
export async function hostileLinks(): Promise<Result> {
  const addresses = hostileAddresses();
  const spellings = (address: string): string[] => [
    `[here](${address})`,
    `[here](<${address}>)`,
    `[here](${address} "title")`,
    `<${address}>`,
    address,
    `![here](${address})`,
    `[${address}](${address})`,
  ];
  const tries = addresses.flatMap(spellings);
  const allowed = (link: Link): boolean => ["http:", "https:", "mailto:", "tel:"].includes(new URL(link.href).protocol);
  const succeeded = tries.flatMap(linksIn).filter((link) => !allowed(link)).length;
  const firing = addresses.filter(
    (address) => URL.canParse(address) && /^(javascript|data|vbscript):/.test(new URL(address).protocol),
  );
  return {
    tried: tries.length,
    succeeded,
    control: `the platform reads ${firing.length} of ${addresses.length} addresses as script or data`,
  };
}

/** An address as a picture in Markdown and HTML, in many spellings. */
export function pictures(address: string): string[] {
  const ways = [
    `![x](${address})`,
    `![](${address})`,
    `![x](<${address}>)`,
    `![x](${address} "t")`,
    `![x][1]\n\n[1]: ${address}`,
    `[![x](${address})](https://shop.example)`,
    `<img src="${address}">`,
    `<img srcset="${address} 2x">`,
    `<picture><source srcset="${address}"></picture>`,
    `<input type=image src="${address}">`,
    `<video poster="${address}"></video>`,
    `<audio src="${address}" autoplay></audio>`,
    `<div style="background:url(${address})">x</div>`,
    `<style>@import url(${address});</style>`,
    `<link rel=stylesheet href="${address}">`,
    `<link rel=prefetch href="${address}">`,
    `<object data="${address}"></object>`,
    `<embed src="${address}">`,
    `<iframe src="${address}"></iframe>`,
    `<svg><image href="${address}"/></svg>`,
  ];
  return [
    ...ways,
    ...ways.map((way) => `**${way}**`),
    ...ways.map((way) => `- ${way}`),
    ...ways.map((way) => `\`${way}`),
    ...ways.map((way) => `# ${way}`),
    ...ways.map((way) => `> ${way}`),
    ...ways.map((way) => `> # ${way}\n> ${way}`),
    ...ways.map((way) => `| ${way} |\n|---|\n| ${way} |`),
  ];
}

/** A15: pictures in replies. Succeeds when the parser creates a node of an unknown kind, such as a picture. */
export async function trackingPictures(): Promise<Result> {
  const tries = ["https://evil.example/p.png", "//evil.example/p.png"].flatMap(pictures);
  const kinds = new Set([
    "paragraph",
    "list",
    "quote",
    "card",
    "table",
    "rule",
    "code",
    "text",
    "bold",
    "italic",
    "strike",
    "link",
  ]);
  const succeeded = tries.flatMap((text) => nodesOf(parseMarkdown(text))).filter(({ kind }) => !kinds.has(kind)).length;
  const links = tries.flatMap(linksIn).length;
  return { tried: tries.length, succeeded, control: `${links} pictures became links that a visitor can follow` };
}

/** Spellings of a host that a reader recognizes but a program may not. */
const DISGUISES: ((host: string) => string)[] = [
  (host) => host,
  (host) => `https://${host}/login`,
  (host) => host.toUpperCase(),
  (host) => (/^\d/.test(host) ? host : `www.${host}`),
  ...["\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\ufe0f", "\u{e0061}", "\u034f", "\u180e"].map(
    (mark) => (host: string) => host.replace(".", `${mark}.`),
  ),
  ...["\u2024", "\u3002", "\uff0e", "\uff61", "\ufe52"].map((dot) => (host: string) => host.replace(".", dot)),
  (host) => [...host].map((c) => (/[a-z]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c)).join(""),
  (host) => `**${host}**`,
  (host) => `support@${host}`,
  (host) => `mailto:a@${host}`,
  (host) => `Visit ${host}.`,
  ...["!", ":", ":443", "»", "”", "’s", "🔒", "—now", "→", "&"].map((mark) => (host: string) => host + mark),
  ...["«", "“", "🔒", "—", "#", "and/"].map((mark) => (host: string) => mark + host),
  (host) => `[${host}]`,
  (host) => host.replace(/\.(?=\p{L})/u, " ."),
  (host) => host.replace(/\.(?=\p{L})/u, ".\u2009"),
  (host) => host.replace(/(?<=[a-z])\.(?=[a-z])/, "·"),
  (host) => `\u202e${host}`,
];
const EVIL = "https://evil.example/a";
const HOSTS = [
  "bank.example",
  "shop.example",
  "bücher.example",
  "пример.рф",
  "192.0.2.1",
  "paypal.com",
  "a-b.co.uk",
  "xn--80ak6aa92e.com",
];

/** Replies in which only a part of the name of a host is a link, for every place in the name. */
const partlyLinked = (host: string): string[] =>
  [...host].slice(1).flatMap((_, i) => {
    const [start, end] = [[...host].slice(0, i + 1).join(""), [...host].slice(i + 1).join("")];
    return [`Go to ${start}[${end}](${EVIL}) now`, `[${start}](${EVIL})${end}`, `**${start}**[${end}/login](${EVIL})`];
  });

/**
 * A16: labels that name another host than their link, alone or with the word around them. Succeeds when a link does not show its
 * real host beside the label.
 */
export async function misleadingLabels(): Promise<Result> {
  const labels = HOSTS.flatMap((host) => DISGUISES.map((disguise) => `[${disguise(host)}](${EVIL})`));
  const texts = [...labels, ...HOSTS.flatMap(partlyLinked)];
  let succeeded = texts.flatMap(linksIn).filter(({ host }) => host !== "evil.example").length;
  const userinfo = [
    "https://bank.example@evil.example/",
    "https://bank.example:x@evil.example/",
    "https://bank.example%2f@evil.example/",
  ];
  succeeded += userinfo
    .flatMap((address) => [address, `[x](${address})`])
    .flatMap(linksIn)
    .filter(({ href }) => new URL(href).username !== "").length;
  const unmarked = HOSTS.filter((host) =>
    linksIn(`[${host}](https://${host}/)`).every((link) => link.host === undefined),
  );
  return {
    tried: texts.length + 2 * userinfo.length,
    succeeded,
    control: `${unmarked.length} of ${HOSTS.length} labels that name the real host stay unmarked`,
  };
}

/**
 * A31: texts that could end a log line or start one, in every field. Succeeds with a line that is not JSON, or that contains
 * a visitor's text.
 */
export async function forgedLines(testbed: Testbed): Promise<Result> {
  const marks = [
    "\r\n",
    "\n",
    "\u0085",
    "\u2028",
    "\u001b[2J",
    '"}\n{"level":50,"event":"forged"}',
    "\u0000",
    "\\",
    '"',
  ];
  const tries = testbed.sample([...marks, ...naughtyStrings().filter((text) => text.length < 300)]);
  const { visitor, id } = await testbed.knownVisitor("words of A31");
  for (const [n, text] of tries.entries()) {
    await visitor
      .send(`private-words ${text}`, `log-line-${n}`, {
        page: `/${text.slice(0, 100)}`,
        title: `private-words ${text}`.slice(0, 200),
      })
      .catch(() => undefined);
    await testbed.callback(replyOf(id, `private-words ${text}`, { contactId: text, channel: text }));
    await testbed.callback(replyOf(`private-words${text}`, "x"));
  }
  const lines = testbed.harness.lines();
  const isJson = (line: string): boolean => {
    try {
      return typeof JSON.parse(line) === "object";
    } catch {
      return false;
    }
  };
  const succeeded = lines.filter(
    (line) => !isJson(line) || line.includes("private-words") || line.includes('"event":"forged"'),
  ).length;
  const forged = isJson(`{"text":"${marks[5]}"}`);
  return {
    tried: 3 * tries.length,
    succeeded,
    control: `${lines.length} lines checked; with naive string concatenation a line is broken: ${!forged}`,
  };
}

/** The largest allowed growth of a parser's steps when the text doubles. */
const GROWTH_MAX = 2.5;

/** Larger than the number of texts, so that `npm run attacks` uses all of them. */
const TEXTS_PER_PARSER = 1_000;

/** A32: measures how the steps of each parser grow with its text. Succeeds when they grow by more than `GROWTH_MAX`. */
export async function slowPatterns({ count }: Testbed): Promise<Result> {
  const options = { env: { ...process.env, ...COMPILE_CACHE }, execArgv: [] };
  const child = fork(join(import.meta.dirname, "steps.ts"), [String(count(TEXTS_PER_PARSER))], options);
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`Counting steps ended with ${code}`)));
  const [steps] = (await Promise.race([once(child, "message"), ended])) as [Steps];
  await ended.catch(() => {});
  const slow = steps.cases.filter(({ ratio }) => ratio > GROWTH_MAX);
  if (steps.control < GROWTH_MAX || steps.expression < GROWTH_MAX) throw new Error("The controls are not counted");
  const worst = Math.max(...steps.cases.map(({ ratio }) => ratio));
  const control = `counted in steps, not time: at most ${worst.toFixed(2)} times for twice the text; a quadratic parser counts ${steps.control.toFixed(2)}, a quadratic expression ${steps.expression.toFixed(2)}`;
  if (slow.length > 0) console.error(slow.slice(0, 10));
  return { tried: steps.cases.length, succeeded: slow.length, control };
}

type Known = { id?: number; payload: string };

/** Reads a list from a folder of payloads; empty when the folder has no such list. */
const listIn = <Item>(file: string): Item[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Item[]) : [];

/**
 * The repository's own payloads, and those of a folder or of the corpus. `payloads.json` is a list of texts, or of
 * `{id, payload}`; `control-fires-innerhtml.json` is a list of the ids of payloads that run as markup.
 * @throws when the given folder has no payloads
 */
export function payloadsOf(folder?: string): Payloads {
  const [file, control] = ["payloads.json", "control-fires-innerhtml.json"].map((name) =>
    folder === undefined ? corpus(`xss/${name}`) : join(folder, name),
  ) as [string, string];
  const listed = listIn<string | Known>(file);
  if (folder !== undefined && listed.length === 0)
    throw new Error(`${file} must be a list of payloads that is not empty`);
  const known = listed.map((each): Known => (typeof each === "string" ? { payload: each } : each));
  const ids = new Set(listIn<number>(control));
  return {
    all: [...PAYLOADS, ...known.map(({ payload }) => payload)],
    firing: known.filter(({ id }) => id !== undefined && ids.has(id)).map(({ payload }) => payload),
  };
}
