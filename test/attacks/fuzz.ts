import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readSettings } from "../../relay/src/base/config.ts";
import { tooDeep } from "../../relay/src/base/depth.ts";
import { emailOf } from "../../relay/src/base/input-text.ts";
import { phoneOf } from "../../relay/src/base/phone.ts";
import { dimensionsOf } from "../../relay/src/files/dimensions.ts";
import { withoutMetadata } from "../../relay/src/files/metadata.ts";
import { displayName, disposition } from "../../relay/src/files/names.ts";
import { WITH_METADATA } from "../../relay/src/files/samples.fixture.ts";
import { TEXT_TYPE } from "../../relay/src/files/types.ts";
import { parseCallback } from "../../relay/src/service/callbacks.ts";
import { httpDate, statedLimit, statedWait } from "../../relay/src/service/rate-limit-headers.ts";
import { parseRecharge } from "../../relay/src/service/recharge.ts";
import { parseClientFrame, parseRelayFrame } from "../../shared/parse.ts";
import { fromAttribute, SETTINGS, settingProblemOf } from "../../shared/settings.ts";
import { type Inline, parsePlain, textOf } from "../../widget/src/text/inline.ts";
import { labelledLink } from "../../widget/src/text/links.ts";
import { parseMarkdown } from "../../widget/src/text/markdown.ts";
import { readableText } from "../../widget/src/text/readable-text.ts";
import { withoutBlocks } from "../../widget/src/text/without-blocks.ts";
import type { Result } from "./attack.ts";
import type { Testbed } from "./testbed.ts";
import { jsonDocuments, naughtyStrings } from "./wire.ts";

/** A parser, and what must be true of its result for any input. An exception is a failure too. */
type Property = { name: string; holds: fc.IProperty<unknown[]> };

/** Random bytes decoded as text. */
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((each) => Buffer.from(each).toString("utf8"));
const odd = fc.constantFrom(
  ...naughtyStrings(),
  ...jsonDocuments().map((each) => Buffer.from(each).toString("latin1")),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 500 }),
  fc.string({ unit: "grapheme", maxLength: 500 }),
  bytes,
  odd,
);
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.double() },
);

/** JSON objects with fields that a parser knows, with right and wrong types, and with unknown fields. */
const shaped = (fields: readonly string[], fixed: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.record(fixed),
      fc.dictionary(fc.oneof(fc.constantFrom(...fields, "__proto__", "constructor"), fc.string()), value, {
        maxKeys: 6,
      }),
    )
    .map(([known, more]) => JSON.stringify({ ...more, ...known }));

/** JSON with a few characters replaced, removed or duplicated. */
const damaged = (json: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(json, fc.array(fc.tuple(fc.nat(), fc.string({ unit: "binary", maxLength: 2 })), { maxLength: 3 }))
    .map(([whole, cuts]) =>
      cuts.reduce(
        (rest, [at, by]) => rest.slice(0, at % (rest.length + 1)) + by + rest.slice((at % (rest.length + 1)) + 1),
        whole,
      ),
    );

const CLIENT = [
  "hello",
  "send",
  "retry",
  "read",
  "react",
  "typing",
  "lead",
  "rate",
  "transcript",
  "older",
  "forget",
  "logout",
  "ping",
];
const RELAY = ["welcome", "message", "history", "status", "typing", "error", "lead", "mailed", "bye", "pong"];
const FIELDS = [
  "v",
  "site",
  "token",
  "id",
  "text",
  "media",
  "n",
  "emoji",
  "chat",
  "email",
  "of",
  "score",
  "before",
  "message",
  "after",
  "head",
  "retry",
  "code",
];
const frames = (kinds: readonly string[]): fc.Arbitrary<string> => {
  const json = shaped(FIELDS, { t: fc.constantFrom(...kinds) });
  return fc.oneof(json, damaged(json), text);
};
const CALLBACK = [
  "toId",
  "body",
  "messageId",
  "contactId",
  "channel",
  "userId",
  "mediaUrl",
  "attachments",
  "data",
  "payload",
  "idempotency_key",
  "email",
  "amount",
];
const callbackJson = shaped(CALLBACK, { toId: fc.oneof(fc.string(), fc.integer()), body: value });
const callbacks = fc.oneof(callbackJson, damaged(callbackJson), text, bytes);

const HEADERS = [
  "retry-after",
  "retry-after-ms",
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-reset",
  "x-ratelimit-reset",
  "x-ratelimit-remaining",
  "x-ratelimit-reset-after",
  "x-ratelimit-reset-requests",
  "date",
];
const headerText = fc.oneof(
  text,
  fc.integer().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((each) => each.toUTCString()),
  fc.tuple(fc.string(), fc.integer(), fc.integer()).map(([name, r, t]) => `"${name}";r=${r};t=${t}`),
  fc.tuple(fc.nat(), fc.constantFrom("ms", "s", "m", "h", "d", "")).map(([n, unit]) => `${n}${unit}`),
);
const headers = fc.dictionary(fc.constantFrom(...HEADERS), headerText, { maxKeys: 4 });

const PARTS = [
  "[",
  "](",
  ")",
  "**",
  "_",
  "~~",
  "`",
  "```\n",
  "- ",
  "1. ",
  "# ",
  "> ",
  "<",
  ">",
  "http://a.b",
  "javascript:x",
  "www.",
  "@",
  "mailto:",
  "\n",
  "\t",
  "![",
  "&#x3c;",
  "|",
];
const markup = fc.oneof(
  text,
  fc
    .array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 80 })
    .map((all) => all.join("")),
);

