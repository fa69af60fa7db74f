import { randomId } from "@porchlight/shared/id";
import { grantView, iso } from "../http/api/views.ts";
import { GRANT_STATES, grantStateOf } from "../records/ledger/grants.ts";
import { type Entry, entries, findEntry, historyOf, stuckEntries, type Undone } from "../records/ledger/ledger.ts";
import { trustLedger } from "../records/ledger/restored.ts";
import { amountIn, type Command, named, needed, type Result, table } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { codeOf, settledWithin } from "./wait.ts";

const account = { account: { type: "string" } } as const;
const reason = { reason: { type: "string" } } as const;
const STATES = Object.values(GRANT_STATES);
const LISTED = 200;

/** The named account, or the only one that can be meant. @throws CommandError when there is none, or more than one */
function accountOf({ creditAccounts, settings }: CommandContext, name: string | undefined): string {
  const [found, ...others] = creditAccounts(name);
  if (found !== undefined && others.length === 0) return found.id;
  const all = settings.accounts.map(({ id }) => id).join(", ");
  throw new CommandError(
    found === undefined ? `No account "${name}"; there are ${all}.` : `--account is needed: one of ${all}.`,
    2,
  );
}

const row = (entry: Entry): (string | number | null)[] => {
  const { key, state, email, amount, createdAt, reason } = grantView(entry);
  return [key, state, email ?? "?", amount ?? "?", createdAt, reason];
};
const HEADINGS = ["KEY", "STATE", "E-MAIL", "CREDITS", "CREATED", "REASON"];

const one = (entry: Entry): Result => ({
  data: grantView(entry),
  lines: table(HEADINGS, [row(entry)]),
  code: entry.state === "unknown" ? 3 : 0,
});

/** What follows from a state in which nothing is granted. */
function furtherOf({ key, state, reason }: Entry): string[] {
  const end = `porchlight credits dismiss ${key} --reason <words> ends it.`;
  if (state === "intent" && reason === null) return [`Not granted yet: no relay has taken it. Start one; or ${end}`];
  if (state === "intent") return [`Not granted, and tried again by itself; ${end}`];
  if (state === "refused")
    return [
      `Not granted: the service refuses it. porchlight credits approve ${key} --email <email> --reason <words> lets it go again; or ${end}`,
    ];
  if (state === "received") return [`Not granted: porchlight credits approve ${key} --reason <words> lets it go.`];
  if (state !== "unknown") return [];
  return [
    `Look it up at the service, then: porchlight credits resolve ${key} --granted|--not-granted --reason <words>`,
  ];
}

/** The entry that a decision led to. @throws CommandError when it could not be taken */
function decided(key: string, outcome: Entry | Undone | "incomplete" | "amount" | "email"): Result {
  if (outcome === "missing") throw new CommandError(`No entry ${key}.`);
  if (outcome === "wrong_state")
    throw new CommandError(`${key} is not in a state in which this can be done: see porchlight credits show ${key}.`);
  if (outcome === "incomplete")
    throw new CommandError(`${key} names no sub-account or no amount: say --email or --amount.`, 2);
  if (outcome === "email") throw new CommandError("The e-mail is no address, like client@example.com.", 2);
  if (outcome === "amount")
    throw new CommandError("The amount is not within what one grant may be: perGrant of the account, two decimals.", 2);
  return one(outcome);
}

