import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { isShared } from "../db/database-url.ts";

/**
 * Logs settings that are valid but probably not intended: a missing key, plain HTTP, an unusual path, no origins, hints between
 * nodes that cannot share a database.
 */
export function logWarnings(settings: Settings, keyOf: (account: string) => string, log: Log): void {
  for (const { id, url } of settings.accounts) {
    if (keyOf(id) === "") log("relay.key_missing", { account: id });
    if (settings.allowInsecureService && url.startsWith("http:")) log("relay.insecure", { account: id });
    if (!/\/v\d+$/.test(url))
      log("settings.warning", { account: id, warning: "the service's address usually ends in /v1" });
  }
  if (settings.redisUrl !== undefined && !isShared(settings.databaseUrl))
    log("settings.warning", {
      warning: "REDIS_URL has no effect on SQLite; several nodes need DATABASE_URL=postgres://…",
    });
  for (const site of settings.sites) if (site.origins.length === 0) log("relay.origins", { site: site.public.id });
}
