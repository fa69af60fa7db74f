import { readdirSync, readFileSync } from "node:fs";
import { corpus } from "../../corpora.ts";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import { type Tab, visitorOf } from "../tab.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

type Options = Common & { callbacks: number };

const VISITORS = 5;
/** Callbacks under way at once. */
const CALLBACKS_AT_ONCE = 32;

type CallbackCase = "reply" | "repeat" | "unknown" | "malformed" | "forged";
type Callback = { kind: CallbackCase; body: string; path?: string };

/**
 * S3: valid replies, a hundred copies of some, replies for unknown ids, malformed bodies and forged callbacks, mixed
 * and in parallel, while each visitor has two tabs open.
 */
export async function callbacks({ root, seed = 3, callbacks: total, progress = () => {} }: Options): Promise<Report> {
  const begun = performance.now();
  // The reply arrives before the answer to the message's POST. The thread exists since the message was stored (F9).
  const testbed = await openTestbed({ seed, root, service: { replies: 1, replyMs: 0 } });
  try {
    await testbed.start();
    const tabs = Array.from({ length: VISITORS }, (_, v) => visit(testbed, `visitor${v}`, 2)).flat();
    for (const tab of tabs) tab.type(`${tab.name} 0`);
    await until(() => testbed.mock.effects.length === tabs.length && testbed.mock.pending() === 0);
    const statuses = new Map<string, number>();
    await postAll(testbed, withProgress(compose(testbed, tabs, total), progress), statuses);
    const { violations, rows } = await testbed.verdict({}, 120_000);
    violations.push(...wrongAnswers(statuses));
    const replies = rows.filter(({ author }) => author === "reply");
    for (const { text } of replies) if (text.includes("forged")) violations.push(`forged: "${text}" is shown`);
    return {
      violations,
      figures: {
        callbacks: [...statuses.values()].reduce((sum, n) => sum + n, 0),
        replies: replies.length,
        lost: count(violations, "lost"),
        "shown twice": count(violations, "doubled"),
        "forged shown": count(violations, "forged"),
        "answers of 5xx": [...statuses].reduce((sum, [key, n]) => sum + (/ 5\d\d$/.test(key) ? n : 0), 0),
        "tabs that differ": count(violations, "thread"),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** The expected status for each kind (RELIABILITY 3a). */
const WANTED_STATUS: Record<CallbackCase, RegExp> = {
  reply: /^200$/,
  repeat: /^200$/,
  unknown: /^404$/,
  malformed: /^(400|404|413)$/,
  forged: /^404$/,
};

function wrongAnswers(statuses: Map<string, number>): string[] {
  return [...statuses].flatMap(([key, times]) => {
    const [kind = "reply", status = ""] = key.split(" ") as [CallbackCase, string];
    return WANTED_STATUS[kind].test(status) ? [] : [`answer: ${times} × ${kind} was answered ${status}`];
  });
}

/** About half are valid; each fiftieth of those comes a hundred times. The others are hostile. */
function* compose(testbed: Testbed, tabs: readonly Tab[], total: number): Generator<Callback> {
  const { random } = testbed;
  const bodies = hostileBodies();
  const visitors = [...new Set(tabs.map(({ person }) => visitorOf(person)))];
  for (let n = 0; n < total; ) {
    const toId = visitors[Math.floor(random() * visitors.length)] ?? "";
    const dice = random();
    const good = JSON.stringify({ toId, messageId: `h${n}`, body: `reply ${n} to ${toId}`, userId: "u", contactId: n });
    if (dice < 0.3) {
      const copies = random() < 0.02 ? 100 : 1;
      for (let copy = 0; copy < copies && n < total; copy++, n++)
        yield { kind: copy > 0 ? "repeat" : "reply", body: good };
    } else {
      n++;
      if (dice < 0.5) yield { kind: "malformed", body: bodies[n % bodies.length] ?? "" };
      else if (dice < 0.7)
        yield { kind: "unknown", body: JSON.stringify({ toId: changed(toId, random), body: "forged" }) };
      else if (dice < 0.8) yield { kind: "unknown", body: JSON.stringify({ toId: `stranger-${n}`, body: "forged" }) };
      else
        yield { kind: "forged", body: good.replace('"body":"', '"body":"forged '), path: wrongSecret(testbed, random) };
    }
  }
}

/** Passes the callbacks on, and reports progress every 5,000. */
function* withProgress(all: Iterable<Callback>, progress: (words: string) => void): Generator<Callback> {
  let number = 0;
  for (const callback of all) {
    yield callback;
    if (++number % 5_000 === 0) progress(`${number} callbacks`);
  }
}

/** A real id with one character changed. */
function changed(id: string, random: () => number): string {
  const at = 2 + Math.floor(random() * (id.length - 2));
  return `${id.slice(0, at)}${id[at] === "0" ? "1" : "0"}${id.slice(at + 1)}`;
}

/**
 * The callback path with one letter of the secret wrong, too short, too long, in other letter case, or without a
 * secret.
 */
function wrongSecret({ callbackPath }: Testbed, random: () => number): string {
  const paths = [
    callbackPath.replace(/.$/, "X"),
    callbackPath.slice(0, -1),
    `${callbackPath}x`,
    callbackPath.toUpperCase().replace("/CALLBACKS/REPLY/", "/callbacks/reply/"),
    callbackPath.replace(/[^/]+$/, ""),
  ];
  return paths[Math.floor(random() * paths.length)] ?? "";
}

/** Bodies that are not a callback, and the corpus of JSON texts if it is available. */
function hostileBodies(): string[] {
  const own = [
    "",
    "null",
    "[]",
    "[{}]",
    '"text"',
    "{}",
    '{"toId":{}}',
    '{"toId":["v"],"body":"x"}',
    "toId=&body=",
    "\0",
  ];
  const deep = [`{"toId":"v","body":"x","a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, `${'{"a":'.repeat(5_000)}1`];
  const large = [JSON.stringify({ toId: "v", body: "x".repeat(300_000) })];
  const keys = ['{"__proto__":{"toId":"v","body":"x"}}', '{"constructor":{"prototype":{"toId":"v"}},"body":"x"}'];
  return [...own, ...deep, ...keys, ...large, ...texts()];
}

function texts(): string[] {
  try {
    const folder = corpus("json-test-suite/test_parsing");
    return readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "latin1"));
  } catch {
    return [];
  }
}

/**
 * Posts all callbacks, many in parallel, and counts the answers of each kind. Records the valid replies for the
 * verdict.
 */
async function postAll({ mock }: Testbed, all: Iterable<Callback>, statuses: Map<string, number>): Promise<void> {
  const queue = all[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const { kind, body, path } = next.value;
      const begun = performance.now();
      const status = await mock.post(body, path);
      const key = `${kind} ${status ?? "nothing"}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      if (kind !== "reply") continue;
      const { toId, messageId, body: text } = JSON.parse(body) as { toId: string; messageId: string; body: string };
      const taken = status === 200 ? performance.now() : undefined;
      mock.posted.push({ toId, messageId, text, forged: false, begun, taken, status });
    }
  };
  await Promise.all(Array.from({ length: CALLBACKS_AT_ONCE }, work));
}
