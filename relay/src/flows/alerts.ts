import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { AlertRules } from "../base/settings/shape.ts";
import type { Database } from "../db/database.ts";
import type { Mailer } from "../hooks/mailer.ts";
import type { Hooks } from "../hooks/post.ts";
import { type Alert, endAlert, openAlerts, raiseAlert } from "../records/alerts.ts";

/** A problem that exists now. `subject`: the account or site; empty: the relay. `cure`: what to do. */
export type Problem = { kind: string; subject: string; problem: string; cure: string };

/** A check of this node: whose alerts it may begin and end, and the problems that exist now. */
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

/** How often the checks run. */
const LOOK_MS = 30_000;

type Channel = "mail" | "webhook";
type News = { state: "raised" | "ended"; alert: Pick<Alert, "kind" | "subject" | "since" | "problem">; cure: string };

/**
 * Tells the operator, once, of each problem that begins and when it has ended: by mail, by webhook, in the log and on the
 * admin pages. What cannot be sent is tried again with the next run of the checks.
 */
export function createAlerts(deps: AlertsDeps) {
  const { clock, log } = deps;
  /** What is not sent yet, with the channels that still lack it. */
  const unsent = new Map<string, { news: News; channels: Set<Channel> }>();
  const poll = createPoll({
    clock,
    every: LOOK_MS,
    run: () => look(deps, unsent),
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  return { start: poll.start, look: () => look(deps, unsent), stop: poll.stop };
}

const channelsOf = ({ mail, webhook }: AlertRules): Channel[] => [
  ...(mail === undefined ? [] : (["mail"] as const)),
  ...(webhook === undefined ? [] : (["webhook"] as const)),
];

const nameOf = ({ kind, subject }: { kind: string; subject: string }): string => `${kind} ${subject}`;

/** Compares the problems that exist with those that were told, and tells the difference. */
async function look(deps: AlertsDeps, unsent: Map<string, { news: News; channels: Set<Channel> }>): Promise<void> {
  const { db, clock, checks, log, rules } = deps;
  const open = new Map((await openAlerts(db)).map((alert) => [nameOf(alert), alert]));
  const note = (news: News): void => {
    const { kind, subject, problem } = news.alert;
    log(news.state === "raised" ? "alert.raised" : "alert.ended", { kind, subject, problem });
    unsent.set(`${news.state} ${nameOf(news.alert)}`, { news, channels: new Set(channelsOf(rules)) });
  };
  for (const { kind, owns, find } of checks) {
    const found = (await find()).filter(({ subject }) => owns(subject));
    const now = new Set(found.map(nameOf));
    for (const { cure, ...problem } of found.filter((each) => !open.has(nameOf(each)))) {
      const alert = { ...problem, since: clock.now() };
      await db.transaction((tx) => raiseAlert(tx, alert), ["alerts"]);
      note({ state: "raised", alert, cure });
    }
    for (const alert of open.values()) {
      if (alert.kind !== kind || !owns(alert.subject) || now.has(nameOf(alert))) continue;
      await db.transaction((tx) => endAlert(tx, kind, alert.subject, clock.now()), ["alerts"]);
      note({ state: "ended", alert, cure: "" });
    }
  }
  await send(deps, unsent);
}

async function send(deps: AlertsDeps, unsent: Map<string, { news: News; channels: Set<Channel> }>): Promise<void> {
  for (const [name, { news, channels }] of [...unsent]) {
    for (const channel of [...channels]) {
      const problem = await (channel === "mail" ? mail(deps, news) : post(deps, news));
      if (problem === undefined) channels.delete(channel);
      else deps.log("alert.untold", { kind: news.alert.kind, by: channel, cause: problem });
    }
    if (channels.size === 0) unsent.delete(name);
  }
}

const about = ({ subject }: { subject: string }): string => (subject === "" ? "the relay" : subject);

/** @returns why the mail was not sent; nothing when it was */
async function mail({ rules, mailer, address }: AlertsDeps, { state, alert, cure }: News): Promise<string | undefined> {
  const begun = state === "raised";
  const subject = `${begun ? "Problem" : "Ended"}: ${alert.kind} of ${about(alert)}`;
  const since = new Date(alert.since).toISOString();
  const text = [
    `${begun ? "" : "This has ended: "}${alert.problem}`,
    ...(cure === "" ? [] : [cure]),
    `Since ${since}. ${address()}/admin`,
  ].join("\n\n");
  const letter = { id: randomId(), to: rules.mail ?? "", name: "Porchlight", subject, text };
  const posted = await mailer?.post(letter);
  // An outcome that is unknown counts as sent: a second copy helps nobody.
  return posted?.kind === "sent" || posted?.kind === "unknown" ? undefined : (posted?.reason ?? "no mail server");
}

/** @returns why the webhook did not take it; nothing when it did */
async function post({ rules, hooks, clock }: AlertsDeps, { state, alert, cure }: News): Promise<string | undefined> {
  const { url, secret } = rules.webhook ?? { url: "", secret: "" };
  const { kind, subject, since, problem } = alert;
  const data = { kind, subject, since: new Date(since).toISOString(), problem, ...(cure !== "" && { cure }) };
  const body = JSON.stringify({ type: `alert.${state}`, timestamp: new Date(clock.now()).toISOString(), data });
  const { status, text } = await hooks.post({ url, secret, id: `msg_${randomId(24)}`, body }, clock.now());
  return status >= 200 && status < 300 ? undefined : `${status}: ${text.slice(0, 200)}`;
}
