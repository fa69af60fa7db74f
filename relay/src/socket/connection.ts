import type { Ending } from "@porchlight/shared/close";
import type { ClientFrame, Hello, RelayFrame } from "@porchlight/shared/protocol";
import type { Site } from "../base/config.ts";

/** Carries frames to one client, over a WebSocket or over the HTTP fallback. */
export type Transport = {
  /** Sends a frame's text. */
  send: (text: string) => void;
  /** Closes the client's connection with the code and the meaning of `ending`. */
  close: (ending: Ending) => void;
  /** Bytes that were sent and that the operating system has not accepted yet, because the client reads too slowly. */
  buffered: () => number;
  /**
   * Sends a text frame of at most 125 ASCII characters, with a ping in the same write if `ping` is set. Every client answers
   * a ping automatically. Absent: the transport has no pings, and detects dead clients in its own way.
   */
  sendHeartbeat?: (text: string, ping: boolean) => void;
};

/** The transport is open, and its client has not sent `hello` yet. */
export type Greeting = {
  name: "greeting";
  transport: Transport;
  origin: string;
  address: string;
  /** The connection is closed without `hello` at this uptime, in milliseconds; infinite once `hello` has come. */
  deadline: number;
  /** UTF-16 units received so far. */
  size: number;
};

/** The visitor is known, and the client gets the changes of their thread. */
export type Live = {
  name: "live";
  transport: Transport;
  /** The connection that is in this phase. */
  connection: Connection;
  /** Bytes that were buffered when the transport was last measured. */
  unread: number;
  visitor: string;
  site: Site;
  /** Nothing of the visitor has been stored. */
  fresh: boolean;
  /** Id of the session with which the visitor connected. */
  session: string;
  /** Generation of the visitor when they connected; a newer one voids the session. */
  generation: number;
  /** Origin of the page, as the browser reports it; the site allows it. */
  origin: string;
  /** Address of the visitor, as far as the proxies in front can be trusted. */
  address: string;
  /** Every change up to this number was sent to the client. */
  sent: number;
  /** Number up to which the visitor has read, as the client was told. */
  read: number;
  /** Place in the thread of the newest reply that was sent to the client. */
  replied: number;
  /** The log is being read for this client. */
  reading: boolean;
  /** The log must be read once more when the present read is done. */
  readAgain: boolean;
  /** Number of heartbeats so far. Every second one carries a ping, beginning with the first. */
  beats: number;
  /** A ping was sent, and nothing came from the client after it. */
  awaitsPong: boolean;
  /** The client got one more interval to answer that ping. */
  pongLate: boolean;
  /** Removes the client from the heartbeat schedule. */
  stopHeartbeat: () => void;
  /**
   * Forms of this client by id: their answer is awaited, or the client knows that the service refused them. Absent until it
   * submits one.
   */
  forms: Map<string, "awaited" | "refused"> | undefined;
  /** Ends the connection's subscription to news about the visitor. */
  unsubscribe: () => void;
};

type Closed = { name: "closed" };

/** One client's connection, through all its phases. */
export type Connection = {
  phase: Greeting | Live | Closed;
  /** Resolves when all frames so far are handled. */
  handled: Promise<void>;
  /** Texts of the frames that are not handled yet, and their size in UTF-16 units. The first one is being handled. */
  queue: string[];
  queueSize: number;
  /** Pings and pongs since the relay's last ping. */
  pongs: number;
};

/** What the handler of a frame can do with the frame's connection. */
export type ConnectionActions = {
  /** Sends a frame to the client; does nothing when the connection is closed. */
  send: (live: Live, frame: RelayFrame) => void;
  /** Closes the connection because its visitor no longer exists. The close code says why. */
  closeGone: (live: Live) => Promise<void>;
  /** Answers with the newest number of the thread. */
  pong: (live: Live) => Promise<void>;
  /** Closes the connection of a client that sends too many frames. The client may connect again later. */
  closeBusy: (live: Live) => void;
};
/** Handles a frame. A rejection closes the connection. */
export type FrameHandler = (actions: ConnectionActions, live: Live, frame: LiveFrame) => Promise<void>;
/** Frames of a visitor whose hello was accepted. */
export type LiveFrame = Exclude<ClientFrame, Hello>;
