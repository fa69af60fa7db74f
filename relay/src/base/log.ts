import { hash } from "node:crypto";
import { Writable } from "node:stream";
import { type DestinationStream, pino } from "pino";

/** Every event the relay tells about: its level and its words. Message texts are never among the details. */
const EVENTS = {
  "relay.started": ["info", "Listening"],
  "relay.stopping": ["info", "Stopping: finishing what is under way"],
  "relay.stopped": ["info", "Stopped"],
  "relay.origins": ["warn", "ALLOWED_ORIGINS is not set: only the relay's own pages may open the chat"],
  "relay.insecure": ["warn", "The service is called over plain http"],
  "relay.key_missing": ["warn", "No key for the service: messages are kept until there is one"],
  "relay.internal": ["error", "Unexpected error"],
  "assets.not_kept": ["warn", "The widget's files could not be kept for pages that stand open at the next upgrade"],
  "settings.reloaded": ["info", "Keys were read again"],
  "settings.warning": ["warn", "A setting looks odd"],
  "database.opened": ["info", "Database is open"],
  "database.failing": ["error", "The database does not take writes"],
  "socket.refused": ["debug", "A connection was refused"],
  "origin.refused": [
    "warn",
    "Pages of this origin ask for the chat and may not have it: if they are yours, add it to ALLOWED_ORIGINS, or to the site's origins in PORCHLIGHT_CONFIG",
  ],
  "socket.bad_frame": ["debug", "A frame was refused"],
  "callback.stored": ["info", "A reply was stored"],
  "callback.duplicate": ["debug", "A reply was already known"],
  "callback.unknown_contact": ["warn", "A reply for nobody here was refused"],
  "callback.forwarded": ["info", "A reply for nobody here went on to FORWARD_CALLBACKS"],
  "callback.refused": ["warn", "A callback was refused"],
  "callback.wrong_secret": ["warn", "A callback with a wrong secret was refused"],
  "callback.wrong_address": ["warn", "A callback from an address that is not in CALLBACK_ALLOW was refused"],
  "callback.user_changed": ["warn", "A callback names another account owner than the first one"],
  "callback.spooled": ["error", "A reply went to the spool file: the database does not take it"],
  "callback.replayed": ["info", "Replies from the spool file are in the database now"],
  "callback.file_refused": ["warn", "A file inside a reply was not kept; the reply says so"],
  "callback.lost": ["error", "A reply could not be written anywhere; the service was told 503"],
  "session.reused": ["warn", "A session's token came again after it was replaced: the session was ended everywhere"],
  "identity.refused": ["warn", "A signed identity was refused"],
  "upload.stored": ["debug", "A file was stored"],
  "upload.refused": ["debug", "A file was refused"],
  "upload.lost": ["error", "A file could not be stored; its visitor was told to try again"],
  "upload.unreadable": ["error", "A file could not be read from its store"],
  "upload.sweep_failed": ["error", "Files that nobody owns could not be removed"],
  "delivery.done": ["info", "A message was delivered"],
  "delivery.retry": ["debug", "A message will be tried again"],
  "delivery.failed": ["warn", "A message was not delivered; its visitor sees it"],
  "campaign.refused": ["error", "The service refuses a campaign of the configuration"],
  "credits.received": ["info", "An auto-recharge event was stored"],
  "credits.conflict": ["error", "A key of the credit ledger came again with other content: nothing was granted for it"],
  "credits.which_account": ["error", "An auto-recharge event was refused: its address names none of several accounts"],
  "credits.granted": ["info", "Credits were granted"],
  "credits.waiting": ["warn", "Credits were not granted yet; the ledger says why"],
  "credits.spooled": ["error", "An auto-recharge event went to the spool file: the database does not take it"],
  "credits.replayed": ["info", "Auto-recharge events from the spool file are in the ledger now"],
  "credits.lost": ["error", "An auto-recharge event could not be written anywhere; the service was told 503"],
  "webhook.failed": ["warn", "The owner's backend did not take an event"],
  "lead.captured": ["info", "A visitor left their details"],
  "lead.waiting": ["warn", "A lead is kept: the service does not take it yet"],
  "lead.refused": ["warn", "The service will not have a lead: porchlight leads --state refused shows it"],
  "lead.done": ["info", "A lead is a contact, on every list of its site"],
  "budget.reached": ["warn", "A site has used its messages of the day: more are kept and go on the next days"],
  "guard.refused": ["info", "The owner's judge did not let a newcomer write"],
  "guard.silent": ["warn", "The owner's judge of newcomers did not answer"],
  "mail.sent": ["info", "A mail to a visitor left"],
  "mail.waiting": ["warn", "A mail to a visitor waits: the mail server does not take it yet"],
  "mail.failed": ["warn", "A mail to a visitor did not leave, or nobody knows whether it did; it is not sent again"],
  "mail.capped": ["warn", "A mail to a visitor waits: its address, or its site, had as many as a day allows"],
  "outreach.sent": ["info", "A message from the owner's side was sent"],
  "outreach.waiting": ["warn", "A message from the owner's side was not sent yet; the ledger says why"],
  "ledger.restored": [
    "error",
    "The database is a restored backup: what it held as still to be called waits for a person",
  ],
  "ledger.unknown": ["error", "Nobody knows whether a call that must not be repeated was done: a person must look"],
  "account.paused": ["error", "The service refuses our key or address: deliveries wait until that is mended"],
  "account.blocked": ["error", "Something before the service turns us away: deliveries wait and try again"],
  "account.resumed": ["info", "Deliveries go out again"],
  "account.throttled": ["info", "The service asks us to slow down"],
  "account.unreachable": ["warn", "The service does not answer: trying again now and then"],
} as const satisfies Record<string, readonly ["debug" | "info" | "warn" | "error", string]>;

