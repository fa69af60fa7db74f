/**
 * The fault suites S1 to S10 (`relay/docs/reliability.md`) with real processes. `npm test` runs them small, `npm run test:full`
 * larger, `npm run soak` runs the long versions. A suite reports each violation in a line; there must be none.
 */

import { describe, expect, it } from "vitest";
import { bitFlips } from "./bit-flips.ts";
import { callbacks } from "./callbacks.ts";
import { disk } from "./disk.ts";
import { drain } from "./drain.ts";
import { kill } from "./kill.ts";
import { killWhileServiceFails } from "./kill-while-service-fails.ts";
import { outage } from "./outage.ts";
import { restartDuringCallbacks } from "./restart-during-callbacks.ts";
import type { Report } from "./suite.ts";
import { sync } from "./sync.ts";
import { tabs } from "./tabs.ts";
import { upstream } from "./upstream.ts";

/** How much each suite does to the relay. */
export type Sizes = {
  kill: { starts: number; messages: number };
  sync: { messages: number };
  upstream: { visitors: number; messages: number };
  callbacks: { callbacks: number };
  tabs: { sends: number };
  killWhileServiceFails: { seconds: number; kills: number };
  drain: { visitors: number };
  restartDuringCallbacks: { restarts: number };
  bitFlips: { flips: number };
};

/** Runs a suite that must find no violation, and returns its figures. */
async function clean(report: Promise<Report>): Promise<Report["figures"]> {
  const { violations, figures } = await report;
  expect(violations).toEqual([]);
  return figures;
}

/** Kills, lost answers, hostile callbacks and many tabs. @param sizes how much is done to the relay */
export function lossTests(
  sizes: Pick<Sizes, "kill" | "sync" | "upstream" | "callbacks" | "tabs" | "killWhileServiceFails">,
): void {
  describe("the relay in a process of its own", () => {
    it("S1 delivers acknowledged messages once and in order, killed 5 to 80 ms after the first acknowledgement of each start", async () => {
      const { starts, messages } = sizes.kill;
      const figures = await clean(kill(sizes.kill));
      expect(figures).toMatchObject({
        messages,
        kills: starts,
        delivered: messages,
        lost: 0,
        doubled: 0,
        disordered: 0,
      });
    });

    it("S1b flushes to the disk before each acknowledgement, for messages, callbacks and the spool", async () => {
      const figures = await clean(sync(sizes.sync));
      expect(figures).toMatchObject({ "acknowledged without a flush": 0, "spooled callbacks": 8 });
    });

    it("S2 delivers each message once although the service fails, loses answers, is slow, refuses some and changes its key", async () => {
      // Each visitor also sends a first message.
      const sent = sizes.upstream.messages + sizes.upstream.visitors;
      const figures = await clean(upstream(sizes.upstream));
      expect(figures).toMatchObject({
        messages: sent,
        delivered: sent - 1,
        "refused for good": 1,
        "key swaps": 1,
        lost: 0,
      });
      expect(figures["POSTs per message"]).toBeGreaterThan(1);
    });

    it("S3 shows each reply once among repeated, unknown, malformed and forged callbacks, and answers none with 5xx", async () => {
      const figures = await clean(callbacks(sizes.callbacks));
      expect(figures).toMatchObject({
        callbacks: sizes.callbacks.callbacks,
        lost: 0,
        "shown twice": 0,
        "forged shown": 0,
        "answers of 5xx": 0,
      });
      expect(figures.replies).toBeGreaterThan(sizes.callbacks.callbacks / 13);
    });

    it("S4 shows ten tabs one thread although they write at once, disconnect, close and send each other's messages", async () => {
      const { sends } = sizes.tabs;
      const figures = await clean(tabs(sizes.tabs));
      expect(figures).toMatchObject({ delivered: sends, "shown in every tab": 2 * sends, "tabs that differ": 0 });
      expect(figures.replays).toBeGreaterThan(sends / 6);
    });

    it("S2 and S4 together lose no message and no reply while visitors write and the relay is killed", async () => {
      const figures = await clean(killWhileServiceFails(sizes.killWhileServiceFails));
      expect(figures).toMatchObject({ kills: sizes.killWhileServiceFails.kills, lost: 0, doubled: 0, disordered: 0 });
      // If a kill cuts off the answer to a stored reply, the reply is shown although it does not count as accepted.
      expect(figures["replies shown"]).toBeGreaterThanOrEqual(Number(figures["replies accepted"]));
    });
  });
}

/** Outages, restarts, full disks and damaged files. @param sizes how much is done to the relay */
export function outageTests(sizes: Pick<Sizes, "drain" | "restartDuringCallbacks" | "bitFlips">): void {
  describe("the relay in a process of its own", () => {
    it("S6 delivers after an outage of eleven hours; after thirteen, messages show as failed and Retry delivers them", async () => {
      const figures = await clean(outage({ visitors: 2, messages: 6, speed: 10 }));
      expect(figures).toMatchObject({
        "delivered after 11 h": 12,
        "failed after 13 h": 12,
        "delivered by Retry": 12,
        lost: 0,
        doubled: 0,
      });
    });

    it("S9 stops cleanly on SIGTERM: calls under way end, and visitors are asked to reconnect at different times", async () => {
      const figures = await clean(drain(sizes.drain));
      expect(figures).toMatchObject({ connections: sizes.drain.visitors, "sent again": 0, "exit code": 0 });
    });

    it("S9b refuses and loses no callback during restarts", async () => {
      const figures = await clean(restartDuringCallbacks(sizes.restartDuringCallbacks));
      expect(figures).toMatchObject({ restarts: sizes.restartDuringCallbacks.restarts, refused: 0, lost: 0 });
    });

    it("S10 acknowledges nothing that a full disk cannot store, and continues without a restart when there is room", async () => {
      const figures = await clean(disk({}));
      expect(figures).toMatchObject({ "acknowledged and not written": 0, "restarts needed": 0, lost: 0 });
      expect(figures["replies spooled"]).toBeGreaterThan(0);
    });

    it("S10 shows no wrong data when one bit of the closed database was changed", async () => {
      const figures = await clean(bitFlips(sizes.bitFlips));
      expect(figures).toMatchObject({ "bytes changed": sizes.bitFlips.flips, silent: 0 });
    });
  });
}
