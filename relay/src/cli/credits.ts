import { randomId } from "@porchlight/shared/id";
import { grantView, iso } from "../http/api/views.ts";
import { GRANT_STATES, grantStateOf } from "../records/ledger/grants.ts";
import {
  entriesPage,
  findEntry,
  historyOf,
  type LedgerEntry,
  stuckEntries,
  type TransitionProblem,
} from "../records/ledger/ledger.ts";
import { trustLedger } from "../records/ledger/restored.ts";
import {
  allArguments,
  amountIn,
  type Command,
  checkEmail,
  positionals,
  type Result,
  requiredOption,
  table,
  waitSeconds,
} from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { exitCodeOf, waitUntilSettled } from "./ledger-outcome.ts";

const account = { account: { type: "string" } } as const;
const reason = { reason: { type: "string" } } as const;
const STATES = Object.values(GRANT_STATES);
/** Most entries that `credits list` shows. */
const LIST_MAX = 200;

/** The named account; without a name, the only one for credits. @throws CommandError when it does not exist, or is ambiguous */
function accountOf({ creditAccounts, settings }: CommandContext, name: string | undefined): string {
  const [found, ...others] = creditAccounts(name);
  if (found !== undefined && others.length === 0) return found.id;
  const all = settings.accounts.map(({ id }) => id).join(", ");
  throw new CommandError(
    found === undefined ? `No account "${name}"; there are ${all}.` : `--account is needed: one of ${all}.`,
    2,
  );
}

const row = (entry: LedgerEntry): (string | number | null)[] => {
  const { key, state, email, amount, createdAt, reason } = grantView(entry);
  return [key, state, email ?? "?", amount ?? "?", createdAt, reason];
};
const HEADINGS = ["KEY", "STATE", "EMAIL", "CREDITS", "CREATED", "REASON"];

const entryResult = (entry: LedgerEntry): Result => ({
  data: grantView(entry),
  lines: table(HEADINGS, [row(entry)]),
  code: entry.state === "unknown" ? 3 : 0,
});

/** The next steps, for an entry that is not granted. */
function nextStepsOf({ key, state, reason }: LedgerEntry): string[] {
  const close = `To close it: porchlight credits dismiss ${key} --reason <words>`;
  if (state === "intent" && reason === null)
    return ["Not granted yet: no relay has processed it. Start a relay.", close];
  if (state === "intent") return ["Not granted yet: the relay retries it automatically.", close];
  if (state === "refused")
    return [
      "Not granted: the service refused it.",
      `To retry it: porchlight credits approve ${key} --email <email> --reason <words>`,
      close,
    ];
  if (state === "received")
    return ["Not granted yet.", `To approve it: porchlight credits approve ${key} --reason <words>`];
  if (state !== "unknown") return [];
  return [
    `Look it up at the service, then: porchlight credits resolve ${key} --granted|--not-granted --reason <words>`,
  ];
}

/** The result of a decision. @throws CommandError when the decision was not possible */
function resultOf(key: string, outcome: LedgerEntry | TransitionProblem | "incomplete" | "amount" | "email"): Result {
  if (outcome === "missing") throw new CommandError(`No entry ${key}.`);
  if (outcome === "wrong_state")
    throw new CommandError(`${key} does not allow this in its state: see porchlight credits show ${key}.`);
  if (outcome === "incomplete")
    throw new CommandError(`${key} has no sub-account or no amount: add --email or --amount.`, 2);
  if (outcome === "email") throw new CommandError("The email is not an address like client@example.com.", 2);
  if (outcome === "amount")
    throw new CommandError("The amount exceeds perGrant of the account, or has more than two decimals.", 2);
  return entryResult(outcome);
}

