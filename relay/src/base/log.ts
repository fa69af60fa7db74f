import { hash } from "node:crypto";
import { type DestinationStream, pino } from "pino";
import { printable } from "./printable.ts";

/** Every log event: level and message. Details never contain the text of a conversation. */
const EVENTS = {
  "relay.started": ["info", "Listening"],
  "relay.stopping": ["info", "Stopping: finishing work in progress"],
  "relay.stopped": ["info", "Stopped"],
  "relay.stop_cut_off": ["warn", "The stop took too long and was cut off; nothing acknowledged is lost"],
  "relay.origins": ["warn", "ALLOWED_ORIGINS is not set: only the relay's own pages may open the chat"],
  "relay.insecure": ["warn", "The service is called over plain http"],
  "relay.key_missing": ["warn", "No key for the service: messages wait until a key is set"],
  "relay.internal": ["error", "Unexpected error"],
  "assets.not_kept": ["warn", "Could not keep the widget's files for pages that stay open during the next upgrade"],
  "settings.reloaded": ["info", "Keys and configuration file were read again"],
  "settings.refused": ["error", "The configuration file was read again and has problems: the settings in force stay"],
  "settings.warning": ["warn", "A setting is suspicious"],
  "cluster.link_lost": ["warn", "Hints of other nodes do not arrive; the relay looks for changes every 2 s instead"],
  "cluster.link_open": ["info", "Hints of other nodes arrive"],
  "cluster.foreign_text": [
    "warn",
    "Another program writes long texts to the channel of the nodes in Redis: they are dropped",
  ],
  "cluster.pooled": [
    "warn",
    "DATABASE_URL leads to a pooler, which may not pass on the hints of other nodes: set REDIS_URL; until then the relay looks for changes every 2 s",
  ],
  "cluster.lease_taken": ["info", "This node now works for the account"],
  "cluster.lease_lost": [
    "warn",
    "Another node now works for the account: outcomes of this node's pending calls were not recorded",
  ],
  "cluster.files_local": [
    "warn",
    "Visitors' files are on this node's disk: with several nodes, set MEDIA_STORE so that each finds all of them",
  ],
  "database.failing": ["error", "The database does not accept writes"],
  "socket.refused": ["debug", "A connection was refused"],
  "origin.refused": [
    "warn",
    "Pages of this origin may not open the chat. If they are yours, add the origin to ALLOWED_ORIGINS, or to the site's origins in PORCHLIGHT_CONFIG",
  ],
  "socket.bad_frame": ["debug", "A frame was refused"],
  "callback.stored": ["info", "A reply was stored"],
  "callback.duplicate": ["debug", "A reply was already known"],
  "callback.unknown_contact": ["warn", "A reply for an unknown contact was refused"],
  "callback.forwarded": ["info", "A reply for an unknown contact was forwarded to FORWARD_CALLBACKS"],
  "callback.refused": ["warn", "A callback was refused"],
  "callback.wrong_secret": ["warn", "A callback with a wrong secret was refused"],
  "callback.wrong_address": ["warn", "A callback from an address that is not in CALLBACK_ALLOW was refused"],
  "callback.spooled": ["error", "A reply was written to the spool file, because the database does not accept writes"],
  "callback.replayed": ["info", "Replies from the spool file are in the database now"],
  "callback.file_refused": ["warn", "A file in a reply was refused; the reply says so"],
  "callback.lost": ["error", "A reply could not be written anywhere; the service got 503"],
  "session.reused": ["warn", "A replaced session token was used again: the session was ended everywhere"],
  "identity.refused": ["warn", "A signed identity was refused"],
  "upload.stored": ["debug", "A file was stored"],
  "upload.refused": ["debug", "A file was refused"],
  "upload.lost": ["error", "A file could not be stored; the visitor was asked to try again"],
  "upload.unreadable": ["error", "A file could not be read from its store"],
  "upload.sweep_failed": ["warn", "Files without an owner could not be removed; the relay tries again every 10 s"],
  "delivery.done": ["info", "A message was delivered"],
  "delivery.retry": ["debug", "Delivery of a message failed; it will be retried"],
  "delivery.failed": ["warn", "A message was not delivered; the visitor sees it as failed"],
  "campaign.refused": ["error", "The service refuses a campaign of the configuration"],
  "credits.received": ["info", "An auto-recharge event was stored"],
  "credits.conflict": ["error", "An idempotency key was used again with a different grant: nothing was granted"],
  "credits.which_account": [
    "error",
    "An auto-recharge event was refused: its address does not name one of several accounts",
  ],
  "credits.granted": ["info", "Credits were granted"],
  "credits.waiting": ["warn", "A credit grant waits; the ledger has the reason"],
  "credits.spooled": [
    "error",
    "An auto-recharge event was written to the spool file, because the database does not accept writes",
  ],
  "credits.replayed": ["info", "Auto-recharge events from the spool file are in the ledger now"],
  "credits.lost": ["error", "An auto-recharge event could not be written anywhere; the service got 503"],
  "webhook.failed": ["warn", "The owner's backend did not accept an event"],
  "lead.captured": ["info", "A visitor sent contact details"],
  "lead.waiting": ["warn", "A lead waits: the service does not accept it yet"],
  "lead.refused": ["warn", "The service refused a lead; see porchlight leads --state refused"],
  "lead.done": ["info", "A lead became a contact on every list of its site"],
  "budget.reached": ["warn", "A site has reached its daily message budget: further messages wait for the next days"],
  "guard.refused": ["info", "The owner's guard refused a new visitor"],
  "guard.silent": ["warn", "The owner's guard did not answer"],
  "mail.sent": ["info", "A mail to a visitor was sent"],
  "mail.waiting": ["warn", "A mail to a visitor waits: the mail server does not accept it yet"],
  "mail.failed": ["warn", "A mail to a visitor failed, or its outcome is unknown; it is not sent again"],
  "mail.capped": ["warn", "A mail to a visitor waits: its address or site has reached the daily limit"],
  "outreach.sent": ["info", "A message of the owner was sent"],
  "outreach.waiting": ["warn", "A message of the owner waits; the ledger has the reason"],
  "ledger.restored": ["error", "The database is a restored backup: its pending calls wait for a person"],
  "ledger.unknown": ["error", "The outcome of a call that must not be repeated is unknown: a person must check it"],
  "deletion.interrupted": [
    "error",
    "An error ended the deletion of a visitor before its last part: the relay tries again",
  ],
  "deletion.finished": ["info", "An interrupted deletion of a visitor has finished"],
  "retention.done": ["info", "Data that a site no longer keeps was deleted"],
  "backup.done": ["info", "A scheduled backup is complete"],
  "backup.failed": ["error", "A scheduled backup failed"],
  "alert.raised": ["warn", "An alert reported a problem to the operator"],
  "alert.ended": ["info", "A problem that an alert reported has ended"],
  "alert.unchecked": ["error", "A check for alerts failed: this problem is not watched until the check works again"],
  "alert.untold": ["error", "An alert could not be sent"],
  "admin.unsaved": [
    "warn",
    "An operator signed in while the database accepts no writes: the session is kept in memory",
  ],
  "account.paused": [
    "error",
    "The service refuses the account's key or address: deliveries wait until it is corrected",
  ],
  "account.blocked": [
    "error",
    "A gateway in front of the service refuses this machine: deliveries wait and are retried",
  ],
  "account.resumed": ["info", "Deliveries continue"],
  "account.throttled": ["info", "The service asks for fewer requests"],
  "account.unreachable": ["warn", "The service does not answer: deliveries are retried"],
} as const satisfies Record<string, readonly ["debug" | "info" | "warn" | "error", string]>;

