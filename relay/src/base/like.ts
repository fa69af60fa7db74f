/** Texts in LIKE, and comparing texts without regard to upper and lower case. */

/** Escapes the pattern characters of LIKE with a backslash. */
export const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

/** The function of SQL that gives texts in lower case. For words with only ASCII characters, the faster one is enough. */
export const lowerFunction = (words: string): string => (/^[\0-\x7f]*$/.test(words) ? "lower" : "unicode_lower");
