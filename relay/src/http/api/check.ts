import type { z } from "zod";
import { Problem } from "./problem.ts";

/** One thing that is wrong with a request: where, and what to do about it. */
export type Fault = { field: string; detail: string };

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

const plural = (count: number | bigint, word: string): string => `${count} ${word}${Number(count) === 1 ? "" : "s"}`;

/** How many of what a limit counts: characters of a text, entries of a list, or the number itself. */
function amount(origin: string, limit: number | bigint): string {
  if (origin === "string") return plural(limit, "character");
  return origin === "array"
    ? plural(limit, "entr").replace(/entrs?$/, Number(limit) === 1 ? "entry" : "entries")
    : `${limit}`;
}

/** A schema's complaint in words for people: what must be so, to be read after the field's name. */
function words(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is needed" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return `must be ${issue.inclusive ? "at least" : "more than"} ${amount(issue.origin, issue.minimum)}`;
    case "too_big":
      return `must be ${issue.inclusive ? "at most" : "less than"} ${amount(issue.origin, issue.maximum)}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return "is no field of this request";
    default:
      return undefined;
  }
}

function faultsOf({ issues }: z.ZodError): Fault[] {
  return issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return names.map((name) => {
      const field = [...issue.path, ...(name === undefined ? [] : [name])].join(".");
      return { field, detail: `${field === "" ? "The body" : field} ${issue.message}.` };
    });
  });
}

/**
 * The value as its schema has it.
 * @throws Problem that names every field that is wrong, the first one in front
 */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: words });
  if (result.success) return result.data;
  const faults = faultsOf(result.error);
  throw new Problem("invalid_field", faults[0]?.detail ?? "", faults[0]?.field || undefined, faults);
}
