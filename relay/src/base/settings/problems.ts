/** Collects all problems of the settings, one line each, so that they are reported together. */
export type Problems = {
  /**
   * Reads one setting. An error of `read` becomes a problem; an AggregateError becomes one problem for each of its errors.
   * @param subject start of each line: the name of the variable
   * @param example a valid value, appended to each line
   * @returns `undefined` when there was a problem
   */
  attempt: <T>(subject: string, read: () => T, example?: string) => T | undefined;
  /** Adds one line. */
  add: (subject: string, message: string, example?: string) => void;
  /** Whether there is a problem with this subject. */
  has: (subject: string) => boolean;
  lines: readonly string[];
};

/** Creates an empty collection of problems. */
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

/** Parses every entry of a list. @throws AggregateError with the errors of all invalid entries */
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

/**
 * A comment starts with `#` after a space. In a text for people it starts with `#` between spaces, because a title may be
 * "Chat #1".
 */
const COMMENT = /\s#|^#\s/;
const COMMENT_IN_TEXT = /(^|\s)#(\s|$)/;

/** A value in quotes. systemd, Compose and the shell remove the quotes; `docker --env-file` does not. */
const QUOTED = /^"[^"]*"$|^'[^']*'$/;

/**
 * Refuses a value in quotes, and a value that ends with a comment: in some environment files these are part of the value.
 * @param words the value is a text for people
 * @throws Error
 */
export function plainValue(value: string, words: boolean = false): string {
  if (QUOTED.test(value))
    throw new Error("has quotes around its value: remove them, because docker --env-file makes them part of the value");
  if ((words ? COMMENT_IN_TEXT : COMMENT).test(value))
    throw new Error('has a comment (" # …") after its value: in an environment file it becomes part of the value');
  return value;
}

/** A reference to a file or to a variable. Only the configuration file takes references. */
const REFERENCE = /^(file|env):/;

/** Refuses a reference in place of a secret: it would be sent as the secret. @throws Error */
export function literalSecret(value: string): string {
  if (REFERENCE.test(value))
    throw new Error('must be the secret itself: "file:" and "env:" are for fields of the configuration file');
  return value;
}
