/** Text that people type: one line, several lines, an email address. */

import { domainToASCII } from "node:url";

/** The text as one line without control characters and lone surrogates, which databases, logs and services may reject. */
export const toSingleLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim();

/** Texts, in lower case, that people and services write into a field to say that it is empty. */
const PLACEHOLDERS = new Set(["", "unknown", "unknown@unknown.com", "-", "—", "n/a"]);

/** Whether a text stands for an empty field: it is blank, or a placeholder such as "Unknown". */
export const isPlaceholder = (text: string): boolean => PLACEHOLDERS.has(text.trim().toLowerCase());

/** The text without NUL characters and lone surrogates. Line breaks stay. */
export const toMultiLine = (text: string): string => text.toWellFormed().replaceAll("\0", "");

/**
 * An email address, as all inputs check it and the OpenAPI document states it. It excludes the characters that
 * RFC 5322 uses for lists, comments and names, so that every mail program reads the same single address in it.
 */
export const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(\.[^\s@.<>()[\]\\,;:"]+)+$/;
/** Most characters of an email address (RFC 5321). */
export const EMAIL_MAX = 254;

/** Converts the domain to lower case; the local part stays as typed. */
export const lowerDomain = (email: string): string => email.replace(/@.*$/s, (domain) => domain.toLowerCase());

/** The two domains of Gmail's mailboxes. Gmail ignores dots in names (support.google.com/mail/answer/7436150). */
const GMAIL = /^(gmail|googlemail)\.com$/;

/** The parts of an address: the name without the tag after `+`, in lower case, and the domain in ASCII. */
function mailboxParts(email: string): { name: string; domain: string } {
  const at = email.lastIndexOf("@");
  const name = email.slice(0, at).normalize("NFKC").toLowerCase();
  const domain = email.slice(at + 1).toLowerCase();
  return { name: name.replace(/(?<=.)\+.*$/s, ""), domain: domainToASCII(domain) || domain };
}

/**
 * The mailbox of an address, for counting: without the tag after `+`, which most mail servers ignore (RFC 5233), in lower case, and with
 * the domain in ASCII. `ada+1@b.example` and `Ada@B.example` are one mailbox. At Gmail, names that differ only in dots are one, too.
 */
export function mailboxOf(email: string): string {
  const { name, domain } = mailboxParts(email);
  return GMAIL.test(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

/** The mailbox as earlier versions of the relay stored it, which did not know Gmail's rules. */
export function formerMailboxOf(email: string): string {
  const { name, domain } = mailboxParts(email);
  return `${name}@${domain}`;
}

/** The email address in a text, as it is sent to the service; `undefined` when there is none. */
export function emailOf(given: string): string | undefined {
  const text = toSingleLine(given);
  return text.length <= EMAIL_MAX && EMAIL.test(text) ? lowerDomain(text) : undefined;
}
