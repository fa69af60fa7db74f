import type { z } from "zod";
import { fieldProblemsOf, issueText } from "../../base/settings/issues.ts";
import { Problem } from "./problem.ts";

/**
 * Validates a value against its schema. @returns the parsed value
 * @throws Problem that names every wrong field, in their order
 */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: issueText });
  if (result.success) return result.data;
  const faults = fieldProblemsOf(result.error).map(({ field, message }) => ({
    field,
    detail: `${field === "" ? "The body" : field} ${message}.`,
  }));
  throw new Problem("invalid_field", faults[0]?.detail ?? "", faults[0]?.field || undefined, faults);
}
