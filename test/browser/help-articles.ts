import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Gives the default site two help articles, "Returns" (within 30 days, in bold) and "Delivery". */
export function writeHelpArticles(dataDir: string): void {
  const folder = join(dataDir, "help");
  mkdirSync(folder, { recursive: true });
  const articles = [
    { title: "Returns", text: "Send it back within **30 days**." },
    { title: "Delivery", text: "Two to four days." },
  ];
  writeFileSync(join(folder, "default.json"), JSON.stringify(articles));
}
