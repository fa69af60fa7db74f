import { CLOSE } from "@porchlight/shared/close";
import { parseRelayFrame } from "@porchlight/shared/parse";
import type { ClientFrame, Message, RelayFrame } from "@porchlight/shared/protocol";

/** A connection to the relay, simulated or real. Texts arrive in order, or not at all. */
export type TabConnection = { put: (text: string) => void; cut: () => void };
export type ConnectionEvents = { frame: (text: string) => void; end: (code: number) => void };
/** Opens a connection; undefined if the relay cannot be reached. */
export type Open = (events: ConnectionEvents) => TabConnection | undefined;

/** The data that a visitor's tabs share in the browser's storage: the token, and the number of deleted chats. */
export type Person = { token: string | undefined; deleted: number };
/**
 * The visitor of a token, whose payload begins with the visitor's id. Outside of tests, only the relay reads tokens
 * like this.
 */
export function visitorOf({ token }: Person): string {
  const [payload = ""] = token?.split(".") ?? [];
  const [visitor] = payload === "" ? [] : (JSON.parse(Buffer.from(payload, "base64url").toString()) as [string]);
  return visitor ?? "";
}

/** `chat`: how many of the visitor's chats were deleted before. Messages of a deleted chat are never sent again. */
export type Typed = { id: string; text: string; at: number; chat: number };
/** Each time that a message was shown as failed, with the reason. */
export type Failures = { reason: string | undefined; at: number }[];

export type TabOptions = {
  name: string;
  person: Person;
  open: Open;
  now: () => number;
  after: (ms: number, fn: () => void) => void;
  /** Milliseconds until the next try after a lost connection. */
  reconnectDelay: () => number;
  /** Whether the tab may connect now. A person's later tabs wait for the token of the first one. */
  mayConnect?: () => boolean;
  /** Whether the tab may send now. When this becomes true again, call `send`. */
  maySend?: () => boolean;
  /** Milliseconds after which the visitor presses Retry on a failed message; undefined: never. */
  retryAfter?: (() => number) | undefined;
  /** The relay has shown a message of this tab's visitor for the first time. */
  onAcked?: () => void;
  /** The relay has sent `welcome` to this tab. */
  onConnected?: () => void;
};

/** The options with their defaults, and the state of the tab. */
type TabState = Required<Omit<TabOptions, "retryAfter">> & {
  retryAfter: TabOptions["retryAfter"];
  typed: Typed[];
  outbox: Typed[];
  seen: Map<string, Message>;
  acked: Map<string, number>;
  receivedAt: Map<string, number>;
  failed: Map<string, Failures>;
  violations: string[];
  epoch: string | undefined;
  /** Newest number of the log that the tab has. */
  head: number;
  /** Position before which the relay has messages that this tab lacks. */
  floor: number;
  gaps: number;
  resets: number;
  connection: TabConnection | undefined;
  /** The connection on which the relay last sent `welcome`. */
  greeted: TabConnection | undefined;
  /** Id of the message that waits for its acknowledgement. */
  inFlight: string | undefined;
  /** The token sent in `hello`, to which a refusal refers. */
  sentToken: string | undefined;
  /** How many of the visitor's chats were deleted before the shown one. */
  deleted: number;
  deletedTyped: Typed[];
  forgetting: boolean;
  closed: boolean;
  codes: number[];
  spread: readonly [number, number] | undefined;
  /** Number of typed messages, also over deleted chats: part of the next id. */
  serial: number;
};

/**
 * One tab of a visitor that behaves like the widget: it sends one message at a time, keeps it until the relay shows it, resumes
 * by number, and loads all older pages. It records a violation of the protocol, and the run continues.
 */
export function createTab(options: TabOptions) {
  const tab = createState(options);
  return {
    name: tab.name,
    person: tab.person,
    typed: tab.typed,
    /** Messages of chats that were deleted since. */
    deletedTyped: tab.deletedTyped,
    /** Acknowledged messages: ids that the relay has shown, and when. */
    acked: tab.acked,
    /** Texts of replies that were shown, and when first. */
    receivedAt: tab.receivedAt,
    /** Ids that have ever shown as failed, why, and when. */
    failed: tab.failed,
    failing: () => failing(tab),
    /** Presses Retry on a failed message. */
    press: (id: string) => press(tab, id),
    seen: tab.seen,
    violations: tab.violations,
    connect: () => connect(tab),
    send: () => next(tab),
    /** Sends the message that waits for its acknowledgement once more, as a second tab does. */
    resend: () => resend(tab),
    connected: (): boolean => tab.connection !== undefined,
    /** The relay has sent `welcome` on the present connection. */
    live: (): boolean => tab.connection !== undefined && tab.connection === tab.greeted,
    /** Newest number of the log that the tab has. */
    head: (): number => tab.head,
    unsent: (): number => tab.outbox.length,
    /** Older pages are still missing. */
    partial: (): boolean => tab.floor > 0,
    gaps: (): number => tab.gaps,
    resets: (): number => tab.resets,
    /** The relay's close codes, and the last time span that it gave for reconnecting. */
    codes: (): readonly number[] => tab.codes,
    spread: (): readonly [number, number] | undefined => tab.spread,
    type: (text: string) => type(tab, text),
    /** Sends a message that another tab typed, as if both had found it in the browser's storage. */
    replay: (item: Typed) => replay(tab, item),
    /** Takes over a message that a closed tab left in the browser's storage. */
    inherit: (item: Typed) => inherit(tab, item),
    /** Messages that the relay has not shown yet. */
    left: (): readonly Typed[] => [...tab.outbox],
    forget: () => forget(tab),
    /** The connection breaks without a close frame. */
    cut: () => cut(tab),
    close: () => close(tab),
    clearCodes: (): void => {
      tab.codes = [];
    },
    /** The thread as it is shown. */
    thread: (): Message[] => [...tab.seen.values()].sort((a, b) => a.pos - b.pos),
  };
}

