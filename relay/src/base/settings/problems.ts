/** Collects everything that is wrong with the settings, one sentence a line, so that all of it is said at once. */
export type Problems = {
  /**
   * Reads one setting. What `read` throws becomes a problem, several of an AggregateError several.
   * @param subject what each line begins with: a variable's name
   * @param example a right value, appended to each line
   * @returns nothing when something is wrong
   */
  attempt: <T>(subject: string, read: () => T, example?: string) => T | undefined;
  /** Adds one line. */
  add: (subject: string, message: string, example?: string) => void;
  /** Whether a line begins with this subject. */
  has: (subject: string) => boolean;
  lines: readonly string[];
};

export function createProblems(): Problems {
  const lines: string[] = [];
  const add = (subject: string, message: string, example?: string): void => {
    lines.push(`${subject}: ${message}${example === undefined ? "" : `; for example ${example}`}`);
  };
  return {
    lines,
    add,
    has: (subject) => lines.some((line) => line.startsWith(`${subject}: `)),
    attempt(subject, read, example) {
      try {
        return read();
      } catch (error) {
        const all = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
        for (const one of all) add(subject, one instanceof Error ? one.message : String(one), example);
        return undefined;
      }
    },
  };
}

/** Runs a parser on every entry of a list. @throws AggregateError with what is wrong with each of them */
export function each<In, Out>(entries: readonly In[], parse: (entry: In) => Out): Out[] {
  const wrong: unknown[] = [];
  const parsed = entries.flatMap((entry) => {
    try {
      return [parse(entry)];
    } catch (error) {
      wrong.push(error);
      return [];
    }
  });
  if (wrong.length > 0) throw new AggregateError(wrong);
  return parsed;
}

/** A `#` behind a space, as of a comment; a text for people may hold one that no space follows, like "Chat #1". */
const COMMENT = /\s#|^#\s/;
const COMMENT_IN_TEXT = /(^|\s)#(\s|$)/;

/**
 * Refuses a value that ends with a comment: environment files of systemd and Docker take it for a part of the value.
 * @param words the value is a text for people
 * @throws Error that says where the comment belongs
 */
export function withoutComment(value: string, words: boolean = false): string {
  if ((words ? COMMENT_IN_TEXT : COMMENT).test(value))
    throw new Error('has a comment (" # …") behind its value: an environment file takes it for a part of the value');
  return value;
}
