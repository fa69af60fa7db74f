import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { createGates, type Gates } from "./gates.ts";
import type { CallRank, Permit, SettledCall } from "./keygate.ts";

/**
 * Gates of accounts with the keys in `keys`, on a clock that the test controls. `unreadable`: every reload reports that another
 * key cannot be read.
 */
function gatesOf(keys: Record<string, string>, rates: Record<string, number> = {}, unreadable = false) {
  const [changes, opened, events]: [string[], string[], string[]] = [[], [], []];
  const known = { ...keys };
  const clock = manualClock();
  const gates = createGates({
    accounts: Object.keys(keys).map((id) => ({ id, url: "https://service.example/v1", rate: rates[id] ?? 600 })),
    clock,
    log: (event) => void events.push(event),
    keyOf: (id) => known[id] ?? "",
    reloadKeys() {
      const changed = Object.keys(keys).some((id) => keys[id] !== known[id]);
      Object.assign(known, keys);
      if (unreadable) throw new Error("the key of another account cannot be read");
      return changed;
    },
    onDelivery: (account) => void changes.push(`${account} ${gates.delivery(account)}`),
    onOpen: (account, why) => void opened.push(`${account} ${why}`),
    random: () => 0,
  });
  return { gates, pass: clock.passEach, changes, opened, events, now: clock.now };
}

const OK: SettledCall = { kind: "ok", status: 200 };
const REFUSED: SettledCall = { kind: "config", status: 401 };

/** Calls that go through the gates, in the order in which they were made. `answer` or the test answers each. */
function calls(gates: Gates, answer?: (name: string) => SettledCall) {
  const went: string[] = [];
  const permits = new Map<string, Permit>();
  const ask = (rank: CallRank, name: string = rank, account = "main") =>
    gates.enter(account, rank, (permit) => {
      went.push(name);
      if (answer === undefined) permits.set(name, permit);
      else permit.settle(answer(name));
    });
  return { went, ask, answer: (name: string, outcome: SettledCall) => permits.get(name)?.settle(outcome) };
}

const EVERY: readonly CallRank[] = ["lookup", "contact", "grant", "send", "repeat", "message", "first"];

it("makes calls in the order of R-801: messages, sends, grants, contacts, look-ups", () => {
  const { gates, pass } = gatesOf({ main: "key" });
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", { kind: "throttle", status: 429, waitMs: 2_000 });
  for (const rank of EVERY) ask(rank);
  pass(2_000);
  for (const rank of EVERY.toReversed()) answer(rank, OK);
  expect(went).toEqual(["refused", ...EVERY.toReversed()]);
});

it.each(EVERY)("holds every kind of call once the key was refused for a %s", (rank) => {
  const { gates, pass } = gatesOf({ main: "old" });
  const { went, ask, answer } = calls(gates);
  ask(rank, "refused");
  answer("refused", REFUSED);
  for (const each of EVERY) ask(each);
  pass(100_000);
  // One call at a time tests whether the key works again; here it gets no answer.
  expect(went.length).toBeLessThanOrEqual(2);
});

it("reads the key again while it is held, even without traffic, and continues with the new one", () => {
  const keys = { main: "old" };
  const { gates, pass, opened, now } = gatesOf(keys);
  let good = false;
  const { went, ask } = calls(gates, () => (good ? OK : REFUSED));
  ask("lookup");
  expect([went.length, gates.delivery("main")]).toEqual([1, "delayed"]);
  keys.main = "new";
  good = true;
  pass(5_000);
  expect(opened).toEqual(["main newKey"]);
  expect(gates.delivery("main")).toBe("ok");
  const at = now();
  for (const rank of EVERY) ask(rank);
  pass(1);
  expect([went.length, now() - at]).toEqual([1 + EVERY.length, 1]);
});

it("uses a new key although the key of another account cannot be read", () => {
  const keys = { main: "old" };
  const { gates, pass, opened, events } = gatesOf(keys, {}, true);
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", REFUSED);
  ask("message", "waiting");
  keys.main = "new";
  pass(5_000);
  expect([went, opened]).toEqual([["refused", "waiting"], ["main newKey"]]);
  expect(events).toEqual(["account.paused", "settings.warning", "settings.warning"]);
});

it("makes all waiting calls as soon as one call was accepted with the new key", () => {
  const keys = { main: "old" };
  const { gates, pass } = gatesOf(keys);
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", REFUSED);
  for (const rank of EVERY) ask(rank);
  keys.main = "new";
  pass(5_000);
  expect(went).toEqual(["refused", "first"]);
  answer("first", OK);
  expect(went).toHaveLength(1 + EVERY.length);
});

