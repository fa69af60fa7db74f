/**
 * Parses text from the network into a frame, or returns the problem. One table per direction, one predicate per field.
 */

import { type Fields, isFields } from "./json-fields.ts";
import { CLIENT_ID, COMMENT_MAX, EMOJI_MAX, PAGE_ADDRESS_MAX, REPLY_MAX, TEXT_MAX, TITLE_MAX } from "./limits.ts";
import type { ClientFrame, RelayFrame } from "./protocol.ts";

type Check = (value: unknown) => boolean;
type FieldChecks = Record<string, Check>;
export type Parsed<Frame> = { frame: Frame } | { problem: string };

/* Checks are made without side effects, so that the widget's build drops those of the other direction. */

// @__NO_SIDE_EFFECTS__
const text =
  (max: number, min = 0): Check =>
  (v) =>
    typeof v === "string" && v.length >= min && v.length <= max;
const count: Check = (v) => Number.isSafeInteger(v) && (v as number) >= 0;
const flag: Check = (v) => typeof v === "boolean";
/** The id of a reply. Without control characters: PostgreSQL refuses U+0000, and the error looks like one of the database. */
const replyId: Check = (v) => text(128, 1)(v) && !/\p{Cc}/u.test(v as string);
const id: Check = (v) => typeof v === "string" && CLIENT_ID.test(v);
// @__NO_SIDE_EFFECTS__
const oneOf =
  (...all: string[]): Check =>
  (v) =>
    all.includes(v as string);
// @__NO_SIDE_EFFECTS__
const optional =
  (check: Check): Check =>
  (v) =>
    v === undefined || check(v);
// @__NO_SIDE_EFFECTS__
const list =
  (check: Check): Check =>
  (v) =>
    Array.isArray(v) && v.every(check);
/** An object inside a relay's frame. Unknown fields are ignored there too. */
// @__NO_SIDE_EFFECTS__
const shape =
  (fields: FieldChecks): Check =>
  (v) =>
    isFields(v) && wrongIn(v, fields) === undefined;
const span: Check = (v) => Array.isArray(v) && v.length === 2 && v.every(count);

const media = shape({
  url: text(2_048, 1),
  type: text(128, 1),
  name: text(512),
  size: count,
  width: optional(count),
  height: optional(count),
});

const rating = {
  score: optional((v) => [1, 2, 3, 4, 5].includes(v as number)),
  of: (v: unknown) => [2, 5].includes(v as number),
  comment: optional(text(COMMENT_MAX)),
};

const message: Check = (v) =>
  shape({
    id: text(128, 1),
    pos: count,
    n: count,
    at: count,
    text: text(REPLY_MAX),
    media: optional(media),
    from: oneOf("visitor", "reply"),
    state: optional(oneOf("sent", "delivered", "failed")),
    reason: optional(text(64)),
    reaction: optional(text(EMOJI_MAX)),
    noFile: optional(span),
    author: optional(shape({ name: text(40), picture: optional(text(REPLY_MAX)), end: count })),
  })(v);

const FROM_CLIENT: { [T in ClientFrame["t"]]: FieldChecks } = {
  hello: {
    v: count,
    site: text(64, 1),
    token: optional(text(1_024)),
    identity: optional(text(3_072)),
    epoch: optional(text(64)),
    since: optional(count),
  },
  send: {
    id,
    text: text(TEXT_MAX),
    media: optional(id),
    age: optional(Number.isSafeInteger),
    page: optional(text(PAGE_ADDRESS_MAX)),
    title: optional(text(TITLE_MAX)),
    locale: optional(text(35)),
    campaign: optional(text(64)),
    chosen: optional(flag),
  },
  retry: { id },
  read: { n: count },
  react: { id: replyId, emoji: text(EMOJI_MAX) },
  typing: {},
  lead: {
    id,
    chat: flag,
    firstName: optional(text(200)),
    lastName: optional(text(200)),
    email: optional(text(300)),
    phone: optional(text(64)),
    consent: optional(text(2_000)),
    reply: optional(flag),
    page: optional(text(PAGE_ADDRESS_MAX)),
    title: optional(text(TITLE_MAX)),
    locale: optional(text(35)),
  },
  transcript: { id, page: optional(text(PAGE_ADDRESS_MAX)), locale: optional(text(35)) },
  rate: { id, ...rating },
  older: { before: count },
  forget: {},
  logout: {},
  ping: {},
};

const FROM_RELAY: { [T in RelayFrame["t"]]: FieldChecks } = {
  welcome: {
    v: count,
    now: count,
    token: optional(text(1_024, 1)),
    epoch: text(64, 1),
    after: count,
    head: count,
    reset: flag,
    older: flag,
    read: count,
    delivery: oneOf("ok", "delayed"),
    name: optional(text(100)),
    email: optional(flag),
    rating: optional(shape(rating)),
  },
  message: { after: count, message },
  history: { before: count, messages: list(message), older: flag },
  status: { read: optional(count), delivery: optional(oneOf("ok", "delayed")), rating: optional(shape(rating)) },
  typing: { on: flag },
  error: { code: text(64, 1), id: optional(text(128)), field: optional(text(64)), retryAfter: optional(count) },
  lead: { id: text(128, 1) },
  mailed: { id: text(128, 1), email: text(300, 1) },
  bye: { retry: span },
  pong: { head: count },
};

/** The name of the first invalid field; undefined if there is none. */
const wrongIn = (value: Fields, fields: FieldChecks): string | undefined =>
  Object.keys(fields).find((name) => !fields[name]?.(value[name]));

/** The name of the first unknown field, other than `t`. */
const unknownIn = (value: Fields, fields: FieldChecks): string | undefined =>
  Object.keys(value).find((name) => name !== "t" && !Object.hasOwn(fields, name));

function parse<Frame>(raw: string, table: Record<string, FieldChecks>, strict: boolean): Parsed<Frame> {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { problem: "not JSON" };
  }
  if (!isFields(value)) return { problem: "not an object" };
  const kind = value.t;
  if (typeof kind !== "string" || !Object.hasOwn(table, kind)) return { problem: "t" };
  const fields = table[kind] as FieldChecks;
  const wrong = wrongIn(value, fields) ?? (strict ? unknownIn(value, fields) : undefined);
  return wrong === undefined ? { frame: value as Frame } : { problem: `${kind}.${wrong}` };
}

/** A frame from a client. Unknown fields are refused, because only this project's widget connects. */
export const parseClientFrame = (raw: string): Parsed<ClientFrame> => parse<ClientFrame>(raw, FROM_CLIENT, true);

/** A frame from the relay. Unknown fields are ignored: a newer relay may send fields that this widget does not know. */
export const parseRelayFrame = (raw: string): Parsed<RelayFrame> => parse<RelayFrame>(raw, FROM_RELAY, false);
