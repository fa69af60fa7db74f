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
  comeBack: () => number;
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

/**
 * One tab of a visitor that behaves like the widget: it sends one message at a time, keeps it until the relay shows it, resumes
 * by number, and loads all older pages. It records a violation of the protocol, and the run continues.
 */
export function createTab(options: TabOptions) {
  const {
    name,
    person,
    open,
    now,
    after,
    comeBack,
    mayConnect = () => true,
    maySend = () => true,
    retryAfter,
    onAcked = () => {},
    onConnected = () => {},
  } = options;
  const typed: Typed[] = [];
  const outbox: Typed[] = [];
  const seen = new Map<string, Message>();
  const acked = new Map<string, number>();
  const receivedAt = new Map<string, number>();
  const failed = new Map<string, Failures>();
  const violations: string[] = [];
  let epoch: string | undefined;
  let held = 0;
  /** Position before which the relay has messages that this tab lacks. */
  let floor = 0;
  let gaps = 0;
  let resets = 0;
  let connection: TabConnection | undefined;
  /** The connection on which the relay last sent `welcome`. */
  let greeted: TabConnection | undefined;
  let underWay: string | undefined;
  /** The token sent in `hello`, to which a refusal refers. */
  let used: string | undefined;
  let serial = 0;
  let deleted = person.deleted;
  const buried: Typed[] = [];
  let forgetting = false;
  let closed = false;
  let codes: number[] = [];
  let spread: readonly [number, number] | undefined;

  const put = (frame: ClientFrame): void => connection?.put(JSON.stringify(frame));

  function connect(): void {
    if (connection !== undefined || closed) return;
    const mine: { connection?: TabConnection } = {};
    connection = mayConnect()
      ? open({
          frame: (text) => connection === mine.connection && onText(text),
          end: (code) => connection === mine.connection && ended(code),
        })
      : undefined;
    if (connection === undefined) return after(comeBack(), connect);
    if (deleted !== person.deleted) startAnew();
    mine.connection = connection;
    underWay = undefined;
    const known = epoch === undefined ? {} : { epoch, since: held };
    used = person.token;
    const who = used === undefined ? {} : { token: used };
    put({ t: "hello", v: 1, site: "default", ...who, ...known });
  }

  function lose(): void {
    connection?.cut();
    connection = undefined;
    after(comeBack(), connect);
  }

  function ended(code: number): void {
    codes.push(code);
    if (code === CLOSE.gone.code || code === CLOSE.badToken.code) bury();
    lose();
  }

  /** The chat was deleted or is unknown. The first tab that learns it clears the storage. */
  function bury(): void {
    if (person.token === used) {
      person.token = undefined;
      person.deleted++;
    }
    startAnew();
  }

  /** Drops all data of the deleted chat. */
  function startAnew(): void {
    deleted = person.deleted;
    buried.push(...typed.splice(0));
    epoch = undefined;
    held = 0;
    floor = 0;
    forgetting = false;
    seen.clear();
    outbox.length = 0;
    acked.clear();
    failed.clear();
  }

  function next(): void {
    const head = outbox[0];
    if (connection === undefined || head === undefined || underWay === head.id || !maySend()) return;
    underWay = head.id;
    put({ t: "send", id: head.id, text: head.text });
  }

  function show(message: Message): void {
    const known = seen.get(message.id);
    if (known !== undefined && known.pos !== message.pos) violations.push(`${name}: ${message.id} moved in the thread`);
    if (known !== undefined && known.n > message.n) return;
    seen.set(message.id, message);
    if (message.from !== "visitor") return void (receivedAt.has(message.text) || receivedAt.set(message.text, now()));
    if (!acked.has(message.id)) {
      acked.set(message.id, now());
      onAcked();
    }
    const at = outbox.findIndex((item) => item.id === message.id);
    if (at >= 0) outbox.splice(at, 1);
    if (message.state !== "failed" || known?.n === message.n) return;
    failed.set(message.id, [...(failed.get(message.id) ?? []), { reason: message.reason, at: now() }]);
    if (retryAfter !== undefined && message.reason !== "rejected") after(retryAfter(), () => press(message.id));
  }

  /** Messages that wait for Retry. */
  const failing = (): Message[] =>
    [...seen.values()].filter(
      (message) => message.from === "visitor" && message.state === "failed" && message.reason !== "rejected",
    );

  /** Presses Retry, and repeats it while the message is shown as failed: the connection may be lost at that moment. */
  function press(id: string): void {
    if (!failing().some((message) => message.id === id)) return;
    put({ t: "retry", id });
    after(5_000, () => press(id));
  }

  function onText(text: string): void {
    const parsed = parseRelayFrame(text);
    if ("problem" in parsed) violations.push(`${name} got a frame it cannot read: ${parsed.problem}`);
    else onFrame(parsed.frame);
  }

  function onFrame(frame: RelayFrame): void {
    switch (frame.t) {
      case "welcome":
        return welcomed(frame);
      case "message":
        if (frame.after > held) return missed();
        held = Math.max(held, frame.message.n);
        show(frame.message);
        return next();
      case "history":
        if (frame.before !== floor) return;
        for (const message of frame.messages) show(message);
        floor = frame.older ? Math.min(floor, ...frame.messages.map(({ pos }) => pos)) : 0;
        return more();
      case "pong":
        return frame.head > held ? missed() : undefined;
      case "bye":
        spread = frame.retry;
        return;
      case "error":
        return refused(frame.id, frame.code, frame.retryAfter ?? 1_000);
      default:
        return;
    }
  }

  function welcomed(frame: Extract<RelayFrame, { t: "welcome" }>): void {
    if (frame.token !== undefined && frame.token !== person.token) person.token = frame.token;
    if (!frame.reset && frame.after !== held) violations.push(`${name} holds ${held} and is resumed at ${frame.after}`);
    epoch = frame.epoch;
    greeted = connection;
    onConnected();
    if (frame.reset) {
      resets++;
      seen.clear();
      floor = frame.older ? frame.after + 1 : 0;
    }
    held = frame.after;
    if (forgetting) put({ t: "forget" });
    more();
    next();
  }

  const more = (): void => (floor > 0 ? put({ t: "older", before: floor }) : undefined);

  function missed(): void {
    gaps++;
    lose();
  }

  function refused(id: string | undefined, code: string, wait: number): void {
    if (id === undefined || id !== underWay || id !== outbox[0]?.id) return;
    if (code !== "try_later" && code !== "rate_limited") violations.push(`${name}: "${id}" was refused as ${code}`);
    after(wait, () => {
      underWay = undefined;
      next();
    });
  }

  return {
    name,
    person,
    typed,
    /** Messages of chats that were deleted since. */
    buried,
    /** Acknowledged messages: ids that the relay has shown, and when. */
    acked,
    /** Texts of replies that were shown, and when first. */
    receivedAt,
    /** Ids that have ever shown as failed, why, and when. */
    failed,
    failing,
    /** Presses Retry on a failed message. */
    press,
    seen,
    violations,
    connect,
    send: next,
    connected: (): boolean => connection !== undefined,
    /** The relay has sent `welcome` on the present connection. */
    live: (): boolean => connection !== undefined && connection === greeted,
    held: (): number => held,
    unsent: (): number => outbox.length,
    /** Older pages are still missing. */
    partial: (): boolean => floor > 0,
    gaps: (): number => gaps,
    resets: (): number => resets,
    /** The relay's close codes, and the last time span that it gave for reconnecting. */
    codes: (): readonly number[] => codes,
    spread: (): readonly [number, number] | undefined => spread,
    type(text: string): Typed {
      const item = { id: `${name}-${String(serial++).padStart(6, "0")}`, text, at: now(), chat: deleted };
      typed.push(item);
      outbox.push(item);
      next();
      return item;
    },
    /** Sends a message that another tab typed, as if both had found it in the browser's storage. */
    replay(item: Typed): void {
      if (acked.has(item.id) || deleted !== item.chat || outbox.some(({ id }) => id === item.id)) return;
      outbox.push(item);
      next();
    },
    /** Takes over a message that a closed tab left in the browser's storage. */
    inherit(item: Typed): void {
      typed.push(item);
      outbox.push(item);
      next();
    },
    /** Messages that the relay has not shown yet. */
    left: (): readonly Typed[] => [...outbox],
    forget(): void {
      forgetting = true;
      put({ t: "forget" });
    },
    /** The connection breaks without a close frame. */
    cut(): void {
      if (connection !== undefined) lose();
    },
    close(): void {
      closed = true;
      connection?.cut();
      connection = undefined;
    },
    clearCodes: (): void => {
      codes = [];
    },
    /** The thread as it is shown. */
    thread: (): Message[] => [...seen.values()].sort((a, b) => a.pos - b.pos),
  };
}

export type Tab = ReturnType<typeof createTab>;
