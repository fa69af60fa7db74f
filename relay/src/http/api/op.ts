import type { z } from "zod";
import type { Scope } from "../../records/tokens.ts";
import { none } from "./schemas.ts";

/** An operation of the server API: its input, its answer and its errors. */
export type Operation = {
  method: "get" | "post" | "delete";
  /** Below `/api/v1`; `{name}` is a path parameter. */
  path: string;
  scope: Scope;
  summary: string;
  status: 200 | 202 | 204;
  query: z.ZodObject;
  body: z.ZodObject | undefined;
  answer: z.ZodType;
  /** Statuses of its own errors, besides those of every operation with its method. */
  refusals: readonly (404 | 422 | 502)[];
};

const defaults = { status: 200, query: none, body: undefined } as const;
/** Every path parameter may name something that does not exist. */
const refusalsAt = (path: string): Operation["refusals"] => (path.includes("{") ? [404] : []);
type Given = Partial<Operation> & Pick<Operation, "method" | "path" | "scope" | "summary" | "answer">;
type Filled<O> = Omit<typeof defaults, keyof O> & O & Pick<Operation, "refusals">;

/** An operation with defaults for absent fields. */
export const op = <const O extends Given>(given: O): Filled<O> =>
  ({ ...defaults, refusals: refusalsAt(given.path), ...given }) as Filled<O>;