const createState = (options: TabOptions): TabState => ({
  mayConnect: () => true,
  maySend: () => true,
  onAcked: () => {},
  onConnected: () => {},
  ...options,
  retryAfter: options.retryAfter,
  typed: [],
  outbox: [],
  seen: new Map<string, Message>(),
  acked: new Map<string, number>(),
  receivedAt: new Map<string, number>(),
  failed: new Map<string, Failures>(),
  violations: [],
  epoch: undefined,
  head: 0,
  floor: 0,
  gaps: 0,
  resets: 0,
  connection: undefined,
  greeted: undefined,
  inFlight: undefined,
  sentToken: undefined,
  deleted: options.person.deleted,
  deletedTyped: [],
  forgetting: false,
  closed: false,
  codes: [],
  spread: undefined,
  serial: 0,
});

function type(tab: TabState, text: string): Typed {
  const id = `${tab.name}-${String(tab.serial++).padStart(6, "0")}`;
  const item = { id, text, at: tab.now(), chat: tab.deleted };
  tab.typed.push(item);
  tab.outbox.push(item);
  next(tab);
  return item;
}

const put = (tab: TabState, frame: ClientFrame): void => tab.connection?.put(JSON.stringify(frame));

function connect(tab: TabState): void {
  if (tab.connection !== undefined || tab.closed) return;
  const mine: { connection?: TabConnection } = {};
  tab.connection = tab.mayConnect()
    ? tab.open({
        frame: (text) => tab.connection === mine.connection && onText(tab, text),
        end: (code) => tab.connection === mine.connection && onEnd(tab, code),
      })
    : undefined;
  if (tab.connection === undefined) return tab.after(tab.reconnectDelay(), () => connect(tab));
  if (tab.deleted !== tab.person.deleted) reset(tab);
  mine.connection = tab.connection;
  tab.inFlight = undefined;
  const known = tab.epoch === undefined ? {} : { epoch: tab.epoch, since: tab.head };
  tab.sentToken = tab.person.token;
  const who = tab.sentToken === undefined ? {} : { token: tab.sentToken };
  put(tab, { t: "hello", v: 1, site: "default", ...who, ...known });
}

function lose(tab: TabState): void {
  tab.connection?.cut();
  tab.connection = undefined;
  tab.after(tab.reconnectDelay(), () => connect(tab));
}

function onEnd(tab: TabState, code: number): void {
  tab.codes.push(code);
  if (code === CLOSE.gone.code || code === CLOSE.badToken.code) deleteChat(tab);
  lose(tab);
}

/** The chat was deleted or is unknown. The first tab that learns it clears the storage. */
function deleteChat(tab: TabState): void {
  if (tab.person.token === tab.sentToken) {
    tab.person.token = undefined;
    tab.person.deleted++;
  }
  reset(tab);
}

/** Drops all data of the deleted chat. */
function reset(tab: TabState): void {
  tab.deleted = tab.person.deleted;
  tab.deletedTyped.push(...tab.typed.splice(0));
  tab.epoch = undefined;
  tab.head = 0;
  tab.floor = 0;
  tab.forgetting = false;
  tab.seen.clear();
  tab.outbox.length = 0;
  tab.acked.clear();
  tab.failed.clear();
}

function next(tab: TabState): void {
  const first = tab.outbox[0];
  if (tab.connection === undefined || first === undefined || tab.inFlight === first.id || !tab.maySend()) return;
  tab.inFlight = first.id;
  put(tab, { t: "send", id: first.id, text: first.text });
}

function resend(tab: TabState): void {
  tab.inFlight = undefined;
  next(tab);
}