export const CREDITS: Record<string, Command> = {
  "credits list": {
    usage: "[--state <state>] [--account <account>]",
    help: "lists the newest entries of the ledger; exit code 3 when one is stuck: unknown, refused, waiting for a person or overdue",
    options: { ...account, state: { type: "string" } },
    async run(context, given) {
      const wanted = given.text("state");
      const state = grantStateOf(wanted ?? "");
      if (wanted !== undefined && state === undefined)
        throw new CommandError(`--state is one of ${STATES.join(", ")}.`, 2);
      const name = accountOf(context, given.text("account"));
      const query = { kind: "grant", account: name, ...(state && { state }) } as const;
      const found = await entriesPage(context.db, { ...query, limit: LIST_MAX });
      const stuck = await stuckEntries(context.db, { ...query, now: context.clock.now(), limit: 1 });
      return { data: found.map(grantView), lines: table(HEADINGS, found.map(row)), code: stuck.length > 0 ? 3 : 0 };
    },
  },
  "credits show": {
    usage: "<key> [--account <account>]",
    help: "shows every step of one entry; exit code 3 when its outcome is unknown",
    options: account,
    async run(context, given) {
      const { key } = positionals(given, "key");
      const entryKey = { kind: "grant", account: accountOf(context, given.text("account")), key } as const;
      const entry = await findEntry(context.db, entryKey);
      if (entry === undefined) throw new CommandError(`No entry ${key}.`);
      const steps = (await historyOf(context.db, entryKey)).map((step) => ({
        ...step,
        at: iso(step.at),
        state: GRANT_STATES[step.state],
      }));
      const rows = steps.map(({ at, state, actor, reason }) => [at, state, actor, reason]);
      const { data, lines, ...rest } = entryResult(entry);
      return {
        data: { ...(data as object), history: steps },
        lines: [...lines, "", ...table(["AT", "STATE", "WHO", "WHY"], rows)],
        ...rest,
      };
    },
  },
  "credits grant": {
    usage: "<email> <amount> [--note <words>] [--key <key>] [--account <account>] [--wait <seconds>]",
    help: "grants credits once per key; the running relay calls the service; exit code 3 while the grant is pending or its outcome is unknown",
    subject: allArguments,
    options: { ...account, note: { type: "string" }, key: { type: "string" }, wait: { type: "string" } },
    check(given) {
      const { email, amount } = positionals(given, "email", "amount");
      checkEmail("<email>", email);
      amountIn("<amount>", amount);
      waitSeconds(given, 0);
    },
    async run(context, given) {
      const { email, amount } = positionals(given, "email", "amount");
      const key = given.text("key") ?? `cli-${randomId(20)}`;
      const name = { account: accountOf(context, given.text("account")), key };
      const order = {
        ...name,
        email,
        amount: amountIn("<amount>", amount),
        note: given.text("note") ?? "",
        actor: "cli",
      };
      const outcome = await context.credits.grant(order);
      if (outcome === "conflict") throw new CommandError(`${key} is in the ledger with another email or amount.`);
      if (outcome === "amount" || outcome === "email") return resultOf(key, outcome);
      const entry = await waitUntilSettled(context, given, () => findEntry(context.db, { kind: "grant", ...name }));
      return {
        ...entryResult(entry),
        lines: [...entryResult(entry).lines, ...nextStepsOf(entry)],
        code: exitCodeOf(entry),
      };
    },
  },
  "credits approve": {
    usage: "<key> --reason <words> [--email <email>] [--amount <amount>] [--account <account>]",
    help: "approves a waiting or refused grant, with a corrected email or amount if given",
    subject: allArguments,
    options: { ...account, ...reason, email: { type: "string" }, amount: { type: "string" } },
    check(given) {
      requiredOption(given, "reason");
      checkEmail("--email", given.text("email"));
      const amount = given.text("amount");
      if (amount !== undefined) amountIn("--amount", amount);
    },
    async run(context, given) {
      const { key } = positionals(given, "key");
      const [email, amount] = [given.text("email"), given.text("amount")];
      const decision = {
        account: accountOf(context, given.text("account")),
        key,
        actor: "cli",
        reason: requiredOption(given, "reason"),
      };
      const completed = { ...(email && { email }), ...(amount && { amount: amountIn("--amount", amount) }) };
      return resultOf(key, await context.credits.approve({ ...decision, ...completed }));
    },
  },
  "credits dismiss": {
    usage: "<key> --reason <words> [--account <account>]",
    help: "closes an entry without a grant",
    subject: allArguments,
    options: { ...account, ...reason },
    check: (given) => void requiredOption(given, "reason"),
    async run(context, given) {
      const { key } = positionals(given, "key");
      const name = accountOf(context, given.text("account"));
      return resultOf(
        key,
        await context.credits.dismiss({ account: name, key, actor: "cli", reason: requiredOption(given, "reason") }),
      );
    },
  },
  "credits trust": {
    usage: "--reason <words>",
    help: "allows automatic grants again after a restored backup, once the ledger was compared with the service's credit history",
    subject: allArguments,
    options: reason,
    check: (given) => void requiredOption(given, "reason"),
    async run({ db, clock }, given) {
      const decision = { actor: "cli", reason: requiredOption(given, "reason"), now: clock.now() };
      if (!(await db.transaction((tx) => trustLedger(tx, decision))))
        throw new CommandError("Automatic grants are already allowed.");
      const lines = [
        "Grants are automatic again. Those that arrived meanwhile still wait: porchlight credits list --state waiting.",
      ];
      return { data: { trusted: true }, lines };
    },
  },
  "credits resolve": {
    usage: "<key> --granted|--not-granted --reason <words> [--account <account>]",
    help: "sets the outcome of an unknown grant, as found in the service's credit history",
    subject: allArguments,
    options: { ...account, ...reason, granted: { type: "boolean" }, "not-granted": { type: "boolean" } },
    check(given) {
      if (given.flag("granted") === given.flag("not-granted"))
        throw new CommandError("Either --granted or --not-granted is needed.", 2);
      requiredOption(given, "reason");
    },
    async run(context, given) {
      const { key } = positionals(given, "key");
      const name = accountOf(context, given.text("account"));
      const decision = {
        account: name,
        key,
        granted: given.flag("granted"),
        actor: "cli",
        reason: requiredOption(given, "reason"),
      };
      return resultOf(key, await context.credits.resolve(decision));
    },
  },
};
