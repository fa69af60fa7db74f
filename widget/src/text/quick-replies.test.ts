import { expect, it } from "vitest";
import { splitReplies } from "./quick-replies.ts";

it.each([
  ["Which?\n( ) Perch\n( ) Moth", "Which?", ["Perch", "Moth"]],
  ["Which?\r\n\r\n ( ) Perch \r\n\r\n( ) Perch\r\n", "Which?", ["Perch"]],
  ["( ) Yes\n( ) No", "", ["Yes", "No"]],
])("splits %j", (reply, text, answers) => expect(splitReplies(reply)).toEqual({ text, answers }));

it.each([
  ["( ) not at the end\nas this line is"],
  ["(x) chosen"],
  ["( )  "],
  [`( ) ${"x".repeat(81)}`],
  [Array.from({ length: 9 }, (_, n) => `( ) ${n}`).join("\n")],
  ["nothing"],
])("leaves %j unchanged", (reply) => expect(splitReplies(reply)).toEqual({ text: reply, answers: [] }));
