import { expect, it } from "vitest";
import { outcomeOf } from "./deliveries.ts";

const USED_UP =
  "the site's budget of a whole week is used up. Raise messagesPerDay, run porchlight reload, and try again.";

it.each([
  ["list", { retried: "2" }, "You sent 2 messages again."],
  ["list", { retried: "1", full: "3" }, `You sent 1 message again. Not sent again: 3 messages, because ${USED_UP}`],
  ["list", { retried: "0", full: "1" }, `Not sent again: 1 message, because ${USED_UP}`],
  ["list", { retried: "0" }, "No message was sent again: none of them had failed."],
  ["message", { retried: "0", full: "1" }, `This message was not sent again: ${USED_UP}`],
  ["message", { retried: "0" }, "This message was not sent again: it had not failed."],
  ["message", { retried: "1", full: "x" }, "You sent this message again. The journey shows the result."],
] as const)("says on the page %s after Retry with %j: %s", (page, query, words) => {
  expect(String(outcomeOf(query, page))).toContain(`>${words.replaceAll("'", "&#39;")}</p>`);
});
