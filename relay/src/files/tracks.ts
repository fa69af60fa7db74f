/**
 * Whether a WebM or MP4 file contains only sound. Both containers begin alike for sound and for films, and `mediaContentType`
 * has to match the file (interface 4.5): a voice message is audio. Sources: Matroska (RFC 9559), ISO/IEC 14496-12.
 */

type Element = { id: number; start: number; end: number };

/** The elements of one level, each with the range of its content; a reader of one container yields them. */
type Reader = (bytes: DataView, start: number, end: number) => Generator<Element>;

/** Parses an EBML number. @param marked keep the length marker in the value, as in element ids */
function vint(bytes: DataView, at: number, marked: boolean): { value: number; length: number } | undefined {
  const first = at < bytes.byteLength ? bytes.getUint8(at) : 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > bytes.byteLength) return undefined;
  let value = marked ? first : first & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (let next = at + 1; next < at + length; next++) {
    isUnknown &&= bytes.getUint8(next) === 0xff;
    value = value * 256 + bytes.getUint8(next);
  }
  // A recorder that streams writes an unknown size, because it does not know the size of an element that it has just begun.
  return { value: isUnknown && !marked ? Number.POSITIVE_INFINITY : value, length };
}

function* matroska(bytes: DataView, start: number, end: number): Generator<Element> {
  for (let at = start; at < end; ) {
    const id = vint(bytes, at, true);
    const size = id && vint(bytes, at + id.length, false);
    if (id === undefined || size === undefined) return;
    const content = at + id.length + size.length;
    yield { id: id.value, start: content, end: content + size.value };
    at = content + size.value;
  }
}

function* isoMedia(bytes: DataView, start: number, end: number): Generator<Element> {
  for (let at = start; at + 8 <= Math.min(end, bytes.byteLength); ) {
    const size = bytes.getUint32(at);
    if (size < 8) return;
    yield { id: bytes.getUint32(at + 4), start: at + 8, end: at + size };
    at += size;
  }
}

const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const [MOOV, TRAK, MDIA, HDLR] = ["moov", "trak", "mdia", "hdlr"].map((name) => Buffer.from(name).readUInt32BE()) as [
  number,
  number,
  number,
  number,
];
const SOUN = Buffer.from("soun").readUInt32BE();

type Container = {
  read: Reader;
  /** The element that lists all tracks. It must be complete. */
  list: number;
  /** Elements to descend into. */
  within: readonly number[];
  /** Bytes of an element that `isSound` reads. */
  needed: number;
  /** Whether an element says that its track is sound; undefined: it does not say. */
  isSound: (bytes: DataView, element: Element) => boolean | undefined;
};

const CONTAINERS: Readonly<Record<string, Container>> = {
  "video/webm": {
    read: matroska,
    list: TRACKS,
    within: [SEGMENT, TRACKS, TRACK_ENTRY],
    needed: 1,
    isSound: (bytes, { id, start }) => (id === TRACK_TYPE ? bytes.getUint8(start) === 2 : undefined),
  },
  "video/mp4": {
    read: isoMedia,
    list: MOOV,
    within: [MOOV, TRAK, MDIA],
    needed: 12,
    isSound: (bytes, { id, start }) => (id === HDLR ? bytes.getUint32(start + 8) === SOUN : undefined),
  },
};

/** Collects whether each track is sound. @returns false when the list of tracks is not complete */
function collect(
  container: Container,
  bytes: DataView,
  [start, end]: readonly [start: number, end: number],
  found: boolean[],
  depth = 0,
): boolean {
  let isWhole = false;
  for (const element of container.read(bytes, start, end)) {
    if (element.id === container.list) isWhole = element.end <= bytes.byteLength;
    if (container.within.includes(element.id) && depth < container.within.length) {
      const range = [element.start, Math.min(element.end, bytes.byteLength)] as const;
      isWhole = collect(container, bytes, range, found, depth + 1) || isWhole;
    } else if (element.start + container.needed <= bytes.byteLength) {
      const sound = container.isSound(bytes, element);
      if (sound !== undefined) found.push(sound);
    }
  }
  return isWhole;
}

/**
 * Corrects the type of a file with only sound: `audio/webm` for a WebM whose tracks are all sound, `audio/mp4` likewise.
 * @param head the first bytes; the type stays unchanged when they do not contain the list of tracks
 */
export function soundType(type: string | undefined, head: Uint8Array): string | undefined {
  const container = type === undefined ? undefined : CONTAINERS[type];
  if (type === undefined || container === undefined) return type;
  const found: boolean[] = [];
  const bytes = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isWhole = collect(container, bytes, [0, head.byteLength], found);
  return isWhole && found.length > 0 && found.every(Boolean) ? type.replace("video", "audio") : type;
}
