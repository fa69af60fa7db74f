import type { z } from "zod";

/** What is wrong with something from outside, in words for people. */

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

/** What is said of a field that a schema does not have. */
export const UNKNOWN = "is not known here";

/** A schema's complaint in words for people: what must be so, to be read after the field's name. */
export function words(issue: z.core.$ZodRawIssue): string | undefined {
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
      return UNKNOWN;
    case "invalid_key":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

/** One thing that is wrong: where, and what must be so instead, to be read after the field's name. */
export type Complaint = { field: string; message: string };

/** Everything that a schema found wrong, field by field. Let the schema say it in `words`. */
export function complaintsOf({ issues }: z.ZodError): Complaint[] {
  return issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return names.map((name) => ({
      field: [...issue.path, ...(name === undefined ? [] : [name])].join("."),
      message: issue.message,
    }));
  });
}