const hrefs = (nodes: readonly Inline[]): string[] =>
  nodes.flatMap((node) => [
    ...(node.kind === "link" ? [node.href] : []),
    ...("children" in node ? hrefs(node.children) : []),
  ]);
const safe = (href: string): boolean => ["http:", "https:", "mailto:", "tel:"].includes(new URL(href).protocol);

/** Reads a configuration file with this text. @returns whether it was accepted, or refused with a reason */
function readsFile(words: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-fuzz-"));
  try {
    const file = join(folder, "sites.json");
    writeFileSync(file, words, "latin1");
    const read = readSettings({ PORCHLIGHT_CONFIG: file, SERVICE_API_KEY: "k", DATA_DIR: folder });
    return "settings" in read || read.problems.every((problem) => typeof problem === "string" && problem !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const SITE = [
  "origins",
  "account",
  "title",
  "greeting",
  "suggestions",
  "hours",
  "strings",
  "phone",
  "rating",
  "prechat",
  "routes",
  "key",
  "url",
  "rate",
];
const file = shaped(["accounts", "sites", "default"], {
  accounts: fc.dictionary(fc.constantFrom("default", "a", "__proto__"), fc.dictionary(fc.constantFrom(...SITE), value)),
  sites: fc.dictionary(fc.constantFrom("default", "b", "constructor"), fc.dictionary(fc.constantFrom(...SITE), value)),
});

/** Bytes from which the type is recognized: shorter files are not pictures. */
const SNIFFED = 12;
const kinds = ["image/jpeg", "image/png", "image/webp", "image/gif"] as const;
const picture = fc
  .tuple(fc.constantFrom(...kinds), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), fc.nat())
  .map(([type, changes, end]) => {
    const copy = Buffer.from(WITH_METADATA[type]);
    for (const [at, by] of changes) copy[at % copy.length] = by;
    return { type, bytes: end % 3 === 0 ? copy.subarray(0, Math.max(SNIFFED, end % copy.length)) : copy };
  });

const property = <Input>(name: string, input: fc.Arbitrary<Input>, holds: (given: Input) => boolean): Property => ({
  name,
  holds: fc.property(input, holds) as unknown as fc.IProperty<unknown[]>,
});

/** Every parser of untrusted input. */
const PROPERTIES: readonly Property[] = [
  property("a client's frame is parsed or reported as a problem", frames(CLIENT), (raw) => {
    const read = parseClientFrame(raw);
    return "frame" in read ? CLIENT.includes(read.frame.t) : read.problem !== "";
  }),
  property("a relay's frame is parsed or reported as a problem", frames(RELAY), (raw) => {
    const read = parseRelayFrame(raw);
    return "frame" in read ? RELAY.includes(read.frame.t) : read.problem !== "";
  }),
  property("a callback is a reply, a recharge or refused", callbacks, (raw) =>
    ["reply", "recharge", "refused"].includes(parseCallback(raw).kind),
  ),
  property("a recharge has a key of visible characters", callbacks, (raw) =>
    /^[\x21-\x7e]+$/.test(parseRecharge(raw, undefined)?.key ?? "x"),
  ),
  property(
    "the depth of nesting is measured without parsing",
    fc.oneof(callbacks, markup),
    (raw) => typeof tooDeep(raw, 16) === "boolean",
  ),
  property("rate-limit headers give a wait of at most an hour", headers, (given) => {
    statedLimit(given);
    return [200, 429, 503].every((status) => {
      const wait = statedWait(status, given, Date.now()) ?? 0;
      return wait >= 0 && wait <= 3_600_000;
    });
  }),
  property("a date is a finite number or undefined", headerText, (given) =>
    Number.isFinite(httpDate(given, Date.now()) ?? 0),
  ),
  property("Markdown becomes text, formatting and links of four schemes", markup, (given) => {
    withoutBlocks(given);
    readableText(given);
    const all = JSON.stringify(parseMarkdown(given));
    return [...all.matchAll(/"href":("(?:[^"\\]|\\.)*")/g)].every(([, href]) =>
      safe(JSON.parse(href ?? '""') as string),
    );
  }),
  property("a visitor's own text loses only characters that change the direction", markup, (given) => {
    const nodes = parsePlain(given, labelledLink);
    const bare = (words: string): string => words.replace(/[\s<>\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
    return hrefs(nodes).every(safe) && bare(textOf(nodes)) === bare(given);
  }),
  property(
    "a telephone number is E.164 or undefined",
    fc.oneof(text, fc.string({ unit: fc.constantFrom(..."0123456789+() -.x,;#") })),
    (given) => /^\+\d{4,15}$/.test(phoneOf(given, "GB") ?? "+1234"),
  ),
  property(
    "an email address is a single address or undefined",
    fc.oneof(text, fc.emailAddress(), damaged(fc.emailAddress())),
    (given) => (emailOf(given) ?? "a@b").split("@").length === 2,
  ),
  property("a file name is one part of a path, and its header is one line", text, (given) => {
    const name = displayName(given, TEXT_TYPE);
    return !/[/\\\p{Cc}]/u.test(name) && /^[\x20-\x7e]+$/.test(disposition("inline", name));
  }),
  property(
    "a picture without its metadata is not larger than before",
    picture,
    ({ type, bytes }) => withoutMetadata(type, bytes).length <= bytes.length + 64,
  ),
  property(
    "site settings are accepted or refused with a reason",
    fc.tuple(fc.constantFrom(...Object.keys(SETTINGS), "__proto__", "none"), value, text),
    ([name, given, attribute]) => {
      settingProblemOf(name, fromAttribute(name, attribute));
      return ["string", "undefined"].includes(typeof settingProblemOf(name, given));
    },
  ),
  property("a configuration file is accepted or refused with a reason", fc.oneof(file, damaged(file), odd), readsFile),
];

/** Sizes of damaged pictures are valid or undefined. Separate, because reading them is asynchronous. */
const sizes = fc.asyncProperty(picture, async ({ type, bytes }) => {
  const size = await dimensionsOf(type, (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)));
  return size === undefined || (size.width > 0 && size.height > 0);
});

/** @param runs inputs for each parser. @returns the names of the parsers that failed, each with its input */
async function fuzz(runs: number, seed = Date.now()): Promise<string[]> {
  const options = { numRuns: runs, seed };
  const all = PROPERTIES.map(({ name, holds }) => ({
    name,
    details: fc.check(holds, options),
  }));
  const details = [
    ...all,
    { name: "the size of a damaged picture is valid or undefined", details: await fc.check(sizes, options) },
  ];
  return details.flatMap(({ name, details: { failed, counterexample, errorInstance } }) =>
    failed ? [`${name}, seed ${seed}: ${JSON.stringify(counterexample)} ${String(errorInstance ?? "")}`] : [],
  );
}

/** A33: fuzzes every parser with structured input and with random bytes; each run uses another seed. */
export async function fuzzedParsers({ count }: Testbed): Promise<Result> {
  const runs = count(5_000);
  const failed = await fuzz(runs);
  if (failed.length > 0) console.error(failed);
  const parsers = PROPERTIES.length + 1;
  const broken = fc.check(
    fc.property(text, (given) => typeof JSON.parse(given) === "object"),
    { numRuns: runs },
  );
  const control = `${parsers} parsers; the same inputs break JSON.parse: ${broken.failed}`;
  return { tried: runs * parsers, succeeded: failed.length, control };
}
