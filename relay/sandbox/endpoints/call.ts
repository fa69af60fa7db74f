/** What an endpoint gets and gives. */

import type { Answer } from "../answers.ts";
import type { Fields } from "../fields.ts";
import type { Service } from "../service.ts";

export type Call = {
  query: URLSearchParams;
  body: Fields;
  /** The key the request came with, already found valid. */
  key: string;
  listId: string;
  /** For the journal. */
  warnings: string[];
};

export type Result = Answer & {
  /** What happens once the answer is written: processing is asynchronous. */
  after?: () => void;
};

/** @throws Refusal */
export type Endpoint = (service: Service, call: Call) => Result | Promise<Result>;
