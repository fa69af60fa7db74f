import { DEFAULT_SITE } from "@porchlight/shared/site";
import { describe, expect, it } from "vitest";
import type { Site } from "../base/config.ts";
import { readSettings } from "../base/config.ts";
import type { Limiter } from "../base/limiter.ts";
import { createBudgets } from "./budgets.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MB = 1024 * 1024;
const read = readSettings({ SERVICE_URL: "https://service.example/v1" });
const settings = "settings" in read ? read.settings : undefined;
const limits = settings?.perAddress ?? { messages: 0, visitors: 0, leads: 0, sessions: 0, uploads: 0 };
const site = settings?.sites[0] as Site;
const other: Site = { ...site, public: { ...DEFAULT_SITE, id: "other" } };

/** The budgets of a relay with default settings. The test controls the time. */
function budgets(given = limits) {
  let now = 0;
  const uploads = { quota: { site: 10_000 * MB }, caps: { image: 10 * MB, av: 60 * MB } };
  const keys = new Set<string>();
  const share = (_: string, limiter: Limiter): Limiter => ({
    ...limiter,
    take(key, amount) {
      keys.add(key);
      return limiter.take(key, amount);
    },
  });
  const isSite = (id: string): boolean => ["default", "other", "x"].includes(id);
  const all = createBudgets({ limits: given, isSite, uploads, uptime: () => now, share });
  const at = (ms: number): void => {
    now = ms;
  };
  return { ...all, at, keys };
}
/** How many of `count` attempts are accepted. @param attempt returns the wait in ms; 0: accepted */
const accepted = (count: number, attempt: (n: number) => number): number =>
  Array.from({ length: count }, (_, n) => attempt(n)).filter((wait) => wait === 0).length;

