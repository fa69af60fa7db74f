import type { z } from "zod";

/** Converts zod's issues into messages for people. */

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

/** A limit with its unit: characters of a text, entries of a list, or a number. */
function amount(origin: string, limit: number | bigint): string {
  if (origin === "string") return plural(limit, "character");
  return origin === "array"
    ? plural(limit, "entr").replace(/entrs?$/, Number(limit) === 1 ? "entry" : "entries")
    : `${limit}`;
}

/** The message for a field that the schema does not have. */
export const UNKNOWN = "is not a known field";

/** The message for an issue. It follows the name of the field. */
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
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

/** A problem of a field. The message follows the name of the field. */
export type FieldProblem = { field: string; message: string };

/** All problems that a schema found. Parse with `{ error: issueText }` to get these messages. */
export function fieldProblemsOf({ issues }: z.ZodError): FieldProblem[] {
  return issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return names.map((name) => ({
      field: [...issue.path, ...(name === undefined ? [] : [name])].join("."),
      message: issue.message,
    }));
  });
}
