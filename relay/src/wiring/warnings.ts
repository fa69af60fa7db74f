import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";

/** Logs settings that are valid but probably not intended: a missing key, plain HTTP, an unusual path, no origins. */
export function warn(settings: Settings, keyOf: (account: string) => string, log: Log): void {
  for (const { id, url } of settings.accounts) {
    if (keyOf(id) === "") log("relay.key_missing", { account: id });
    if (settings.allowInsecureService && url.startsWith("http:")) log("relay.insecure", { account: id });
    if (!/\/v\d+$/.test(url))
      log("settings.warning", { account: id, warning: "the service's address usually ends in /v1" });
  }
  for (const site of settings.sites) if (site.origins.length === 0) log("relay.origins", { site: site.public.id });
}
