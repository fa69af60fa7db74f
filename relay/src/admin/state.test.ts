import { expect, it } from "vitest";
import type { Database } from "../db/database.ts";
import type { Alert } from "../records/alerts.ts";
import { openProblems } from "./state.ts";

const alert = (kind: string): Alert => ({
  ...{ kind, subject: "", since: 0, ended: null, problem: `${kind} has a problem.`, cure: "Mend it.", untold: "" },
});
const databaseWith = (alerts: Alert[]) => ({ all: async () => alerts }) as unknown as Database;

it.each([
  ["failures", "/admin/deliveries"],
  ["ledger", "/admin/ledger"],
  ["account", "/admin/doctor"],
  ["disk", "/admin/doctor"],
])("an open problem of the kind %s links to the page where it is dealt with", async (kind, path) => {
  const shown = String(await openProblems(databaseWith([alert(kind)])));
  expect(shown).toContain(`${kind} has a problem. Mend it.`);
  expect(shown).toContain(`<a href="${path}">`);
});

it("shows nothing without an open problem", async () => {
  expect(await openProblems(databaseWith([]))).toBe("");
});
