import { totalmem } from "node:os";
import type { Settings } from "./settings/shape.ts";

/** Memory that a relay without chats takes, in bytes. */
const RELAY_BYTES = 128 * 1024 * 1024;
/** The share of the other memory that idle connections may take. The rest is for messages, files and answers under way. */
const CHATS_SHARE = 0.75;
/**
 * Memory of the most expensive idle chat, in bytes: one over the HTTP fallback (25 KB), and its part of the connections without a
 * chat (5 KB), with their kernel's memory (3 KB for each connection). A WebSocket takes 8 KB.
 */
const CHAT_BYTES = 36 * 1024;
const CHATS_MIN = 500;
const CHATS_MAX = 20_000;

/**
 * Bytes of memory that this process may use: the limit of its container, otherwise the machine's memory.
 * @param constrained limit of the control group; 0 when there is none. Without a limit, version 1 of control groups reports a
 *   number above any machine's memory
 */
export const availableMemory = (constrained = process.constrainedMemory(), machine = totalmem()): number =>
  constrained > 0 ? Math.min(constrained, machine) : machine;

/** The number of open chats for which so many bytes of memory are enough, in whole hundreds. */
export function chatCapacity(memory: number): number {
  const chats = ((memory - RELAY_BYTES) * CHATS_SHARE) / CHAT_BYTES;
  return Math.max(CHATS_MIN, Math.floor(chats / 100) * 100);
}

/** The default limit of open chats. 20,000 idle chats over the fallback exceed 512 MB (RELIABILITY A26). */
export const chatsFor = (memory: number): number => Math.min(CHATS_MAX, chatCapacity(memory));

/** Bytes as whole megabytes. */
export const megabytesOf = (bytes: number): number => Math.floor(bytes / (1024 * 1024));

/** Why the limit of open chats has its value, for the log and `porchlight doctor`. */
export const chatLimitReason = ({ socketsTotalFrom }: Pick<Settings, "socketsTotalFrom">): string =>
  socketsTotalFrom === "SOCKETS_TOTAL" ? "SOCKETS_TOTAL" : `${megabytesOf(socketsTotalFrom.memory)} MB of memory`;