export type LogEvent = keyof typeof EVENTS;

/** Whether an event is a warning or an error. */
export const isProblem = (event: LogEvent): boolean => EVENTS[event][0] === "warn" || EVENTS[event][0] === "error";
export type Log = (event: LogEvent, details?: Record<string, unknown>) => void;

/** A short stable stand-in for a visitor's id, so that lines about one person can be found without naming them. */
export const hashed = (id: string): Hashed => new Hashed(id);

/** Made when a line is written: most lines that could be written are not. */
class Hashed {
  readonly #id: string;
  constructor(id: string) {
    this.#id = id;
  }
  toString(): string {
    return hash("sha256", this.#id, "base64url").slice(0, 10);
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Lists of the secrets of the moment: a list that is another array than before is read anew, others cost nothing. */
export type Secrets = () => readonly (readonly string[])[];

/** All spellings in which a secret could slip into a line. */
function spellings(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** One expression for every spelling of these secrets; nothing when there are none. Longer ones first: they may hold others. */
function expressionFor(lists: readonly (readonly string[])[]): RegExp | undefined {
  const all = new Set(lists.flatMap((list) => list.filter(({ length }) => length >= 6).flatMap(spellings)));
  if (all.size === 0) return undefined;
  const sorted = [...all].sort((a, b) => b.length - a.length);
  return new RegExp(sorted.map((spelling) => escaped(spelling)).join("|"), "g");
}

/** A stream that replaces every known secret before the line leaves the process. */
function scrubbing(target: NodeJS.WritableStream, secrets: Secrets): Writable {
  let known: readonly (readonly string[])[] = [];
  let expression: RegExp | undefined;
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const now = secrets();
      if (now.length !== known.length || now.some((list, i) => list !== known[i])) {
        known = now;
        expression = expressionFor(now);
      }
      const line = String(chunk);
      target.write(expression === undefined ? line : line.replaceAll(expression, "[redacted]"));
      done();
    },
  });
}

/**
 * The relay's voice: one JSON line per event.
 * @param options.level pino level name
 * @param options.secrets none of them ever appears in a line, however it got there
 */
export function createLog(options: { level: string; secrets?: Secrets; target?: NodeJS.WritableStream }): Log {
  const target: DestinationStream = scrubbing(options.target ?? process.stdout, options.secrets ?? (() => []));
  const logger = pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, target);
  return (event, details = {}) => {
    const [level, words] = EVENTS[event];
    if (logger.isLevelEnabled(level)) logger[level]({ event, ...details }, words);
  };
}

export const silentLog: Log = () => {};
