import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import type { Settings, Site } from "../base/config.ts";
import { createKeys } from "../base/keys.ts";
import { silentLog } from "../base/log.ts";
import { createMetrics } from "../base/metrics.ts";
import type { LaneHead } from "../records/outbox.ts";
import { createSites } from "../records/sites.ts";
import type { Outcome } from "../service/outcome.ts";
import type { Core } from "./core.ts";
import type { FileStorage } from "./files.ts";
import { createServiceAccess } from "./service.ts";

let service: Server;
let seen: string[];
beforeEach(async () => {
  seen = [];
  service = createServer((request, response) => {
    seen.push(request.url?.split("?")[0] ?? "");
    response.end(JSON.stringify({ success: true }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  service.closeAllConnections();
  service.close();
});

/** Sends a visitor's message from a node that holds these leases. */
async function sendHolding(held: string[]): Promise<Outcome> {
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const account = { id: "main", url, key: { value: "k" } } as unknown as Settings["accounts"][number];
  const site = { public: { id: "shop" }, account: "main", business: "shop", channel: "website" } as unknown as Site;
  const core = {
    settings: { accounts: [account], allowInsecureService: false, uploads: { embed: true } },
    clock: manualClock(1_000_000),
    log: silentLog,
    metrics: createMetrics(),
    keys: createKeys([account]),
    sites: createSites([site], () => []),
    cluster: {
      leases: { holds: (name: string) => held.includes(name) },
      sharePaces: () => {},
      shareDelivery: () => ({ of: () => "ok", changed: () => {} }),
    },
  } as unknown as Core;
  const events = { onDelivery: () => {}, onOpen: () => {} };
  const { services } = createServiceAccess(core, {} as FileStorage, events);
  const head = {
    account: "main",
    site: "shop",
    sid: "s1",
    sender: "v1",
    text: "Hello",
    reaction: null,
    campaign: null,
  };
  const outcome = await services.send({ ...head, key: null, type: null } as unknown as LaneHead);
  await services.close();
  return outcome;
}

it("writes a visitor's message while this node holds the account's lease", async () => {
  expect(await sendHolding(["account:main"])).toMatchObject({ kind: "ok" });
  expect(seen).toEqual(["/v1/incoming_custom_channel_message"]);
});

it("does not write a visitor's message when this node no longer holds the account's lease", async () => {
  expect(await sendHolding([])).toMatchObject({ kind: "transient", status: 0, message: "WITHDRAWN" });
  expect(seen).toEqual([]);
});
