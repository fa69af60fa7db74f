import type { z } from "zod";
import { type CallOptions, callsOf } from "./http/api/call.ts";
import {
  type AnswerOf,
  OPERATIONS,
  type OperationName,
  type Operations,
  type ParamsOf,
} from "./http/api/operations.ts";

export type { WebhookPayload, Webhooks } from "./hooks/payloads.ts";
export { ApiError } from "./http/api/call.ts";

/** The input fields of a schema; an empty object for a schema without fields. */
type FieldsOf<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? object
    : z.input<Schema>
  : object;

/** The input of an operation: path parameters, query and body in one object. */
export type InputOf<N extends OperationName> = ParamsOf<N> &
  FieldsOf<Operations[N]["query"]> &
  FieldsOf<Operations[N]["body"]>;

type Input<N extends OperationName> = object extends InputOf<N> ? [input?: InputOf<N>] : [input: InputOf<N>];
/** Every operation of the server API as a function, typed by the schemas that the relay validates with. */
export type Client = {
  [N in OperationName]: (...args: [...Input<N>, options?: CallOptions]) => Promise<AnswerOf<N>>;
};

/**
 * Makes a client of the server API for code in this repository. `porchlight client` writes the same client as an npm package.
 * @param options.url the relay's address, like `https://chat.example.com`
 * @param options.token from `porchlight token add`
 * @example
 *   const porchlight = createClient({ url, token });
 *   await porchlight.sendMessage({ to: { user: "customer-7" }, text: "Your lamp is on its way." }, { key: "order-1042" });
 */
export const createClient = (options: Parameters<typeof callsOf>[1]): Client =>
  callsOf(OPERATIONS, options) as unknown as Client;
