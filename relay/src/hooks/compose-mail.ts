import { cut } from "@porchlight/shared/text";
import { mailWords } from "./mail-words.ts";

/** A line of the conversation. `name`: file name, if the line is a file. */
export type MailLine = { from: "visitor" | "reply"; at: number; text: string; name?: string };

/** What an email is written from. */
type Given = {
  /** The site's name. */
  site: string;
  lines: readonly MailLine[];
  /** The page of the chat. */
  page: string;
  /** The address that ends these emails. */
  stop: string;
  /** BCP 47. */
  locale: string;
};

/** The parts of an email. `subject`: one line, without control characters. */
export type ComposedMail = { subject: string; text: string; html: string };

/** Most UTF-16 code units of the site's name and of the first reply in the subject. */
const SUBJECT_MAX = 60;

/** Text for use in HTML. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll("\n", "<br>\n");
/** A single line without characters that are not allowed in a header. */
const oneLine = (text: string, max: number): string => cut(text.replace(/[\p{Cc}\s]+/gu, " ").trim(), max);

/**
 * Writes messages of a conversation as an email: as plain text, and as HTML without pictures, external styles and scripts. If
 * both sides have written, each message begins with its author.
 */
export function composeMail({ site, lines, page, stop, locale }: Given): ComposedMail {
  const words = mailWords(locale);
  const date = new Intl.DateTimeFormat(words.language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const both = lines.some(({ from }) => from === "visitor");
  const parts = lines.map(({ from, at, text, name }) => ({
    head: both ? `${from === "visitor" ? words.you : site} · ${date.format(at)} UTC` : "",
    body: [text, name === undefined ? "" : `[${name}]`].filter((part) => part !== "").join("\n"),
  }));
  const first = oneLine(lines.find(({ from, text }) => from === "reply" && text !== "")?.text ?? "", SUBJECT_MAX);
  const name = oneLine(site, SUBJECT_MAX);
  return {
    subject: both || first === "" ? name : `${name}: ${first}`,
    text: `${parts.map(({ head, body }) => (head === "" ? body : `${head}\n${body}`)).join("\n\n")}\n\n-- \n${words.open}: ${page}\n${words.stop}: ${stop}\n`,
    html: `<!doctype html>
<html lang="${words.language}"><meta charset="utf-8"><title>${escaped(name)}</title>
<body dir="${words.dir}" style="font:16px/1.5 sans-serif;max-width:36em">
<p><strong>${escaped(name)}</strong></p>
${parts.map(({ head, body }) => `<p dir="auto">${head === "" ? "" : `<small>${escaped(head)}</small><br>\n`}${escaped(body)}</p>`).join("\n")}
<p><a href="${escaped(page)}">${words.open}</a></p>
<p><small><a href="${escaped(stop)}">${words.stop}</a></small></p>
</body></html>
`,
  };
}
