import type { Delivery } from "@porchlight/shared/protocol";
import { beforeEach, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../base/clock.fixture.ts";
import { createDeliveries, type Deliveries, REPEAT_MS } from "./deliveries.ts";

let clock: ManualClock;
/** The node that makes the account's calls, and what each node's own calls say. */
let holder: number;
let own: Delivery[];
let lossy: boolean;
let nodes: Deliveries[];
/** Changes that the visitors of each node were told. */
let told: Delivery[][];
beforeEach(() => {
  [clock, holder, own, lossy, told] = [manualClock(), 0, ["ok", "ok"], false, [[], []]];
  nodes = [0, 1].map((node) => {
    const here: Deliveries = createDeliveries(
      {
        accounts: ["shop"],
        holds: () => holder === node,
        own: () => own[node] ?? "ok",
        onChange: (account) => void told[node]?.push(here.of(account)),
      },
      { clock, broadcast: (reports) => void (lossy || nodes[1 - node]?.receive(reports)) },
    );
    return here;
  });
});
const change = (delivery: Delivery): void => {
  own[holder] = delivery;
  nodes[holder]?.changed("shop");
};
const pass = (ms: number): void => {
  for (let at = 0; at < ms; at += REPEAT_MS) {
    clock.skip(REPEAT_MS);
    for (const node of nodes) node.repeat();
  }
};

it("tells visitors of every node at once that messages are delayed, and that they are not any more", () => {
  change("delayed");
  change("ok");
  expect(told).toEqual([
    ["delayed", "ok"],
    ["delayed", "ok"],
  ]);
});

it("tells them once, for as long as the account's node says so", () => {
  change("delayed");
  pass(60_000);
  expect(told).toEqual([["delayed"], ["delayed"]]);
});

it("tells them a little later when a hint was lost, or when a node started later", () => {
  lossy = true;
  change("delayed");
  expect(told[1]).toEqual([]);
  lossy = false;
  pass(REPEAT_MS);
  expect(told[1]).toEqual(["delayed"]);
});

it("drops a report that no node repeats, and its own report once another node makes the calls", () => {
  change("delayed");
  [holder, own] = [1, ["delayed", "ok"]];
  pass(10_000);
  expect(nodes.map((node) => node.of("shop"))).toEqual(["ok", "ok"]);
  expect(told).toEqual([
    ["delayed", "ok"],
    ["delayed", "ok"],
  ]);
});
