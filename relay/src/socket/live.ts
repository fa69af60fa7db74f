import type { Ending } from "@porchlight/shared/close";
import type { ClientFrame, Hello, RelayFrame } from "@porchlight/shared/protocol";
import type { Site } from "../base/config.ts";

/** The way to one client, whatever the transport. */
export type Line = {
  send: (text: string) => void;
  close: (ending: Ending) => void;
  /** Bytes that were sent and that the operating system has not taken yet, because the client reads too slowly. */
  buffered: () => number;
  /** Asks for a sign of life, where the transport has one that every client gives; absent: it looks after that itself. */
  ping?: () => void;
};

/**
 * One client's connection is in one of three states. Greeting: the line is open, nobody has said who they are. Live: a
 * visitor reads a thread, and everything up to number `sent` was put on the line. Closed: the line is gone.
 */
export type Greeting = {
  state: "greeting";
  line: Line;
  origin: string;
  address: string;
  deadline: number;
  bytes: number;
};
export type Live = {
  state: "live";
  line: Line;
  /** Whose state this is, as long as it is. */
  connection: Connection;
  /** Bytes that waited on the line when it was last looked at. */
  waiting: number;
  visitor: string;
  site: Site;
  /** Nothing was written of the visitor when they came, nor since. */
  fresh: boolean;
  /** The login by which the visitor is here. */
  session: string;
  /** Of the page, as the browser says it; the site lets it in. */
  origin: string;
  /** The visitor's, as far as the proxies in front can be trusted. */
  address: string;
  sent: number;
  read: number;
  /** Place of the newest reply that was put on the line. */
  replied: number;
  /** Someone is putting changes on the line; `again` asks for another look when done. */
  busy: boolean;
  again: boolean;
  beatAt: number;
  /** Pings since the last sign of life. */
  unanswered: number;
  leave: () => void;
};
type Closed = { state: "closed" };

export type Connection = {
  is: Greeting | Live | Closed;
  /** Resolves when the frames so far are handled. */
  turn: Promise<void>;
  /** Frames that wait for that, and their size in UTF-16 units. */
  queued: number;
  queuedSize: number;
};

/** What acting on a frame may do with the connection it came from. */
export type Desk = {
  put: (live: Live, frame: RelayFrame) => void;
  /** Ends the connection because its visitor is not there any more, with the code that says why. */
  depart: (connection: Connection, live: Live) => Promise<void>;
  /** Answers with the thread's newest number. */
  beat: (connection: Connection, live: Live) => Promise<void>;
};
export type Take = (desk: Desk, connection: Connection, live: Live, frame: LiveFrame) => Promise<void>;
/** Frames of a visitor who was let in. */
export type LiveFrame = Exclude<ClientFrame, Hello>;
