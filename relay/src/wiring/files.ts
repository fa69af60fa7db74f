import { join } from "node:path";
import type { Settings } from "../base/config.ts";
import { createDiskFiles } from "../files/disk.ts";
import { createLinks } from "../files/links.ts";
import { createS3Files } from "../files/s3.ts";
import { createSniffer } from "../files/sniff.ts";
import { createStage } from "../files/stage.ts";
import type { Files } from "../files/store.ts";
import { createUploads } from "../flows/uploads.ts";
import type { Core } from "./core.ts";

/** Where visitors' files are stored: the bucket of the settings, or a folder of the data folder. */
export const openFiles = ({ uploads, dataDir }: Pick<Settings, "uploads" | "dataDir">): Files =>
  uploads.bucket === undefined ? createDiskFiles(join(dataDir, "media")) : createS3Files(uploads.bucket);

/** Visitors' files: their store, the links to them, and the uploads. */
export function createFileStorage({ settings, db, clock, log, signing }: Core) {
  const { uploads: rules, dataDir, publicUrl = "" } = settings;
  const files = openFiles(settings);
  const sniffer = createSniffer();
  const stage = createStage({ folder: join(dataDir, "media", "incoming"), caps: rules.caps, sniffer });
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
