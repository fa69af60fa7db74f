import type { z } from "zod";
import type { Scope } from "../../records/tokens.ts";
import { none } from "./schemas.ts";

/** What an operation of the server API takes and gives. */
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
  /** Statuses of refusals of its own, besides those that every operation of its method may have. */
  refusals: readonly (404 | 422 | 502)[];
};

const defaults = { status: 200, query: none, body: undefined } as const;
/** Whatever is named in a path may not be there. */
const refusalsAt = (path: string): Operation["refusals"] => (path.includes("{") ? [404] : []);
type Given = Partial<Operation> & Pick<Operation, "method" | "path" | "scope" | "summary" | "answer">;
type Filled<O> = Omit<typeof defaults, keyof O> & O & Pick<Operation, "refusals">;

/** An operation with what it leaves out. TypeScript takes the spread of a type parameter for an intersection. */
export const op = <const O extends Given>(given: O): Filled<O> =>
  ({ ...defaults, refusals: refusalsAt(given.path), ...given }) as Filled<O>;
