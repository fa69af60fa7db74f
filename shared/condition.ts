/** The setting `teaserWhen`: a condition on one of the values that the page passes. */

export type Condition = {
  /** Name of the value. */
  name: string;
  /** How the value is compared. Absent: it must be set, and neither empty, 0 nor false. */
  sign: "=" | ">" | ">=" | "<" | "<=" | undefined;
  /** The value to compare with; a number for every operator except `=`. */
  wanted: string;
};

/** Reads a condition such as `returning`, `plan=free` or `cart>=50`; undefined for anything else. */
export function conditionOf(text: unknown): Condition | undefined {
  const [all, name = "", sign, wanted = ""] =
    /^\s*([a-z][\w-]*)\s*(?:([<>]=?|=)\s*([^\s=<>].*?))?\s*$/i.exec(String(text)) ?? [];
  const isReadable = all !== undefined && (!sign || sign === "=" || Number.isFinite(Number(wanted)));
  return isReadable ? { name, sign: sign as Condition["sign"], wanted } : undefined;
}
