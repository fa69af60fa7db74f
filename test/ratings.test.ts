import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { randomId } from "../shared/id.ts";
import type { Rate, RelayFrame, Status } from "../shared/protocol.ts";
import { type Harness, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Visitor } from "./visitor.ts";

let harness: Harness;
let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined;
afterEach(async () => {
  await harness.stop();
  await receiver?.stop();
  receiver = undefined;
});

async function talk(options: Parameters<typeof startHarness>[0] = {}): Promise<Visitor> {
  harness = await startHarness(options);
  const visitor = harness.visitor();
  await visitor.greet();
  return visitor;
}

/** Sends a rating. Resolves to `lead` once it is durable, or to the code of the error. */
async function rate(visitor: Visitor, rating: Omit<Rate, "t" | "id">, id = randomId()): Promise<string> {
  visitor.write({ t: "rate", id, ...rating });
  const answer = await visitor.next((frame) => (frame.t === "lead" || frame.t === "error") && frame.id === id);
  return answer.t === "error" ? answer.code : answer.t;
}

const api = async () => caller(harness, await tokenFor(harness));
const ratings = async () => (await (await api())("GET", "/ratings")).body.items as Record<string, unknown>[];
const visitorId = () => harness.sandbox.messages()[0]?.fromId ?? "";
const hasRating = (frame: RelayFrame): frame is Status => frame.t === "status" && frame.rating !== undefined;

it("stores a rating once, reports it to the owner's backend, and exports it with the visitor's other data", async () => {
  const hook = await startReceiver(WEBHOOK_SECRET);
  receiver = hook;
  const webhook = { url: hook.url, secret: "env:WEBHOOK_SECRET", events: ["conversation.rated"] };
  const visitor = await talk({ env: { WEBHOOK_SECRET }, site: { webhook } });
  expect(await rate(visitor, { score: 4, of: 5, comment: "  quick\0 answer " })).toBe("lead");
  expect(await rate(visitor, { score: 1, of: 5 })).toBe("lead");
  const kept = { visitor: visitorId(), score: 4, of: 5, comment: "quick answer" };
  expect(await ratings()).toMatchObject([kept]);
  await expect.poll(() => hook.events.length).toBe(1);
  expect(hook.events).toMatchObject([{ type: "conversation.rated", valid: true, data: { site: "default", ...kept } }]);
  expect((await (await api())("GET", `/visitors/${visitorId()}/export`)).body.rating).toMatchObject(kept);
  const file = join(harness.dataDir, "site.jsonl");
  const { code } = await porchlight(harness, ["export", file]);
  const records = readFileSync(file, "utf8").trim().split("\n");
  expect([code, records.filter((line) => line.includes('"record":"rating"')).length]).toEqual([0, 1]);
});

it("shows in every tab, and at the next visit, that the visitor was asked, even when they declined", async () => {
  const visitor = await talk();
  const other = harness.visitor({ token: visitor.token() ?? "" });
  await other.connect();
  const received = other.next(hasRating);
  expect(await rate(visitor, { of: 2 })).toBe("lead");
  expect((await received).rating).toEqual({ of: 2 });
  const later = harness.visitor({ token: visitor.token() ?? "" });
  expect((await later.connect()).rating).toEqual({ of: 2 });
  expect(await ratings()).toEqual([]);
  expect(await rate(later, { score: 2, of: 2 })).toBe("lead");
  expect(await ratings()).toMatchObject([{ score: 2, of: 2, comment: null }]);
});

it("refuses an invalid score, and a rating without a conversation", async () => {
  const visitor = await talk();
  expect(await rate(visitor, { score: 3, of: 2 })).toBe("not_allowed");
  const stranger = harness.visitor();
  await stranger.connect();
  expect(await rate(stranger, { score: 1, of: 2 })).toBe("not_allowed");
  expect(await ratings()).toEqual([]);
});

it("a rating is deleted with an erased visitor, and moves with one who logs in", async () => {
  const visitor = await talk({ site: { identitySecret: "env:IDENTITY_SECRET" }, env: { IDENTITY_SECRET } });
  expect(await rate(visitor, { score: 5, of: 5 })).toBe("lead");
  const user = harness.visitor({ token: visitor.token() ?? "", identity: identityOf({ sub: "ada" }) });
  expect((await user.connect()).rating).toEqual({ score: 5, of: 5 });
  const [{ visitor: id } = {}] = await ratings();
  expect(id).not.toBe(visitorId());
  expect((await (await api())("DELETE", `/visitors/${id}`, undefined, "erase-1")).status).toBe(204);
  expect(await ratings()).toEqual([]);
});
