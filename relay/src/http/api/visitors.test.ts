import { afterEach, beforeEach, expect, it } from "vitest";
import type { Site } from "../../base/config.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import type { Forget } from "../../flows/forget.ts";
import { addDeletion, endDeletion } from "../../records/deletions.ts";
import { appendReply } from "../../records/threads.ts";
import {
  addUser,
  addVisitor,
  dropVisitorRows,
  findVisitor,
  forgetVisitor,
  replaceByUser,
} from "../../records/visitors.ts";
import type { Call } from "./router.ts";
import { visitors } from "./visitors.ts";

const MESSAGES = 250;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** The parts of the export of a visitor with many messages. `read`: how many rows the export has read so far. */
async function openExport() {
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v_1", "shop", 1);
    for (let n = 1; n <= MESSAGES; n++)
      await appendReply(tx, { visitor: "v_1", id: `r-${n}`, text: `reply ${n}`, at: n, external: `main:${n}` });
  });
  const counted = { read: 0 };
  const all: Database["all"] = async <Row>(...given: Parameters<Database["all"]>) => {
    const rows = await db.all<Row>(...given);
    counted.read += rows.length;
    return rows;
  };
  const forget: Forget = async () => false;
  const { exportVisitor } = visitors({ db: { ...db, all }, forget, linkTo: (key) => key });
  const call = { site: { public: { id: "shop" } } as Site, params: { visitor: "v_1" } } as Call<"exportVisitor">;
  const { parts } = await exportVisitor(call);
  return { counted, parts };
}

it("reads a visitor's messages while the client reads the export, not all at once (A24)", async () => {
  const { counted, parts } = await openExport();
  let pieces = 0;
  let most = 0;
  for await (const _ of parts) {
    pieces++;
    most = Math.max(most, counted.read);
    counted.read = 0;
  }
  expect(pieces).toBeGreaterThan(3);
  expect(most).toBeLessThanOrEqual(100);
});

it("exports every message once, oldest first", async () => {
  const { parts } = await openExport();
  let text = "";
  for await (const part of parts) text += part;
  const { visitor, messages, ...rest } = JSON.parse(text) as {
    visitor: { id: string };
    messages: { position: number; text: string }[];
  };
  expect(visitor.id).toBe("v_1");
  expect(messages.map((message) => message.text)).toEqual(Array.from({ length: MESSAGES }, (_, n) => `reply ${n + 1}`));
  expect(rest).toEqual({ sent: [], leads: [], rating: null, complete: true });
});

const beginDeletion = (): Promise<void> => addDeletion(db, { visitor: "v_1", begun: 1, staleBefore: undefined });
/** A deletion by `RETENTION_DAYS` is cancelled when the visitor writes again. */
async function beginAndCancelDeletion(): Promise<void> {
  await beginDeletion();
  await dropVisitorRows(db, "v_1");
  await endDeletion(db, "v_1");
}
const MEANWHILE: [string, () => Promise<unknown>][] = [
  ["a deletion begins", beginDeletion],
  ["a deletion begins and is cancelled", beginAndCancelDeletion],
  ["the visitor is deleted", () => forgetVisitor(db, "v_1", 2)],
  [
    "the visitor is deleted and returns",
    async () => {
      await forgetVisitor(db, "v_1", 2);
      await addUser(db, "v_1", "shop", 3);
    },
  ],
  [
    "the visitor logs in",
    async () => {
      const anonymous = await findVisitor(db, "v_1");
      if (anonymous !== undefined) await replaceByUser(db, anonymous, await addUser(db, "u_1", "shop", 2), 2);
    },
  ],
];

/** The end of an export. @param meanwhile called after the first part */
async function endOfExport(meanwhile: () => Promise<unknown>): Promise<unknown> {
  const { parts } = await openExport();
  let text = "";
  for await (const part of parts) {
    if (text === "") await meanwhile();
    text += part;
  }
  return (JSON.parse(text) as { complete: unknown }).complete;
}

it.each(MEANWHILE)("says that an export is not complete when %s meanwhile", async (_, meanwhile) => {
  expect(await endOfExport(meanwhile)).toBe(false);
});

it("says that a deletion has begun: in an export, and in what it answers about the visitor", async () => {
  const { getVisitor } = visitors({ db, forget: async () => false, linkTo: (key) => key });
  const call = { site: { public: { id: "shop" } } as Site, params: { visitor: "v_1" } } as Call<"getVisitor">;
  const { parts } = await openExport();
  expect(await getVisitor(call)).toMatchObject({ deleting: false });
  await beginDeletion();
  expect(await getVisitor(call)).toMatchObject({ deleting: true });
  let text = "";
  for await (const part of parts) text += part;
  expect(JSON.parse(text)).toMatchObject({ complete: false });
});

it("answers for an unknown visitor before the first part", async () => {
  const { exportVisitor } = visitors({ db, forget: async () => false, linkTo: (key) => key });
  const call = { site: { public: { id: "shop" } } as Site, params: { visitor: "v_2" } } as Call<"exportVisitor">;
  await expect(exportVisitor(call)).rejects.toThrow();
});
