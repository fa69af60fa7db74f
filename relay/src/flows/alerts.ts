import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { AlertRules } from "../base/settings/shape.ts";
import type { Database } from "../db/database.ts";
import type { Mailer } from "../hooks/mailer.ts";
import type { Hooks } from "../hooks/post.ts";
import { type Alert, describeAlert, endAlert, raiseAlert, setUnsentTo, unfinishedAlerts } from "../records/alerts.ts";

/** A problem that exists now. `subject`: the account or site; empty: the relay. `cure`: what to do. */
export type Problem = { kind: string; subject: string; problem: string; cure: string };

/** A check of this node. `owns`: whether it may raise and end the alerts of a subject. `find`: the problems that exist now. */
export type AlertCheck = { kind: string; owns: (subject: string) => boolean; find: () => Promise<Problem[]> };

type AlertsDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  rules: AlertRules;
  mailer: Pick<Mailer, "post"> | undefined;
  hooks: Hooks;
  checks: readonly AlertCheck[];
  /** The relay's address, for the text of a mail. */
  address: () => string;
};

/** Interval of the checks, in ms. */
const CHECK_MS = 30_000;

/** A destination of alerts. The settings give its address. */
type Channel = "mail" | "webhook";

/**
 * Tells the operator once when a problem begins and once when it ends: by mail, by webhook, in the log and on the admin pages.
 * Alerts that are not sent yet are stored, so a restart loses none; the next run tries again.
 * @returns `run` makes all checks once; `start` repeats them every `CHECK_MS` until `stop`
 */
export function createAlerts(deps: AlertsDeps) {
  const { clock, log } = deps;
  const poll = createPoll({
    clock,
    every: CHECK_MS,
    run: () => runChecks(deps),
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  return { start: poll.start, run: () => runChecks(deps), stop: poll.stop };
}

const channelsOf = ({ mail, webhook }: AlertRules): Channel[] => [
  ...(mail === undefined ? [] : (["mail"] as const)),
  ...(webhook === undefined ? [] : (["webhook"] as const)),
];

/** Runs every check, and sends what is not sent yet. A check that throws is logged and does not affect the others. */
async function runChecks(deps: AlertsDeps): Promise<void> {
  const { db, checks, log } = deps;
  const open = (await unfinishedAlerts(db)).filter(({ ended }) => ended === null);
  for (const check of checks) {
    const known = open.filter(({ kind, subject }) => kind === check.kind && check.owns(subject));
    await compare(deps, check, known).catch((error: unknown) =>
      log("alert.unchecked", { kind: check.kind, cause: String(error) }),
    );
  }
  await send(deps);
}

/** Compares the problems that exist with those that are stored, and stores the difference. */
async function compare({ db, clock, log, rules }: AlertsDeps, check: AlertCheck, known: readonly Alert[]) {
  const unsentTo = channelsOf(rules).join(" ");
  const found = (await check.find()).filter(({ subject }) => check.owns(subject));
  for (const each of found) {
    const before = known.find(({ subject }) => subject === each.subject);
    if (before !== undefined) {
      if (before.problem !== each.problem || before.cure !== each.cure)
        await db.transaction((tx) => describeAlert(tx, each), ["alerts"]);
      continue;
    }
    await db.transaction((tx) => raiseAlert(tx, { ...each, since: clock.now(), unsentTo }), ["alerts"]);
    log("alert.raised", { kind: each.kind, subject: each.subject, problem: each.problem });
  }
  for (const each of known) {
    if (found.some(({ subject }) => subject === each.subject)) continue;
    await db.transaction((tx) => endAlert(tx, each, clock.now(), unsentTo), ["alerts"]);
    log("alert.ended", { kind: each.kind, subject: each.subject, problem: each.problem });
  }
}

/**
 * Sends the alerts of this node's checks that are not sent yet. A process that dies between an answer and its record sends
 * again, with the same id.
 */
async function send(deps: AlertsDeps): Promise<void> {
  const { db, checks, log, rules } = deps;
  const channels = channelsOf(rules);
  for (const alert of await unfinishedAlerts(db)) {
    if (alert.unsentTo === "" || !checks.some(({ kind, owns }) => kind === alert.kind && owns(alert.subject))) continue;
    let left = channels.filter((channel) => alert.unsentTo.split(" ").includes(channel));
    // The settings no longer name any of its channels.
    if (left.length === 0) await db.transaction((tx) => setUnsentTo(tx, alert, ""), ["alerts"]);
    for (const channel of left) {
      const problem = await (channel === "mail" ? mail(deps, alert) : post(deps, alert));
      if (problem !== undefined) {
        log("alert.untold", { kind: alert.kind, by: channel, cause: problem });
        continue;
      }
      left = left.filter((each) => each !== channel);
      await db.transaction((tx) => setUnsentTo(tx, alert, left.join(" ")), ["alerts"]);
    }
  }
}

/** An id of an alert's newest state: the same for each attempt to send it. */
function idOf({ kind, subject, since, ended }: Alert): string {
  const name = JSON.stringify([kind, subject, since, ended]);
  return createHash("sha256").update(name).digest("base64url").slice(0, 24);
}

const subjectOf = ({ subject }: { subject: string }): string => (subject === "" ? "the relay" : subject);

/** Sends an alert by mail. @returns why the mail was not sent; undefined when it was */
async function mail({ rules, mailer, address }: AlertsDeps, alert: Alert): Promise<string | undefined> {
  const exists = alert.ended === null;
  const subject = `${exists ? "Problem" : "Ended"}: ${alert.kind} of ${subjectOf(alert)}`;
  const since = new Date(alert.since).toISOString();
  const text = [
    `${exists ? "" : "This has ended: "}${alert.problem}`,
    ...(exists && alert.cure !== "" ? [alert.cure] : []),
    `Since ${since}. ${address()}/admin`,
  ].join("\n\n");
  const message = { id: idOf(alert), to: rules.mail ?? "", name: "Porchlight", subject, text };
  const posted = await mailer?.post(message);
  // An unknown outcome counts as sent, because a second copy does not help.
  return posted?.kind === "sent" || posted?.kind === "unknown" ? undefined : (posted?.reason ?? "no mail server");
}

/** Sends an alert to the webhook. @returns why the webhook did not accept it; undefined when it did */
async function post({ rules, hooks, clock }: AlertsDeps, alert: Alert): Promise<string | undefined> {
  const { url, secret } = rules.webhook ?? { url: "", secret: "" };
  const { kind, subject, since, ended, problem, cure } = alert;
  const type = ended === null ? "alert.raised" : "alert.ended";
  const data = {
    kind,
    subject,
    since: new Date(since).toISOString(),
    problem,
    ...(ended === null && cure !== "" && { cure }),
  };
  const body = JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data });
  const { status, text } = await hooks.post({ url, secret, id: `msg_${idOf(alert)}`, body }, clock.now());
  return status >= 200 && status < 300 ? undefined : `${status}: ${text.slice(0, 200)}`;
}
