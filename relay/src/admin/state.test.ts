import { expect, it } from "vitest";
import type { Database } from "../db/database.ts";
import type { Alert } from "../records/alerts.ts";
import { doctor, openProblems, shareExaminations } from "./state.ts";

const alert = (kind: string): Alert => ({
  kind,
  subject: "",
  since: 0,
  ended: null,
  problem: `${kind} has a problem.`,
  cure: "Mend it.",
  unsentTo: "",
});
const databaseWith = (alerts: Alert[]) => ({ all: async () => alerts }) as unknown as Database;

it.each([
  ["failures", "/admin/deliveries"],
  ["ledger", "/admin/ledger"],
  ["webhook", "/admin/webhooks"],
  ["account", "/admin/doctor"],
  ["disk", "/admin/doctor"],
])("an open problem of the kind %s links to the page where it is dealt with", async (kind, path) => {
  const shown = String(await openProblems(databaseWith([alert(kind)]), true));
  expect(shown).toContain(`${kind} has a problem. Mend it.`);
  expect(shown).toContain(`<a href="${path}">`);
});

it("shows commands and settings in cures as code, in findings and in open problems", async () => {
  const cure = "Set `SMTP_URL`, then run `porchlight doctor`.";
  const shown = "Set <code>SMTP_URL</code>, then run <code>porchlight doctor</code>.";
  expect(String(doctor([{ check: "mail server", ok: false, found: "no answer", cure }]))).toContain(shown);
  expect(String(await openProblems(databaseWith([{ ...alert("account"), cure }]), true))).toContain(shown);
});

it("shows nothing without an open problem", async () => {
  expect(await openProblems(databaseWith([]), true)).toBe("");
});

it("the checks run once for all requests that arrive meanwhile, and for readers at most once in ten seconds (A27)", async () => {
  let now = 0;
  let runs = 0;
  const found: (() => void)[] = [];
  const examine = shareExaminations({
    clock: { uptime: () => now },
    examine: () => {
      runs++;
      return new Promise((resolve) => void found.push(() => resolve([])));
    },
  });
  const answered = Promise.all(Array.from({ length: 100 }, (_, n) => examine(n % 2 === 0)));
  found[0]?.();
  await answered;
  void examine(false);
  void examine(false);
  expect(runs).toBe(1);
  void examine(true);
  expect(runs).toBe(2);
  found[1]?.();
  await new Promise((resolve) => setImmediate(resolve));
  void examine(false);
  expect(runs).toBe(2);
  now += 10_000;
  void examine(false);
  expect(runs).toBe(3);
});