function show(tab: TabState, message: Message): void {
  const known = tab.seen.get(message.id);
  if (known !== undefined && known.pos !== message.pos)
    tab.violations.push(`${tab.name}: ${message.id} moved in the thread`);
  if (known !== undefined && known.n > message.n) return;
  tab.seen.set(message.id, message);
  if (message.from !== "visitor")
    return void (tab.receivedAt.has(message.text) || tab.receivedAt.set(message.text, tab.now()));
  if (!tab.acked.has(message.id)) {
    tab.acked.set(message.id, tab.now());
    tab.onAcked();
  }
  const at = tab.outbox.findIndex((item) => item.id === message.id);
  if (at >= 0) tab.outbox.splice(at, 1);
  if (message.state !== "failed" || known?.n === message.n) return;
  tab.failed.set(message.id, [...(tab.failed.get(message.id) ?? []), { reason: message.reason, at: tab.now() }]);
  if (tab.retryAfter !== undefined && message.reason !== "rejected")
    tab.after(tab.retryAfter(), () => press(tab, message.id));
}

/** Messages that wait for Retry. */
const failing = (tab: TabState): Message[] =>
  [...tab.seen.values()].filter(
    (message) => message.from === "visitor" && message.state === "failed" && message.reason !== "rejected",
  );

/** Presses Retry, and repeats it while the message is shown as failed: the connection may be lost at that moment. */
function press(tab: TabState, id: string): void {
  if (!failing(tab).some((message) => message.id === id)) return;
  put(tab, { t: "retry", id });
  tab.after(5_000, () => press(tab, id));
}

function onText(tab: TabState, text: string): void {
  const parsed = parseRelayFrame(text);
  if ("problem" in parsed) tab.violations.push(`${tab.name} got a frame it cannot read: ${parsed.problem}`);
  else onFrame(tab, parsed.frame);
}

function onFrame(tab: TabState, frame: RelayFrame): void {
  switch (frame.t) {
    case "welcome":
      return welcomed(tab, frame);
    case "message":
      if (frame.after > tab.head) return onGap(tab);
      tab.head = Math.max(tab.head, frame.message.n);
      show(tab, frame.message);
      return next(tab);
    case "history":
      if (frame.before !== tab.floor) return;
      for (const message of frame.messages) show(tab, message);
      tab.floor = frame.older ? Math.min(tab.floor, ...frame.messages.map(({ pos }) => pos)) : 0;
      return more(tab);
    case "pong":
      return frame.head > tab.head ? onGap(tab) : undefined;
    case "bye":
      tab.spread = frame.retry;
      return;
    case "error":
      return refused(tab, frame.id, frame.code, frame.retryAfter ?? 1_000);
    default:
      return;
  }
}

function welcomed(tab: TabState, frame: Extract<RelayFrame, { t: "welcome" }>): void {
  if (frame.token !== undefined && frame.token !== tab.person.token) tab.person.token = frame.token;
  if (!frame.reset && frame.after !== tab.head)
    tab.violations.push(`${tab.name} holds ${tab.head} and is resumed at ${frame.after}`);
  tab.epoch = frame.epoch;
  tab.greeted = tab.connection;
  tab.onConnected();
  if (frame.reset) {
    tab.resets++;
    tab.seen.clear();
    tab.floor = frame.older ? frame.after + 1 : 0;
  }
  tab.head = frame.after;
  if (tab.forgetting) put(tab, { t: "forget" });
  more(tab);
  next(tab);
}

const more = (tab: TabState): void => (tab.floor > 0 ? put(tab, { t: "older", before: tab.floor }) : undefined);

function onGap(tab: TabState): void {
  tab.gaps++;
  lose(tab);
}

function refused(tab: TabState, id: string | undefined, code: string, wait: number): void {
  if (id === undefined || id !== tab.inFlight || id !== tab.outbox[0]?.id) return;
  if (code !== "try_later" && code !== "rate_limited")
    tab.violations.push(`${tab.name}: "${id}" was refused as ${code}`);
  tab.after(wait, () => resend(tab));
}

/** Sends a message that another tab typed, as if both had found it in the browser's storage. */
function replay(tab: TabState, item: Typed): void {
  if (tab.acked.has(item.id) || tab.deleted !== item.chat || tab.outbox.some(({ id }) => id === item.id)) return;
  tab.outbox.push(item);
  next(tab);
}

/** Takes over a message that a closed tab left in the browser's storage. */
function inherit(tab: TabState, item: Typed): void {
  tab.typed.push(item);
  tab.outbox.push(item);
  next(tab);
}

function forget(tab: TabState): void {
  tab.forgetting = true;
  put(tab, { t: "forget" });
}

/** The connection breaks without a close frame. */
function cut(tab: TabState): void {
  if (tab.connection !== undefined) lose(tab);
}

function close(tab: TabState): void {
  tab.closed = true;
  tab.connection?.cut();
  tab.connection = undefined;
}

export type Tab = ReturnType<typeof createTab>;
