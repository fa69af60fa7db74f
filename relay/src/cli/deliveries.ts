import { deliveryView, eventView } from "../http/api/views.ts";
import { EVENT_STATES, eventsPage, renewEvent } from "../records/events.ts";
import { DELIVERY_STATES, deliveriesPage, visitorRow } from "../records/listings.ts";
import { type Command, type Given, named, table } from "./command.ts";
import { CommandError } from "./error.ts";

const site = { site: { type: "string" } } as const;
const LISTED = 200;

/** The state that `--state` names; nothing without that option. @throws CommandError when there is no such state */
function stateIn<State extends string>(given: Given, states: readonly State[]): State | undefined {
  const wanted = given.text("state");
  const state = states.find((each) => each === wanted);
  if (wanted !== undefined && state === undefined) throw new CommandError(`--state is one of ${states.join(", ")}.`, 2);
  return state;
}

export const DELIVERIES: Record<string, Command> = {
  deliveries: {
    usage: "[--failed|--state waiting|failed] [--site <site>]",
    help: "lists messages that the service has not taken, with tries and last error; exit code 3 when one failed",
    options: { ...site, failed: { type: "boolean" }, state: { type: "string" } },
    async run({ db, site }, given) {
      const only = given.flag("failed") ? "failed" : stateIn(given, DELIVERY_STATES);
      const ask = { site: site(given.text("site")).public.id, limit: LISTED };
      // Those that failed come first: however many wait, they are seen.
      const states = only === undefined ? (["failed", "waiting"] as const) : [only];
      const pages = await Promise.all(states.map((state) => deliveriesPage(db, { ...ask, state })));
      const data = pages.flat().slice(0, LISTED).map(deliveryView);
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
    help: "sends a failed message anew",
    options: site,
    async run(context, given) {
      const { visitor, message } = named(given, "visitor", "message");
      const site = context.site(given.text("site"));
      if ((await visitorRow(context.db, site.public.id, visitor)) === undefined)
        throw new CommandError(`No visitor ${visitor} of site ${site.public.id}: see porchlight deliveries --failed.`);
      const { running } = context;
      if ((await context.send.retry(visitor, site, message)) === undefined)
        throw new CommandError(`${message} has not failed: see porchlight deliveries --failed.`);
      const when = running ? "goes out again." : "goes out again when a relay runs: none answers on this machine.";
      return { data: { visitor, message, running }, lines: [`${message} ${when}`] };
    },
  },
  webhooks: {
    usage: "[--state waiting|delivered|failed] [--site <site>]",
    help: "shows what your webhook was told, newest first; exit code 3 when it did not take something",
    options: { ...site, state: { type: "string" } },
    async run({ db, site }, given) {
      const state = stateIn(given, EVENT_STATES);
      const ask = { site: site(given.text("site")).public.id, limit: LISTED, ...(state && { state }) };
      const data = (await eventsPage(db, ask)).map(eventView);
      // However many events are newer, one that failed is told of.
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
    help: "sends an event to your webhook once more; a running relay does it",
    options: site,
    async run({ db, clock, site }, given) {
      const { event } = named(given, "event");
      const { id } = site(given.text("site")).public;
      const renewed = await db.transaction((tx) => renewEvent(tx, id, event, clock.now()));
      if (renewed === undefined) throw new CommandError(`No event ${event} of site ${id}: see porchlight webhooks.`);
      return { data: { event, state: renewed.state }, lines: [`${event} is sent again.`] };
    },
  },
};
