import type { Finding } from "../base/finding.ts";
import type { Result } from "./command.ts";

export type { Finding };

/** @param found what is right, as a sentence or a value */
export const passed = (check: string, found: string): Finding => ({ check, ok: true, found });
/** @param cure what the operator should do, as sentences that need no other cell of the table */
export const failed = (check: string, found: string, cure: string): Finding => ({ check, ok: false, found, cure });

/** The report of all checks; exit code 3 when one failed. */
export function report(findings: readonly Finding[]): Result {
  const lines = findings.flatMap(({ check, ok, found, cure }) => [
    `${ok ? "ok  " : "FAIL"}  ${check}: ${found}`,
    ...(cure === undefined ? [] : [`      ${cure}`]),
  ]);
  return { data: findings, lines, code: findings.every(({ ok }) => ok) ? 0 : 3 };
}
