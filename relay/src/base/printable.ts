/**
 * Control characters except tab and line feed, line separators, and characters that change the direction of text. A terminal
 * may take them as commands: the C1 control U+009B begins an escape sequence (ECMA-48, section 5.3), and JSON does not
 * escape it.
 */
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Replaces characters that a terminal may take as commands by escapes like `\u009b`, so that foreign text (a name, an error of
 * the service) cannot control the reader's terminal. Valid JSON stays valid and keeps its meaning.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);
