import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Site } from "../../base/config.ts";
import { createBus } from "../../bus/bus.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { laneHead, removeOutboxEntries } from "../../records/outbox.ts";
import { appendReply } from "../../records/threads.ts";
import { createSend } from "./send.ts";

const SITE: Site = {
  account: "main",
  origins: ["https://shop.example"],
  channel: "website",
  business: "default",
  campaign: undefined,
  public: DEFAULT_SITE,
};

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Sends texts of one visitor together. `handed`: the texts that were passed to the courier in memory. */
function setUp(site: Site = SITE) {
  const clock = { now: () => 1_000_000, uptime: () => 1_000_000, after: () => () => {} };
  const handed: (string | null | undefined)[] = [];
  const { send, react } = createSend({
    db,
    bus: createBus(),
    clock,
    horizon: 3_600_000,
    wake: ({ head }) => handed.push(head?.text),
  });
  return {
    handed,
    send,
    react: (id: string, emoji: string) => react("visitor", site, id, emoji),
    write: (...texts: string[]) => Promise.all(texts.map((text) => send("visitor", site, { id: `id-${text}`, text }))),
  };
}

/** Marks the visitor's oldest message as delivered. */
async function deliverOldest(): Promise<void> {
  await db.transaction(async (tx) => {
    const head = await laneHead(tx, "visitor");
    if (head !== undefined) await removeOutboxEntries(tx, [head]);
  });
}

it("hands a message to the courier from memory only when no earlier one of the visitor waits in the outbox", async () => {
  const { handed, write } = setUp();
  await write("first");
  await write("second");
  await deliverOldest();
  await write("third");
  await deliverOldest();
  await deliverOldest();
  await write("fourth");
  expect(handed).toEqual(["first", undefined, undefined, "fourth"]);
});

it.each([
  [4_000, 996_000],
  [0, 1_000_000],
  [undefined, 0],
  [-1, 0],
  [2_000_000, 0],
])(
  "for a message that is %s ms old, stores the time of writing as %s; 0 means unknown or wrong",
  async (age, typed) => {
    const { send } = setUp();
    await send("visitor", SITE, { id: "id-typed", text: "hello", age });
    expect(await db.all("SELECT typed FROM messages")).toEqual([{ typed }]);
  },
);

it("hands only the first message to the courier from memory when a visitor's messages share a transaction", async () => {
  const { handed, write } = setUp();
  await write("first", "second", "third");
  expect(handed).toEqual(["first", undefined, undefined]);
});

it("counts reactions in the site's daily budget, and refuses them when it is used up (A27)", async () => {
  const { write, react } = setUp({ ...SITE, messagesPerDay: 3 });
  await write("hello");
  await appendReply(db, { visitor: "visitor", id: "reply", text: "hi", at: 1_000_000, external: "main:1" });
  const answers: unknown[] = [];
  for (const emoji of ["👍", "🎉", "🐟", "🚀"]) answers.push(await react("reply", emoji));
  expect(answers).toEqual([undefined, undefined, "full", "full"]);
  const waiting = await db.all<{ reaction: string | null }>("SELECT reaction FROM outbox ORDER BY turn");
  expect(waiting.map(({ reaction }) => reaction)).toEqual([null, "👍", "🎉"]);
  // The same reaction again and its removal reach no service, so they cost nothing.
  expect([await react("reply", "🎉"), await react("reply", "")]).toEqual([undefined, undefined]);
});

it("reacts to the newest reply only, and removes a reaction from any reply", async () => {
  const { write, react } = setUp();
  await write("hello");
  const answer = (id: string) =>
    appendReply(db, { visitor: "visitor", id, text: "hi", at: 1_000_000, external: `main:${id}` });
  await answer("first");
  await react("first", "👍");
  await answer("second");
  expect([await react("first", "🎉"), await react("other", "🎉")]).toEqual(["not_allowed", "not_allowed"]);
  expect([await react("first", ""), await react("other", ""), await react("second", "🐟")]).toEqual(Array(3));
  const replies = await db.all("SELECT id, reaction FROM messages WHERE author = 'reply' ORDER BY pos");
  expect(replies).toEqual([
    { id: "first", reaction: null },
    { id: "second", reaction: "🐟" },
  ]);
});
