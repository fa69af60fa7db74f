import { statfs } from "node:fs/promises";

const MB = 1024 * 1024;
/** With fewer free MB than this, `porchlight doctor` fails and the operator gets an alert. */
const LEAST_MB = 500;

/** Advice to the operator when the space is not enough. */
export const MAKE_ROOM = `Make room: below ${LEAST_MB} MB, uploads and then messages are refused.`;

/** The free space on the disk of a folder. Rejects with the system's error when the folder does not exist. */
export async function freeSpace(folder: string): Promise<{ bytes: number; megabytes: number; isEnough: boolean }> {
  const { bavail, bsize } = await statfs(folder);
  const bytes = bavail * bsize;
  return { bytes, megabytes: Math.floor(bytes / MB), isEnough: bytes >= LEAST_MB * MB };
}
