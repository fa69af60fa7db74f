import { expect, it } from "vitest";
import { assertAccepted } from "./contacts.ts";

it.each([
  [{ kind: "permanent", status: 404, message: "Contact not found" }, "The service refused it (404): Contact not found"],
  [{ kind: "transient", status: 0, message: "ECONNREFUSED" }, "The service did not answer: ECONNREFUSED"],
  [{ kind: "throttle", status: 0, message: "the account is held back" }, "No call was made: the account is held back"],
  [{ kind: "permanent", status: 0, message: "invalid list id" }, "No call was made: invalid list id"],
] as const)("says whether the service refused the call, did not answer, or was not called: %o", (outcome, sentence) => {
  expect(() => assertAccepted(outcome)).toThrow(sentence);
});
