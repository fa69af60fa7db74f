/** Fetches rarely needed code on its first use, and again after a failure. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { Language } from "../../text/i18n.ts";

export type LateParts = {
  /** Fetches that failed; each can be tried again. */
  missing: Signal<readonly (() => unknown)[]>;
  /**
   * Fetches rarely needed code with its texts, and passes it on. After a failure the panel tells the visitor, who may try
   * again. Resolves in either case.
   * @param isQuiet for code that the visitor did not request: a failure is neither shown nor repeated; the caller tries again
   */
  part<Code>(fetch: () => Promise<Code>, use: (code: Code) => unknown, isQuiet?: boolean): Promise<void>;
};

/** @property wasUsed whether a part was fetched, so that its texts are also needed after a change of language */
export function createLateParts(language: ReadonlySignal<Language>): LateParts & { wasUsed(): boolean } {
  const missing = signal<readonly (() => unknown)[]>([]);
  let wasUsed = false;
  const part: LateParts["part"] = async (fetch, use, isQuiet) => {
    wasUsed = true;
    try {
      const [code] = await Promise.all([fetch(), language.peek().loadRare()]);
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

/** Shows a component whose code has to be fetched first, or hides it. */
export const toggler =
  <Code>({ part }: Pick<LateParts, "part">, shown: Signal<Code | undefined>, fetch: () => Promise<Code>) =>
  (): unknown =>
    shown.value ? hide(shown) : part(fetch, into(shown));
const hide = (shown: Signal<undefined | unknown>): void => {
  shown.value = undefined;
};

/** For `part`: stores the code in a signal. */
export const into =
  <Code>(target: Signal<Code | undefined>) =>
  (code: Code): void => {
    target.value = code;
  };
