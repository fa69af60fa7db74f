/** Code that is seldom needed, fetched when it is needed first, and fetched again after a failure. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { Language } from "../../text/i18n.ts";

export type LateParts = {
  /** Fetches that failed; each can be tried again. */
  missing: Signal<readonly (() => unknown)[]>;
  /**
   * Fetches code that is seldom needed, with its words, and passes it on. If that fails, the panel tells the visitor, who may
   * try again. Resolves in either case.
   * @param isQuiet for what the visitor did not ask for: a failure is neither told nor repeated; the caller tries again
   */
  part<Code>(fetch: () => Promise<Code>, use: (code: Code) => unknown, isQuiet?: boolean): Promise<void>;
};

/** @property wasUsed whether a part was fetched, so that its words are needed in each further language */
export function createLateParts(language: ReadonlySignal<Language>): LateParts & { wasUsed(): boolean } {
  const missing = signal<readonly (() => unknown)[]>([]);
  let wasUsed = false;
  const part: LateParts["part"] = async (fetch, use, isQuiet) => {
    wasUsed = true;
    try {
      const [code] = await Promise.all([fetch(), language.peek().more()]);
      use(code);
      tryAgain({ missing });
    } catch (error) {
      console.warn(error);
      if (!isQuiet) missing.value = [...missing.peek(), () => part(fetch, use)];
    }
  };
  return { missing, part, wasUsed: () => wasUsed };
}

/** Repeats every failed fetch. */
export function tryAgain({ missing }: Pick<LateParts, "missing">): void {
  const all = missing.peek();
  if (!all[0]) return;
  missing.value = [];
  for (const run of all) run();
}

/** Shows what has to be fetched first, or hides it again. */
export const toggler =
  <Code>({ part }: Pick<LateParts, "part">, shown: Signal<Code | undefined>, fetch: () => Promise<Code>) =>
  (): unknown =>
    shown.value ? hide(shown) : part(fetch, into(shown));
const hide = (shown: Signal<undefined | unknown>): void => {
  shown.value = undefined;
};

/** For `part`: keeps the code. */
export const into =
  <Code>(kept: Signal<Code | undefined>) =>
  (code: Code): void => {
    kept.value = code;
  };
