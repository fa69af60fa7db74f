import { DELIVERY_STATES } from "../base/delivery-states.ts";
import { EVENT_STATES } from "../base/owner-events.ts";
import { deliveryView, eventView } from "../http/api/views.ts";
import { eventsPage, renewEvent } from "../records/events.ts";
import { deliveriesPage, findListedVisitor } from "../records/listings.ts";
import { allArguments, type Command, type CommandArgs, positionals, SITE_OPTION, table } from "./command.ts";
import { CommandError } from "./error.ts";

const LIST_MAX = 200;

/** The value of `--state`; `undefined` without the option. @throws CommandError for an unknown state */
function stateIn<State extends string>(given: CommandArgs, states: readonly State[]): State | undefined {
  const wanted = given.text("state");
  const state = states.find((each) => each === wanted);
  if (wanted !== undefined && state === undefined) throw new CommandError(`--state is one of ${states.join(", ")}.`, 2);
  return state;
}

export const DELIVERIES: Record<string, Command> = {
  deliveries: {
    usage: "[--failed|--state waiting|failed] [--site <site>]",
    help: "lists messages that the service has not accepted, with attempts and last error; exit code 3 when one failed",
    options: { ...SITE_OPTION, failed: { type: "boolean" }, state: { type: "string" } },
    async run({ db, site }, given) {
      const only = given.flag("failed") ? "failed" : stateIn(given, DELIVERY_STATES);
      const ask = { site: site(given.text("site")).public.id, limit: LIST_MAX };
      // Failed messages come first, so that waiting ones do not hide them.
      const states = only === undefined ? (["failed", "waiting"] as const) : [only];
      const pages = await Promise.all(states.map((state) => deliveriesPage(db, { ...ask, state })));
      const data = pages.flat().slice(0, LIST_MAX).map(deliveryView);
      const rows = data.map(({ visitor, message, state, attempts, due, reason, error }) => [
        ...[visitor, message, state, attempts, due],
        [reason, error].filter((part) => part !== null).join(": "),
      ]);
      const lines = table(["VISITOR", "MESSAGE", "STATE", "TRIES", "NEXT", "LAST ERROR"], rows);
      return { data, lines, code: data.some(({ state }) => state === "failed") ? 3 : 0 };
    },
  },
  "deliveries retry": {
    usage: "<visitor> <message> [--site <site>]",
    help: "sends a failed message again",
    subject: allArguments,
    options: SITE_OPTION,
    async run(context, given) {
      const { visitor, message } = positionals(given, "visitor", "message");
      const site = context.site(given.text("site"));
      if ((await findListedVisitor(context.db, site.public.id, visitor)) === undefined)
        throw new CommandError(`No visitor ${visitor} of site ${site.public.id}: see porchlight deliveries --failed.`);
      const { running } = context;
      const again = await context.send.retry(visitor, site, message);
      if (again === undefined) throw new CommandError(`${message} has not failed: see porchlight deliveries --failed.`);
      if (again === "full")
        throw new CommandError(
          `Site ${site.public.id} has used its budget of a whole week: raise messagesPerDay, run porchlight reload, and try again.`,
        );
      const when = running ? "is sent again." : "is sent as soon as a relay runs; none answers on this machine.";
      return { data: { visitor, message, running }, lines: [`${message} ${when}`] };
    },
  },
  webhooks: {
    usage: "[--state waiting|delivered|failed] [--site <site>]",
    help: "lists the events of your webhook, newest first; exit code 3 when one failed",
    options: { ...SITE_OPTION, state: { type: "string" } },
    async run({ db, site }, given) {
      const state = stateIn(given, EVENT_STATES);
      const ask = { site: site(given.text("site")).public.id, limit: LIST_MAX, ...(state && { state }) };
      const data = (await eventsPage(db, ask)).map(eventView);
      // A failed event counts even if newer events fill the list.
      const failed = state === undefined || state === "failed";
      const [missed] = failed ? await eventsPage(db, { ...ask, state: "failed", limit: 1 }) : [];
      const rows = data.map(({ id, type, at, state, attempts, status, problem }) => [
        ...[id, type, at, state, attempts, status, problem],
      ]);
      const lines = table(["EVENT", "TYPE", "AT", "STATE", "TRIES", "STATUS", "PROBLEM"], rows);
      return { data, lines, code: missed === undefined ? 0 : 3 };
    },
  },
  "webhooks retry": {
    usage: "<event> [--site <site>]",
    help: "makes the running relay send an event to your webhook again",
    subject: allArguments,
    options: SITE_OPTION,
    async run({ db, clock, site }, given) {
      const { event } = positionals(given, "event");
      const { id } = site(given.text("site")).public;
      const renewed = await db.transaction((tx) => renewEvent(tx, id, event, clock.now()));
      if (renewed === undefined) throw new CommandError(`No event ${event} of site ${id}: see porchlight webhooks.`);
      return { data: { event, state: renewed.state }, lines: [`${event} is sent again.`] };
    },
  },
};
