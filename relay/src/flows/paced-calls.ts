import type { Clock } from "../base/clock.ts";
import { HELD_BACK } from "../records/leads.ts";
import type { Service } from "../service/api.ts";
import type { Gates } from "../service/gates.ts";
import type { CallRank, Permit } from "../service/keygate.ts";
import type { Outcome } from "../service/outcome.ts";

/**
 * Makes one call with an account's client as soon as the account's pace allows it.
 * @returns the call's outcome; without a call, `config` for an account without configuration, or `throttle` when no permit came in
 *   time
 */
export type PacedCall = <T extends Outcome>(
  account: string,
  rank: "contact" | "lookup",
  call: (client: Service) => Promise<T>,
) => Promise<T | Outcome>;

/** Calls whose result somebody waits for. */
export type PacedCalls = {
  call: PacedCall;
  /** Cancels all calls that wait for their permit. */
  stop: () => void;
};

type PacedCallsDeps = {
  clock: Clock;
  gates: Pick<Gates, "enter" | "heldFor">;
  clientOf: (account: string) => Service | undefined;
};
type State = PacedCallsDeps & {
  /** Functions that each cancel one waiting call. */
  waiting: Set<() => void>;
};

/** Longest time that a call waits for its permit, in ms, because a person or a program waits for its result. */
const PERMIT_TIMEOUT_MS = 5_000;

/** Creates the calls whose result somebody waits for. They share the pace of their account with all other calls. */
export function createPacedCalls(deps: PacedCallsDeps): PacedCalls {
  const state: State = { ...deps, waiting: new Set() };
  return {
    call: (account, rank, call) => callWithPermit(state, account, rank, call),
    stop() {
      for (const giveUp of [...state.waiting]) giveUp();
    },
  };
}

async function callWithPermit<T extends Outcome>(
  state: State,
  account: string,
  rank: CallRank,
  call: (client: Service) => Promise<T>,
): Promise<T | Outcome> {
  const client = state.clientOf(account);
  if (client === undefined) return { kind: "config", status: 0, message: `account ${account} is not configured` };
  const permit = await nextPermit(state, account, rank);
  if (permit === undefined) return throttled(state.gates.heldFor(account));
  try {
    const answer = await call(client);
    permit.settle(answer);
    return answer;
  } finally {
    permit.settle({ kind: "unready", status: 0 });
  }
}

/** Waits for the account's next permit; resolves to undefined after `PERMIT_TIMEOUT_MS`, or at a stop. */
function nextPermit({ clock, gates, waiting }: State, account: string, rank: CallRank): Promise<Permit | undefined> {
  return new Promise((resolve) => {
    const end = (permit?: Permit): void => {
      leave();
      cancel();
      waiting.delete(giveUp);
      resolve(permit);
    };
    const giveUp = (): void => end();
    let leave = (): void => {};
    const cancel = clock.after(PERMIT_TIMEOUT_MS, giveUp);
    waiting.add(giveUp);
    leave = gates.enter(account, rank, end);
  });
}

/** The outcome of a call that was not made. @param why the refusal of the account's key, while the account is held */
function throttled(why: string | undefined): Outcome {
  const message = why === undefined ? HELD_BACK : `${HELD_BACK} (${why})`;
  return { kind: "throttle", status: 0, message, waitMs: PERMIT_TIMEOUT_MS };
}
