/** Compares the texts that were sent with those that arrived, for tests under load and faults. */

export type Flaws = {
  /** Texts that did not arrive. */
  lost: number;
  /** Texts that arrived again. */
  doubled: number;
  /** Texts that arrived at another place than they were sent. */
  misordered: number;
};

/** Flaws of visitors' messages, and of the replies to them. */
export type BothFlaws = Flaws & { repliesLost: number; repliesDoubled: number; repliesMisordered: number };

export const FLAWLESS: BothFlaws = {
  lost: 0,
  doubled: 0,
  misordered: 0,
  repliesLost: 0,
  repliesDoubled: 0,
  repliesMisordered: 0,
};

/** @param sent texts in their order, each once @param arrived texts as they were found */
export function flawsOf(sent: readonly string[], arrived: readonly string[]): Flaws {
  const both = sent.filter((text) => arrived.includes(text));
  const order = arrived.filter((text, at) => sent.includes(text) && arrived.indexOf(text) === at);
  return {
    lost: sent.length - both.length,
    doubled: arrived.length - new Set(arrived).size,
    misordered: both.filter((text, at) => order[at] !== text).length,
  };
}

/** The flaws of messages and of replies under one set of names. */
export const bothFlaws = (messages: Flaws, replies: Flaws): BothFlaws => ({
  ...messages,
  repliesLost: replies.lost,
  repliesDoubled: replies.doubled,
  repliesMisordered: replies.misordered,
});