/** The name of a log event. */
export type LogEvent = keyof typeof EVENTS;

/** Every event, in the order of the table. */
export const LOG_EVENTS = Object.keys(EVENTS) as LogEvent[];
/** Whether an event is a warning or an error. */
export const isProblem = (event: LogEvent): boolean => EVENTS[event][0] === "warn" || EVENTS[event][0] === "error";
/** Writes one event with its details. A `cause` may be an error. */
export type Log = (event: LogEvent, details?: Record<string, unknown>) => void;

/** A visitor's id as log lines show it: the first 10 characters of its SHA-256 in base64url. */
export const shortHash = (id: string): string => hash("sha256", id, "base64url").slice(0, 10);

/** A short stable hash of a visitor's id, so that log lines of one visitor can be found without the id. */
export const hashed = (id: string): Hashed => new Hashed(id);

/** Hashes of the ids that were logged last: a conversation writes several lines with the same id. */
const hashes = new Map<string, string>();
const HASHES_MAX = 10_000;

/** A hash that is computed only when its line is written. Most debug lines are never written. */
class Hashed {
  readonly #id: string;
  constructor(id: string) {
    this.#id = id;
  }
  toString(): string {
    const known = hashes.get(this.#id);
    if (known !== undefined) return known;
    if (hashes.size >= HASHES_MAX) hashes.clear();
    const made = shortHash(this.#id);
    hashes.set(this.#id, made);
    return made;
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Returns the lists of the current secrets. The log compares arrays by identity, so a changed list must be a new array. */
export type Secrets = () => readonly (readonly string[])[];

/** All encodings in which a secret may appear in a line. */
function spellings(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/**
 * One expression for all encodings of the secrets; `undefined` without secrets. Longer ones come first, as they may contain
 * others.
 */
function expressionFor(lists: readonly (readonly string[])[]): RegExp | undefined {
  const all = new Set(lists.flatMap((list) => list.filter(({ length }) => length >= 6).flatMap(spellings)));
  if (all.size === 0) return undefined;
  const sorted = [...all].sort((a, b) => b.length - a.length);
  return new RegExp(sorted.map((spelling) => escaped(spelling)).join("|"), "g");
}

/** Masks every known secret in a line, and escapes what a terminal could take as a command, before the line leaves the process. */
function maskingStream(target: Target, secrets: Secrets): DestinationStream {
  let known: readonly (readonly string[])[] = [];
  let expression: RegExp | undefined;
  return {
    write(line) {
      const now = secrets();
      if (now.length !== known.length || now.some((list, i) => list !== known[i])) {
        known = now;
        expression = expressionFor(now);
      }
      target.write(printable(expression === undefined ? line : line.replaceAll(expression, "[redacted]")));
    },
  };
}

type Target = { write: (text: string) => unknown };

/** Lines of this tick of the event loop, not yet written to the standard output. */
let unwritten = "";

function writeLines(): void {
  const lines = unwritten;
  unwritten = "";
  if (lines !== "") process.stdout.write(lines);
}

/** The standard output. Lines of one tick of the event loop are one write: under load, each write costs more than its line. */
const standardOutput: Target = {
  write(line) {
    if (unwritten === "") setImmediate(writeLines);
    unwritten += line;
  },
};

/**
 * The time of a line as pino's `isoTime` gives it. Lines of one tick of the event loop often have the same millisecond, so its
 * text is kept.
 */
function createTime(now: () => number): () => string {
  let last = Number.NaN;
  let text = "";
  return () => {
    const at = now();
    if (at !== last) text = `,"time":"${new Date(at).toISOString()}"`;
    last = at;
    return text;
  };
}

/**
 * Creates the relay's log: one JSON line per event.
 * @param options.level pino level name
 * @param options.secrets are masked in every line
 */
export function createLog(options: { level: string; secrets?: Secrets; target?: Target }): Log {
  const { level, secrets = () => [], target = standardOutput } = options;
  // Writes the last lines, which say why the process ended.
  if (target === standardOutput && !process.listeners("exit").includes(writeLines)) process.on("exit", writeLines);
  const stream = maskingStream(target, secrets);
  const logger = pino({ level, base: null, timestamp: createTime(Date.now) }, stream);
  return (event, details = {}) => {
    const [level, words] = EVENTS[event];
    if (logger.isLevelEnabled(level)) logger[level]({ event, ...details }, words);
  };
}

/** A log that writes nothing. */
export const silentLog: Log = () => {};
