/** The values of a JSON object by field name. */
export type Fields = Record<string, unknown>;

/** Whether a parsed JSON value is an object. A list is none. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
