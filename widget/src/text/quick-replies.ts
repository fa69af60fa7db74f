/** Answers to choose from, at the end of a reply: `relay/docs/guides/replies.md`. */

/** A line with an answer: `( )` and the text to send. */
const ANSWER = /^\( \) (?=\S)(.{1,80})$/;
/** More answers than this stay text. */
const ANSWERS_MAX = 8;

/** @returns the reply without its answer lines, and the answers. With too many answers, the whole reply and no answers */
export function splitReplies(reply: string): { text: string; answers: string[] } {
  const lines = reply.trimEnd().split(/\r\n?|\n/);
  const first = lines.findLastIndex((line) => line.trim() && !ANSWER.test(line.trim())) + 1;
  const answers = lines.slice(first).flatMap((line) => ANSWER.exec(line.trim())?.[1]?.trim() ?? []);
  if (!answers.length || answers.length > ANSWERS_MAX) return { text: reply, answers: [] };
  return { text: lines.slice(0, first).join("\n").trimEnd(), answers: [...new Set(answers)] };
}
