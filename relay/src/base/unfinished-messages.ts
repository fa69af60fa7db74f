import type { Duplex } from "node:stream";

/** The position of one client's byte stream within WebSocket frames (RFC 6455, section 5.2). */
export type Progress = {
  /** Received bytes of the frame's header, at most 10. */
  header: number[];
  /** Missing bytes of the frame's payload. */
  missing: number;
  /** The frame is part of a message, not a control frame. Control frames may come between the parts. */
  data: boolean;
  /** The message continues in another frame. */
  open: boolean;
  /** Number of complete messages. */
  whole: number;
};

/** The progress before the first byte. */
const newProgress = (): Progress => ({ header: [], missing: 0, data: false, open: false, whole: 0 });

const CONTROL = 0x08;
const MASK_BYTES = 4;

/** Length of a frame's header without its mask, as the second byte says. */
const headerSize = ([, second = 0]: number[]): number =>
  (second & 0x7f) === 126 ? 4 : (second & 0x7f) === 127 ? 10 : 2;

function payloadOf(header: number[]): number {
  const short = (header[1] ?? 0) & 0x7f;
  return short < 126 ? short : header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
}

function begin(progress: Progress): void {
  const [first = 0, second = 0] = progress.header;
  progress.data = (first & CONTROL) === 0;
  if (progress.data) progress.open = (first & 0x80) === 0;
  progress.missing = payloadOf(progress.header) + (second & 0x80 ? MASK_BYTES : 0);
  progress.header = [];
}

/** Whether the chunk is one complete, short, masked control frame, such as a pong. Idle clients send almost only these. */
const isControl = (chunk: Uint8Array): boolean =>
  ((chunk[0] ?? 0) & CONTROL) !== 0 && chunk.length === 2 + MASK_BYTES + ((chunk[1] ?? 0) & 0x7f);

/** Processes received bytes. @returns whether a message or a frame is incomplete */
function advance(progress: Progress, chunk: Uint8Array): boolean {
  if (progress.missing === 0 && progress.header.length === 0 && isControl(chunk)) return progress.open;
  for (let at = 0; at < chunk.length; ) {
    if (progress.missing === 0) {
      const { header } = progress;
      header.push(chunk[at++] ?? 0);
      if (header.length < 2 || header.length < headerSize(header)) continue;
      begin(progress);
    } else {
      const step = Math.min(progress.missing, chunk.length - at);
      progress.missing -= step;
      at += step;
    }
    if (progress.missing === 0 && progress.data && !progress.open) progress.whole++;
  }
  return progress.open || progress.missing > 0 || progress.header.length > 0;
}

/** Milliseconds within which a message must be complete, whatever else the client sends meanwhile (RELIABILITY A22). */
export const MESSAGE_MS = 10_000;
/** Most bytes of the incomplete messages of all clients together. */
const UNFINISHED_MAX = 16 * 1024 * 1024;
/** Counted for each piece of a message in addition to its bytes: the runtime's own memory for a buffer. */
const PIECE_COST = 512;

/** When an incomplete message began (uptime in milliseconds), the pieces that came since, and their memory in bytes. */
type Unfinished = { begun: number; size: number; pieces: Uint8Array[] };

/** Adds a piece to a message. @returns the memory of the piece in bytes */
function grow(message: Unfinished, piece: Uint8Array): number {
  const size = piece.length + PIECE_COST;
  message.pieces.push(piece);
  message.size += size;
  return size;
}

/**
 * Frees the memory of pieces of a destroyed socket. The garbage collector does so too late: when 7,500 clients sent at once, 230 MB of
 * pieces that were cut off waited for it (RELIABILITY A22). A piece that shares its memory stays, and so do all if a rest is unread:
 * `ws` passes the rest to its receiver when the socket closes, and the receiver still needs the pieces.
 */
function free(socket: Duplex, pieces: readonly Uint8Array[] = []): void {
  if (!socket.destroyed || socket.readableLength > 0) return;
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

/**
 * Finds clients that start a message and do not complete it: `ws` limits the bytes and fragments of a message, not its time.
 * The map holds only incomplete messages; one timer checks them while there are any. While all together are too large, those that
 * began first are cut off, because an honest one is complete within moments.
 * @param onLate called once with the socket of each message that is not complete after `MESSAGE_MS`, or that is cut off
 * @param max bytes of all incomplete messages
 */
export function createUnfinishedMessages(
  clock: { uptime: () => number; after: (ms: number, fn: () => void) => () => void },
  onLate: (socket: Duplex) => void,
  max = UNFINISHED_MAX,
) {
  /** In the order in which the messages began. */
  const unfinished = new Map<Duplex, Unfinished>();
  let total = 0;
  let isCheckPlanned = false;

  function end(socket: Duplex): void {
    total -= unfinished.get(socket)?.size ?? 0;
    unfinished.delete(socket);
  }
  function cutOff(socket: Duplex): void {
    const message = unfinished.get(socket);
    end(socket);
    onLate(socket);
    free(socket, message?.pieces);
  }
  function add(socket: Duplex, piece: Uint8Array): void {
    const message = unfinished.get(socket) ?? { begun: clock.uptime(), size: 0, pieces: [] };
    unfinished.set(socket, message);
    total += grow(message, piece);
    checkLater();
    for (const oldest of unfinished.keys()) {
      if (total <= max) return;
      cutOff(oldest);
    }
  }

  function check(): void {
    isCheckPlanned = false;
    for (const [socket, { begun }] of unfinished) if (clock.uptime() - begun >= MESSAGE_MS) cutOff(socket);
    checkLater();
  }
  function checkLater(): void {
    if (isCheckPlanned || unfinished.size === 0) return;
    isCheckPlanned = true;
    clock.after(1_000, check);
  }

  return {
    /** Follows the bytes of a socket until it closes. */
    watch(socket: Duplex): void {
      const progress = newProgress();
      socket.on("data", (chunk: Uint8Array) => {
        const before = progress.whole;
        const isUnfinished = advance(progress, chunk);
        // A message ended in this chunk, so an incomplete one after it is another message, with its own time.
        if (!isUnfinished || progress.whole > before) end(socket);
        if (isUnfinished) add(socket, chunk);
      });
      socket.once("close", () => end(socket));
    },
    /** Number of incomplete messages. */
    count: (): number => unfinished.size,
  };
}