describe("the default budgets", () => {
  it("count no session for a site that does not exist: its name is any text of the client (A27)", () => {
    const { session, keys } = budgets();
    expect(accepted(1_000, (n) => session({ site: `${n}`, address: "192.0.2.1" }, false))).toBe(1_000);
    expect(keys).toEqual(new Set());
    session({ site: "default", address: "192.0.2.1" }, false);
    expect(keys).not.toEqual(new Set());
  });

  it("accept 60 of 400 messages that 40 visitors of one address send at once, and do not limit an office of thirty (A27)", () => {
    const { message, at } = budgets();
    const from = { site, address: "192.0.2.1" };
    expect(accepted(400, () => message(from))).toBe(60);
    expect(message({ site, address: "192.0.2.2" })).toBe(0);
    expect(message({ site: other, address: "192.0.2.1" })).toBe(0);
    let total = 0;
    for (let second = 60; second < 120; second++) {
      at(second * 1_000);
      total += accepted(2, () => message(from));
    }
    expect(total).toBeGreaterThanOrEqual(118);
  });

  it("give one address at most a quarter of a site's daily messages (A27)", () => {
    const { message, at } = budgets();
    let total = 0;
    for (let minute = 0; minute < 120; minute++) {
      at(minute * MINUTE);
      total += accepted(
        120,
        () => message({ site, address: "2001:db8::1" }) + message({ site, address: "2001:db8::2" }),
      );
    }
    expect(total * 2).toBeLessThan(600);
  });

  it("allow 20 new visitors of one address at once, 60 an hour, and 500 an hour of a whole site (A27)", () => {
    const { visitor, at } = budgets();
    expect(accepted(100, () => visitor({ site, address: "192.0.2.1" }))).toBe(20);
    at(HOUR);
    expect(accepted(2_000, (n) => visitor({ site, address: `10.0.${n >> 8}.${n & 255}` }))).toBe(500);
    expect(visitor({ site: other, address: "192.0.2.9" })).toBe(0);
  });

  it("accept 10 of 300 forms that one address sends at once (A40)", () => {
    const { lead } = budgets();
    expect(accepted(300, () => lead({ site, address: "192.0.2.1" }))).toBe(10);
  });

  it("limit the chats that one address opens, and a site's new visitors but not its returning ones", () => {
    const { session } = budgets();
    expect(accepted(5_000, () => session({ site: "default", address: "192.0.2.1" }, false))).toBe(600);
    const crowd = (known: boolean) => (n: number) =>
      session({ site: "x", address: `10.${n >> 8}.${n & 255}.1` }, known);
    expect(accepted(5_000, crowd(false))).toBe(3_000);
    expect(accepted(5_000, crowd(true))).toBe(5_000);
  });

  it.each([5, 50, 400])(
    "let a new visitor open a chat while %i addresses open as many as they can (A27)",
    (attackers) => {
      const { session, at } = budgets();
      let opened = 0;
      for (let second = 0; second < 120; second++) {
        at(second * 1_000);
        for (let n = 0; n < 5_000; n++)
          if (
            session({ site: "default", address: `10.1.${(n % attackers) >> 8}.${(n % attackers) & 255}` }, false) === 0
          )
            opened++;
        expect(session({ site: "default", address: `192.0.${second >> 8}.${second & 255}` }, false)).toBe(0);
      }
      // The site's budget still holds: 3,000 at once, and 3,000 more a minute.
      expect(opened).toBeLessThanOrEqual(3_000 + 2 * 3_000);
    },
  );

  it("let a new visitor write while 30 addresses bring as many new visitors as they can (A27)", () => {
    const { visitor, at } = budgets();
    for (let minute = 0; minute < 120; minute++) {
      at(minute * MINUTE);
      for (let n = 0; n < 900; n++) visitor({ site, address: `10.1.0.${n % 30}` });
      expect(visitor({ site, address: `192.0.2.${minute}` })).toBe(0);
    }
  });

  it("follow the amounts of a day when the settings are read again during a flood", () => {
    const { visitor, lead } = budgets();
    const crowd = (n: number): string => `10.2.${n >> 8}.${n & 255}`;
    expect(accepted(2_000, (n) => visitor({ site, address: crowd(n) }))).toBe(500);
    const careful = { ...site, messagesPerDay: 40, leadsPerDay: 8 };
    expect(accepted(2_000, (n) => visitor({ site: careful, address: crowd(2_000 + n) }))).toBe(10);
    expect(accepted(20, () => lead({ site: careful, address: "192.0.2.1" }))).toBe(2);
  });

  it("count an upload of unknown size as the largest file that is accepted (A18)", () => {
    const { upload } = budgets();
    expect(accepted(100, () => upload({ site: "default", address: "192.0.2.1" }, undefined))).toBe(8);
  });

  it("limit the bytes that one address uploads in an hour", () => {
    const { upload } = budgets();
    expect(accepted(100, () => upload({ site: "default", address: "192.0.2.1" }, 20 * 1024 * 1024))).toBe(25);
  });

  it("leave half of a site's daily forms and storage to others when one address sends all that it may (A27, A40)", () => {
    const { lead, upload, at } = budgets();
    const from = { site, address: "192.0.2.1" };
    let [forms, bytes] = [0, 0];
    for (let minute = 0; minute < 24 * 60; minute++) {
      at(minute * MINUTE);
      forms += accepted(2, () => lead(from));
      bytes += 9 * MB * accepted(2, () => upload({ site: "default", address: "192.0.2.1" }, 9 * MB));
    }
    expect(forms).toBeGreaterThan(125);
    expect(forms).toBeLessThanOrEqual(250);
    expect(bytes).toBeLessThanOrEqual(5_000 * MB);
    expect(lead({ site, address: "192.0.2.2" })).toBe(0);
  });

  describe("when one customer has a whole /48 of IPv6 addresses", () => {
    const from = (n: number) => ({ site, address: `2001:db8:7:${n.toString(16)}::1` });
    const honest = { site, address: "2001:db8:8::1" };

    it("leave half of a site's messages, forms and storage of a day to others (A27, A40)", () => {
      const { message, lead, upload } = budgets();
      expect(accepted(4_000, (n) => message(from(n)))).toBe(1_000);
      expect(accepted(1_000, (n) => lead(from(n)))).toBe(250);
      const at = (n: number) => ({ site: "default", address: from(n).address });
      expect(accepted(1_000, (n) => upload(at(n), 20 * MB)) * 20).toBeLessThanOrEqual(5_020);
      expect([message(honest), lead(honest), upload({ ...honest, site: "default" }, MB)]).toEqual([0, 0, 0]);
    });

    it("let other new visitors open a chat and write (A27)", () => {
      const { visitor, session, at } = budgets();
      const open = ({ address }: { address: string }): number => session({ site: "default", address }, false);
      for (let minute = 0; minute < 60; minute++) {
        at(minute * MINUTE);
        for (let n = 0; n < 4_000; n++) {
          visitor(from(n));
          open(from(n));
        }
        const other = { site, address: `2001:db8:${minute + 10}::1` };
        expect([visitor(other), open(other)]).toEqual([0, 0]);
      }
    });
  });

  it("tell the client to retry within a minute", () => {
    const { lead, visitor } = budgets();
    const from = { site, address: "192.0.2.1" };
    const waits = Array.from({ length: 50 }, () => [lead(from), visitor(from)]).flat();
    expect(Math.max(...waits)).toBe(MINUTE);
  });

  it("allow 2,000 messages and 500 forms of a site a day", () => {
    expect(site).toMatchObject({ messagesPerDay: 2_000, leadsPerDay: 500 });
  });
});

it("a budget of 0 sets no limit", () => {
  const { message, visitor, lead, session, upload } = budgets({
    messages: 0,
    visitors: 0,
    leads: 0,
    sessions: 0,
    uploads: 0,
  });
  const from = { site, address: "192.0.2.1" };
  const at = { site: "default", address: "192.0.2.1" };
  const all = [message(from), visitor(from), lead(from), session(at, false), upload(at, 1e12)];
  expect(accepted(10_000, () => Math.max(...all))).toBe(10_000);
});
