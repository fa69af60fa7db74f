/** Tables of similar cases: `npm test` runs a sample of them, and `npm run test:full` runs all (`full: all cases`). */

/** All cases of each table run. */
export const ALL_CASES = process.env.CASES === "all";

/** @returns all cases, or in `npm test` only those at these indexes */
export const sampleOf = <Case>(cases: readonly Case[], indexes: readonly number[]): readonly Case[] =>
  ALL_CASES ? cases : cases.filter((_case, index) => indexes.includes(index));
