import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { addEntry } from "../relay/src/records/ledger/ledger.ts";
import { CLOSE } from "../shared/close.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { caller, tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";

let harness: Harness;
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  harness = await startHarness({ sandbox: NO_RANDOM_FAULTS, site: { leads: { country: "DE" } } });
  call = caller(harness, await tokenFor(harness));
});
afterAll(() => harness.stop());

/** A visitor who has sent a message, and the id that the service knows. */
async function somebody(text: string): Promise<{ id: string; message: string }> {
  const visitor = harness.visitor();
  await visitor.connect();
  harness.sandbox.failNext("incoming", 1, 400);
  const { id: message } = await visitor.send(text);
  await visitor.sees((each) => each.from === "visitor" && each.state === "failed");
  const { body } = await call("GET", "/visitors?limit=1");
  return { id: (body.items as { id: string }[])[0]?.id ?? "", message };
}

describe("an erased visitor", () => {
  it("is in no stored answer: by id, by message, by contact, by email (R-902)", async () => {
    const { id, message } = await somebody("my secret wish");
    expect((await call("POST", `/deliveries/${id}/${message}/retry`, {}, "retry-1")).body.text).toBe("my secret wish");
    const order = { firstName: "Ada", email: "Ada_L@b.example", phone: "030 1234567" };
    const lead = (await call("POST", "/leads", order, "lead-1")).body;
    expect((await call("POST", "/contacts", order, "contact-1")).status).toBe(200);
    expect((await call("POST", "/contacts", { email: "someone.else@b.example" }, "contact-2")).status).toBe(200);
    for (const visitor of [id, lead.visitor])
      expect((await call("DELETE", `/visitors/${visitor}`, undefined, `erase-${visitor}`)).status).toBe(204);
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    const kept = await db.all<{ key: string; body: string }>("SELECT key, body FROM requests ORDER BY key");
    await db.close();
    expect(kept.map(({ key }) => key)).toEqual(["contact-2", `erase-${id}`, `erase-${lead.visitor}`].sort());
    expect(JSON.stringify(kept)).not.toMatch(/secret wish|ada_l/i);
    // The erasure request itself is answered as before.
    expect((await call("DELETE", `/visitors/${id}`, undefined, `erase-${id}`)).status).toBe(204);
    // The same key does not create a new lead of an erased person.
    expect((await call("POST", "/leads", order, "lead-1")).body).toMatchObject({ status: 409, code: "wrong_state" });
  });
});

describe("a form whose visitor is deleted while the service is called for it", () => {
  it("creates no contact", async () => {
    const person = { email: "shared@b.example", chat: false };
    const calls = (route: string) => harness.sandbox.requests().filter((request) => request.route === route);
    const [leaving, staying] = [harness.visitor(), harness.visitor()];
    await Promise.all([leaving.connect(), staying.connect()]);
    harness.sandbox.failNext("findContact", 1, { kind: "delay", ms: 3_000 });
    const [found, before] = [calls("findContact").length, calls("createContact").length];
    leaving.write({ t: "lead", id: "leaves-at-once", firstName: "Mina", ...person });
    await harness.sandbox.until(() => calls("findContact").length > found);
    leaving.write({ t: "forget" });
    expect(await leaving.ended()).toBe(CLOSE.gone.code);
    // The calls for one email address run one after another.
    staying.write({ t: "lead", id: "stays-here", firstName: "Lucy", ...person });
    const created = () =>
      calls("createContact")
        .slice(before)
        .map(({ body }) => (body as { firstName?: string }).firstName);
    await harness.sandbox.until(() => created().length > 0);
    expect(created()).toEqual(["Lucy"]);
  });
});

describe("a deletion that the end of the relay has interrupted", () => {
  it("goes on at the next start, and is in the audit log", async () => {
    const { id } = await somebody("half deleted");
    await harness.halt();
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    await db.run("INSERT INTO deletions (visitor, begun) VALUES ($1, 1)", id);
    await db.close();
    await harness.start();
    await expect.poll(async () => (await call("GET", `/visitors/${id}`)).status).toBe(404);
    const audit = openSqlite(join(harness.dataDir, "porchlight.db"));
    const entries = await audit.all<{ action: string }>("SELECT action FROM audit WHERE subject = $1", id);
    await audit.close();
    expect(entries).toEqual([{ action: "finish interrupted deletion" }]);
  });
});

