/** The arguments and the result of an endpoint. */

import type { Fields } from "@porchlight/shared/json-fields";
import type { Answer } from "../answers.ts";
import type { Service } from "../service.ts";

export type Call = {
  query: URLSearchParams;
  body: Fields;
  /** The valid key of the request. */
  key: string;
  listId: string;
  /** For the journal. */
  warnings: string[];
};

export type Result = Answer & {
  /** Runs after the answer is written, because processing is asynchronous. */
  after?: () => void;
};

/** @throws Refusal */
export type Endpoint = (service: Service, call: Call) => Result | Promise<Result>;