export const CREDITS: Record<string, Command> = {
  "credits list": {
    usage: "[--state <state>] [--account <account>]",
    help: "shows the newest entries of the ledger; exit code 3 when one is stuck: unknown, refused, waiting for a person or overdue",
    options: { ...account, state: { type: "string" } },
    async run(context, given) {
      const wanted = given.text("state");
      const state = grantStateOf(wanted ?? "");
      if (wanted !== undefined && state === undefined)
        throw new CommandError(`--state is one of ${STATES.join(", ")}.`, 2);
      const name = accountOf(context, given.text("account"));
      const ask = { kind: "grant", account: name, ...(state && { state }) } as const;
      const found = await entries(context.db, { ...ask, limit: LISTED });
      const stuck = await stuckEntries(context.db, { ...ask, now: context.clock.now(), limit: 1 });
      return { data: found.map(grantView), lines: table(HEADINGS, found.map(row)), code: stuck.length > 0 ? 3 : 0 };
    },
  },
  "credits show": {
    usage: "<key> [--account <account>]",
    help: "shows every step of one entry; exit code 3 when nobody knows whether it was granted",
    options: account,
    async run(context, given) {
      const { key } = named(given, "key");
      const name = { kind: "grant", account: accountOf(context, given.text("account")), key } as const;
      const entry = await findEntry(context.db, name);
      if (entry === undefined) throw new CommandError(`No entry ${key}.`);
      const steps = (await historyOf(context.db, name)).map((step) => ({
        ...step,
        at: iso(step.at),
        state: GRANT_STATES[step.state],
      }));
      const rows = steps.map(({ at, state, actor, reason }) => [at, state, actor, reason]);
      const { data, lines, ...rest } = one(entry);
      return {
        data: { ...(data as object), history: steps },
        lines: [...lines, "", ...table(["AT", "STATE", "WHO", "WHY"], rows)],
        ...rest,
      };
    },
  },
  "credits grant": {
    usage: "<email> <amount> [--note <words>] [--key <key>] [--account <account>] [--wait <seconds>]",
    help: "grants once per key; a running relay calls the service; exit code 3 while it is not granted, or nobody knows",
    options: { ...account, note: { type: "string" }, key: { type: "string" }, wait: { type: "string" } },
    async run(context, given) {
      const { email, amount } = named(given, "email", "amount");
      const key = given.text("key") ?? `cli-${randomId(20)}`;
      const name = { account: accountOf(context, given.text("account")), key };
      const order = { ...name, email, amount: amountIn(amount), note: given.text("note") ?? "", actor: "cli" };
      const outcome = await context.credits.grant(order);
      if (outcome === "conflict") throw new CommandError(`${key} is in the ledger with another e-mail or amount.`);
      if (outcome === "amount" || outcome === "email") return decided(key, outcome);
      const entry = await settledWithin(context, given, () => findEntry(context.db, { kind: "grant", ...name }));
      return { ...one(entry), lines: [...one(entry).lines, ...furtherOf(entry)], code: codeOf(entry) };
    },
  },
  "credits approve": {
    usage: "<key> --reason <words> [--email <email>] [--amount <amount>] [--account <account>]",
    help: "lets a waiting or refused grant go, corrected where that is needed",
    options: { ...account, ...reason, email: { type: "string" }, amount: { type: "string" } },
    async run(context, given) {
      const { key } = named(given, "key");
      const [email, amount] = [given.text("email"), given.text("amount")];
      const decision = {
        account: accountOf(context, given.text("account")),
        key,
        actor: "cli",
        reason: needed(given, "reason"),
      };
      const completed = { ...(email && { email }), ...(amount && { amount: amountIn(amount) }) };
      return decided(key, await context.credits.approve({ ...decision, ...completed }));
    },
  },
  "credits dismiss": {
    usage: "<key> --reason <words> [--account <account>]",
    help: "ends an entry that was not granted",
    options: { ...account, ...reason },
    async run(context, given) {
      const { key } = named(given, "key");
      const name = accountOf(context, given.text("account"));
      return decided(
        key,
        await context.credits.dismiss({ account: name, key, actor: "cli", reason: needed(given, "reason") }),
      );
    },
  },
  "credits trust": {
    usage: "--reason <words>",
    help: "after a restored backup: the ledger was compared with the service's credit history, grants go by themselves again",
    options: reason,
    async run({ db, clock }, given) {
      const said = { actor: "cli", reason: needed(given, "reason"), now: clock.now() };
      if (!(await db.transaction((tx) => trustLedger(tx, said))))
        throw new CommandError("The ledger is trusted already.");
      const lines = [
        "Grants go by themselves again. What came meanwhile still waits: porchlight credits list --state waiting.",
      ];
      return { data: { trusted: true }, lines };
    },
  },
  "credits resolve": {
    usage: "<key> --granted|--not-granted --reason <words> [--account <account>]",
    help: "says what is true of an unknown grant, after a look at the service's credit history",
    options: { ...account, ...reason, granted: { type: "boolean" }, "not-granted": { type: "boolean" } },
    async run(context, given) {
      const { key } = named(given, "key");
      const [granted, not] = [given.flag("granted"), given.flag("not-granted")];
      if (granted === not) throw new CommandError("Either --granted or --not-granted is needed.", 2);
      const name = accountOf(context, given.text("account"));
      const decision = { account: name, key, granted, actor: "cli", reason: needed(given, "reason") };
      return decided(key, await context.credits.resolve(decision));
    },
  },
};
