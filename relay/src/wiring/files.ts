import { join } from "node:path";
import type { Settings } from "../base/config.ts";
import { createDiskFiles } from "../files/disk.ts";
import { createLinks } from "../files/links.ts";
import { createS3Files } from "../files/s3.ts";
import { createSniffer } from "../files/sniff.ts";
import { createStage } from "../files/stage.ts";
import type { Files } from "../files/store.ts";
import { createUploads } from "../flows/uploads.ts";
import { createBodyBudget } from "../http/body-budget.ts";
import type { Core } from "./core.ts";

/** Where visitors' files are stored: the bucket of the settings, or a folder of the data folder. */
export const openFiles = ({ uploads, dataDir }: Pick<Settings, "uploads" | "dataDir">): Files =>
  uploads.bucket === undefined ? createDiskFiles(join(dataDir, "media")) : createS3Files(uploads.bucket);

/** Uploads that are arriving may take this part of what a site may store, or the size of this many of the largest files. */
const ARRIVING_SHARE = 10;
const ARRIVING_FILES = 4;

/**
 * Most bytes of uploads that are arriving. Quotas count an upload at its end, and each of many addresses may hold back the last byte
 * of several: 40 addresses took 760 MB of the disk at a site that may store 100 (RELIABILITY A18).
 */
const arrivingMax = ({ quota, caps }: Settings["uploads"]): number =>
  Math.max(quota.site / ARRIVING_SHARE, ARRIVING_FILES * Math.max(...Object.values(caps)));

/** Visitors' files: their store, the links to them, and the uploads. */
export function createFileStorage({ settings, db, clock, log, signing }: Core) {
  const { uploads: rules, dataDir, publicUrl = "" } = settings;
  const files = openFiles(settings);
  const sniffer = createSniffer();
  const arriving = createBodyBudget(arrivingMax(rules));
  const stage = createStage({ folder: join(dataDir, "media", "incoming"), caps: rules.caps, sniffer, arriving });
  const uploads = createUploads({ db, clock, log, files, stage, quota: rules.quota });
  const links = createLinks(signing, clock.now);
  return {
    files,
    uploads,
    links,
    /** Address of a file; absolute where the relay knows its public address. */
    publicLink: (key: string, type: string): string => `${publicUrl}${links.to(key, type)}`,
    start: uploads.start,
    async stop(): Promise<void> {
      await uploads.stop();
      await sniffer.close();
      await files.close();
    },
  };
}

export type FileStorage = ReturnType<typeof createFileStorage>;
