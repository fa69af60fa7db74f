import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { CLOSE } from "../shared/close.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Visitor, VisitorOptions } from "./visitor.ts";

let harness: Harness;
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  const site = { identitySecret: "env:IDENTITY_SECRET" };
  harness = await startHarness({ sandbox: NO_RANDOM_FAULTS, site, sites: { other: {} }, env: { IDENTITY_SECRET } });
  call = caller(harness, await tokenFor(harness));
});
afterAll(() => harness.stop());

/** A visitor who has sent a message, and their id. */
async function somebody(text: string, options: VisitorOptions = {}): Promise<{ visitor: Visitor; id: string }> {
  const visitor = harness.visitor(options);
  await visitor.connect();
  await visitor.send(text);
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  const [row] = await db.all<{ visitor: string }>("SELECT visitor FROM messages WHERE text = $1", text);
  await db.close();
  return { visitor, id: row?.visitor ?? "" };
}
const connectWith = (token: string | undefined, site = "default"): Promise<unknown> =>
  harness.visitor({ site, ...(token && { token }) }).connect();
const BAD_TOKEN = String(CLOSE.badToken.code);

describe("an operator who ends sessions", () => {
  it("closes the visitor's connections and invalidates their tokens, and no others; the thread stays", async () => {
    const { visitor, id } = await somebody("words on a lost phone");
    const neighbour = await somebody("words of a neighbour");
    const ended = visitor.ended();
    expect((await call("DELETE", `/visitors/${id}/sessions`, undefined, "end-1")).status).toBe(204);
    expect(await ended).toBe(CLOSE.badToken.code);
    await expect(connectWith(visitor.token())).rejects.toThrow(BAD_TOKEN);
    await neighbour.visitor.send("still here");
    const { body } = await call("GET", `/visitors/${id}/messages`);
    expect(JSON.stringify(body.items)).toContain("words on a lost phone");
    expect((await call("DELETE", `/visitors/${id}x/sessions`, undefined, "end-2")).status).toBe(404);
  });

  it("does not find visitors of another site", async () => {
    const { visitor, id } = await somebody("words elsewhere", { site: "other" });
    expect((await call("DELETE", `/visitors/${id}/sessions`, undefined, "end-3")).status).toBe(404);
    await visitor.send("still there");
  });

  it("gives a user who signs in again the same thread", async () => {
    const identity = identityOf({ sub: "ada" });
    const { visitor, id } = await somebody("words of a user", { identity });
    const ended = visitor.ended();
    expect((await porchlight(harness, ["session", "end", id, "--site", "default"])).code).toBe(0);
    expect(await ended).toBe(CLOSE.badToken.code);
    await expect(connectWith(visitor.token())).rejects.toThrow(BAD_TOKEN);
    const again = harness.visitor({ identity });
    await again.connect();
    await again.sees(({ text }) => text === "words of a user");
  });

  it("takes effect in other processes with the next heartbeat", async () => {
    const { visitor, id } = await somebody("words on another node");
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    await db.transaction((tx) => tx.run("UPDATE visitors SET generation = $2 WHERE id = $1", id, Date.now()));
    await db.close();
    const ended = visitor.ended();
    visitor.write({ t: "ping" });
    expect(await ended).toBe(CLOSE.badToken.code);
  });

  it("ends all sessions of a site, and none of another", async () => {
    const here = [await somebody("first of many"), await somebody("second of many")];
    const there = await somebody("another site's", { site: "other" });
    const ended = here.map(({ visitor }) => visitor.ended());
    const { body } = await call("DELETE", "/sessions", undefined, "end-all");
    expect(body.visitors).toBeGreaterThanOrEqual(2);
    expect(await Promise.all(ended)).toEqual([CLOSE.badToken.code, CLOSE.badToken.code]);
    for (const { visitor } of here) await expect(connectWith(visitor.token())).rejects.toThrow(BAD_TOKEN);
    await there.visitor.send("still open");
    const last = there.visitor.ended();
    const result = await porchlight(harness, ["session", "end", "--all", "--site", "other"]);
    expect(result.out).toContain("Ended the sessions of");
    expect(await last).toBe(CLOSE.badToken.code);
  });
});