it("does not hold the new key for the refusal of a call that was made with the old one", () => {
  const keys = { main: "old" };
  const { gates, events } = gatesOf(keys);
  const { went, ask, answer } = calls(gates);
  const slow = EVERY.map((rank) => `slow ${rank}`);
  for (const rank of EVERY) ask(rank, `slow ${rank}`);
  ask("message", "refused");
  keys.main = "new";
  answer("refused", REFUSED);
  ask("message", "after");
  for (const name of slow) answer(name, REFUSED);
  expect(went).toEqual([...slow, "refused", "after"]);
  answer("after", OK);
  expect([events, gates.heldFor("main")]).toEqual([["account.paused", "account.resumed"], undefined]);
});

it("tries a refused key again every half minute, and reports when it is accepted", () => {
  const { gates, pass, opened, events } = gatesOf({ main: "old" });
  const { ask } = calls(gates, (name) => (name === "good" ? OK : REFUSED));
  ask("message", "bad");
  ask("message", "good");
  pass(29_999);
  expect(opened).toEqual([]);
  pass(1);
  expect([opened, events]).toEqual([["main accepted"], ["account.paused", "account.resumed"]]);
});

it("holds no message back because of a refused grant of a non-agency account (R-483)", () => {
  const { gates } = gatesOf({ main: "key" });
  const { went, ask } = calls(gates, (name) => (name === "grant" ? REFUSED : OK));
  ask("grant");
  for (const name of ["a", "b", "c"]) ask("message", name);
  expect([went, gates.delivery("main")]).toEqual([["grant", "a", "b", "c"], "ok"]);
});

it("does not hold the account for a refused look-up or list, unless the refusal is about the key", () => {
  const { gates } = gatesOf({ main: "key" });
  const { went, ask } = calls(gates, (name) => (name === "contact" ? { kind: "config", status: 403 } : OK));
  ask("contact");
  ask("message");
  expect(went).toEqual(["contact", "message"]);
});

it("gives two accounts with one key one pace, and accounts with different keys one each", () => {
  const { gates, pass } = gatesOf({ main: "key", second: "key", other: "another" });
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", { kind: "throttle", status: 429, waitMs: 10_000 });
  ask("message", "second", "second");
  ask("message", "other", "other");
  expect(went).toEqual(["refused", "other"]);
  pass(10_000);
  expect(went).toEqual(["refused", "other", "second"]);
});

it("counts a second call under one permit, so that the account stays within its limit", () => {
  const went = (twice: boolean): number => {
    const { gates, pass } = gatesOf({ main: "key" }, { main: 10 });
    let count = 0;
    for (let n = 0; n < 20; n++) {
      gates.enter("main", "message", (permit) => {
        count++;
        if (twice) gates.countSecondCall("main");
        permit.settle({ ...OK, limit: { limit: 10 } });
      });
    }
    pass(59_000);
    return count;
  };
  expect([went(false), went(true)]).toEqual([10, 5]);
});

it("separates accounts, and their waiting calls, when one of them gets another key", () => {
  const keys = { main: "key", second: "key" };
  const { gates, pass } = gatesOf(keys);
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", REFUSED);
  ask("message", "main");
  ask("message", "second", "second");
  keys.second = "own";
  pass(5_000);
  expect(went).toEqual(["refused", "second"]);
});

it("reports delayed deliveries while messages wait for the pace, and their end", () => {
  const { gates, pass, changes } = gatesOf({ main: "key" }, { main: 10 });
  const { ask } = calls(gates, (name) => (name === "refused" ? { kind: "throttle", status: 429, waitMs: 20_000 } : OK));
  ask("message", "refused");
  expect(changes).toEqual([]);
  ask("message", "waiting");
  expect(changes).toEqual(["main delayed"]);
  pass(25_000);
  expect(changes).toEqual(["main delayed", "main ok"]);
});

it("handles thousands of waiting calls that are settled at once", () => {
  const { gates, pass } = gatesOf({ main: "key" }, { main: 10_000_000 });
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", { kind: "throttle", status: 429, waitMs: 1_000 });
  let called = 0;
  for (let n = 0; n < 20_000; n++)
    gates.enter("main", "message", (permit) => {
      called++;
      permit.settle({ kind: "unready", status: 0 });
    });
  pass(60_000);
  expect([went, called]).toEqual([["refused"], 20_000]);
});

it("never makes a cancelled call, and counts a call once that is settled twice", () => {
  const { gates, pass } = gatesOf({ main: "key" });
  const { went, ask, answer } = calls(gates);
  ask("message", "refused");
  answer("refused", { kind: "throttle", status: 429, waitMs: 1_000 });
  answer("refused", REFUSED);
  ask("lookup", "impatient")();
  pass(60_000);
  expect([went, gates.delivery("main")]).toEqual([["refused"], "ok"]);
});
