import { addAudit } from "../records/operators.ts";
import type { CommandContext } from "./context.ts";

type Recorder = Pick<CommandContext, "db" | "clock">;
/** What a command did. `subject` contains ids, paths and counts, never a person's texts. */
export type Recorded = { action: string; subject: string };

/** The entry of a command for the audit log. */
export const entryOf = ({ clock }: Pick<Recorder, "clock">, recorded: Recorded) => ({
  at: clock.now(),
  actor: "cli",
  ...recorded,
});

/** Adds an entry of a command to the audit log. */
export const record = ({ db, clock }: Recorder, recorded: Recorded): Promise<void> =>
  db.transaction((tx) => addAudit(tx, entryOf({ clock }, recorded)), ["audit"]);

/** A number with its noun, in the singular or the plural. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/**
 * Copies people's data out of the relay. The audit log gets an entry before the first byte, and one with the counts at the end;
 * without the second entry, the copy failed or was interrupted.
 * @param recorded `subject`: what is copied, and to where
 * @param copy @returns the command's result, and the counts of what was copied
 */
export async function recordCopy<Made extends { counts: string }>(
  recorder: Recorder,
  { action, subject }: Recorded,
  copy: () => Promise<Made>,
): Promise<Made> {
  await record(recorder, { action, subject: `${subject}: begun` });
  const made = await copy();
  await record(recorder, { action, subject: `${subject}: ${made.counts}` });
  return made;
}
