import type { Result } from "./command.ts";

/** One look at one thing: `cure` says what to do when it is not well. */
export type Finding = { check: string; ok: boolean; found: string; cure?: string };

export const well = (check: string, found: string): Finding => ({ check, ok: true, found });
export const ill = (check: string, found: string, cure: string): Finding => ({ check, ok: false, found, cure });

/** Findings for people and programs; exit code 3 when one is not well. */
export function report(findings: readonly Finding[]): Result {
  const lines = findings.flatMap(({ check, ok, found, cure }) => [
    `${ok ? "ok  " : "MEND"}  ${check}: ${found}`,
    ...(cure === undefined ? [] : [`      ${cure}`]),
  ]);
  return { data: findings, lines, code: findings.every(({ ok }) => ok) ? 0 : 3 };
}