describe("the files of the data folder", () => {
  /** Which of the words occur in any file of the data folder, in readable form. */
  function found(words: readonly string[]): string[] {
    const files = readdirSync(harness.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    return words.filter((word) => bytes.some((file) => file.includes(word)));
  }

  it("contain nothing that an erased visitor wrote, received, uploaded or entered", async () => {
    const words = ["heliotrope", "periwinkle", "ada.quince@b.example", "vermilion", "/lamps/saffron"];
    const visitor = harness.visitor();
    await visitor.connect();
    const { answer } = await upload(harness, visitor, "a note about vermilion", { name: "note.txt" });
    await visitor.send("heliotrope ".repeat(300).trim(), undefined, { page: "/lamps/saffron" });
    await visitor.send("periwinkle", undefined, { media: answer.key });
    await visitor.sees(({ from, text }) => from === "reply" && text.includes("periwinkle"));
    visitor.write({ t: "lead", id: "the-form", chat: false, email: "ada.quince@b.example" });
    await visitor.next((frame) => frame.t === "lead");
    const stays = harness.visitor();
    await stays.connect();
    await stays.send("cornflower");
    // Positive control: the words are found before the erasure.
    expect(found([...words, "cornflower"])).toEqual([...words, "cornflower"]);
    visitor.write({ t: "forget" });
    await visitor.ended();
    await expect.poll(() => found(words)).toEqual([]);
    expect(found(["cornflower"])).toEqual(["cornflower"]);
  });
});

describe("a person who only received messages", () => {
  const words = { text: "A personal offer", firstName: "Grace", email: "grace.h@b.example" };
  const outcomes = [
    ["failed", 400],
    ["unknown", { kind: "status", status: 500, when: "after" }],
  ] as const;

  it.each(outcomes)(
    "can be exported and erased while the message is %s; it is not sent afterwards (R-902)",
    async (state, fault) => {
      harness.sandbox.configure({ sendTriggersCallback: false });
      harness.sandbox.failNext("send", 1, fault);
      const order = { to: { user: `never-here-${state}` }, ...words };
      const { visitor } = (await call("POST", "/messages", order, `m-${state}`)).body;
      await expect.poll(async () => (await call("GET", `/messages/m-${state}`)).body.state).toBe(state);
      const sends = () => harness.sandbox.requests().filter(({ route }) => route === "send").length;
      const before = sends();
      const { sent } = (await call("GET", `/visitors/${visitor}/export`)).body;
      expect(sent).toMatchObject([{ text: words.text, state }]);
      expect((await call("DELETE", `/visitors/${visitor}`, undefined, `gone-${state}`)).status).toBe(204);
      expect((await call("GET", `/messages/m-${state}`)).body.text).toBe("");
      const db = openSqlite(join(harness.dataDir, "porchlight.db"));
      const kept = await db.all("SELECT content FROM ledger UNION ALL SELECT body FROM requests");
      await db.close();
      expect(JSON.stringify(kept)).not.toMatch(/personal offer|grace/i);
      if (state === "failed") return;
      await call("POST", `/messages/m-${state}/resolve`, { sent: false, reason: "not in the app" }, "r-1");
      await expect.poll(async () => (await call("GET", `/messages/m-${state}`)).body.state).toBe("failed");
      expect(sends()).toBe(before);
    },
  );
});

describe("an export", () => {
  it("contains every message that the owner sent, however many", async () => {
    const { id } = await somebody("hello");
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    await db.transaction(async (tx) => {
      for (let i = 0; i < 620; i++)
        await addEntry(tx, {
          kind: "send",
          account: "default",
          key: `default/old-${i}`,
          lane: id,
          digest: "",
          content: JSON.stringify({ site: "default", text: `message ${i}` }),
          state: "done",
          reason: null,
          actor: "tests",
          now: i,
        });
    });
    await db.close();
    const sent = (await call("GET", `/visitors/${id}/export`)).body.sent as { text: string }[];
    expect(new Set(sent.map(({ text }) => text)).size).toBe(620);
  });
});
