import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { createDiskFiles } from "../files/disk.ts";
import { createLinks } from "../files/links.ts";
import { createS3Files } from "../files/s3.ts";
import { createSniffer } from "../files/sniff.ts";
import { createStage } from "../files/stage.ts";
import type { Files } from "../files/store.ts";
import { createUploads } from "../flows/uploads.ts";

type Parts = { settings: Settings; db: Database; clock: Clock; log: Log; signing: string };

/** Where visitors' files lie: the bucket of the settings, or a folder of the data folder. */
export const openFiles = ({ uploads, dataDir }: Pick<Settings, "uploads" | "dataDir">): Files =>
  uploads.bucket === undefined ? createDiskFiles(join(dataDir, "media")) : createS3Files(uploads.bucket);

/** Visitors' files: introduces the store, its links and the way in to each other. */
export function createFilestore({ settings, db, clock, log, signing }: Parts) {
  const { uploads: rules, dataDir } = settings;
  const root = join(dataDir, "media");
  const files = openFiles(settings);
  const sniffer = createSniffer();
  const stage = createStage({ folder: join(root, "incoming"), caps: rules.caps, sniffer });
  const uploads = createUploads({ db, clock, log, files, stage, quota: rules.quota });
  return {
    files,
    uploads,
    links: createLinks(signing, clock.now),
    start: uploads.start,
    async stop(): Promise<void> {
      await uploads.stop();
      await sniffer.close();
      await files.close();
    },
  };
}
