import type { Settings, Site } from "../base/config.ts";

/** Every secret in the settings except the accounts' keys, which change while the relay runs. The log masks them. */
export function secretsIn(settings: Settings): string[] {
  const { sites, accounts, uploads, forwardCallbacks, mail } = settings;
  const all = [
    ...sites.flatMap(({ webhook, guard }) => [webhook?.secret, guard?.secret]),
    ...sites.map(identitySecret),
    ...accounts.map(({ credits }) => credits?.billing?.secret),
    uploads.bucket?.secret,
    forwardCallbacks,
    ...passwordsIn(mail?.url),
    ...passwordsIn(settings.databaseUrl),
    ...passwordsIn(settings.redisUrl),
  ];
  return all.filter((secret) => secret !== undefined);
}

/** The secret that signs a site's visitor identities; undefined if the site uses public keys. */
const identitySecret = ({ identity }: Site): string | undefined =>
  identity !== undefined && "secret" in identity ? identity.secret : undefined;

/** The password in a server's address, both encoded and decoded. */
function passwordsIn(url = "none:"): string[] {
  const password = URL.canParse(url) ? new URL(url).password : "";
  return password === "" ? [] : [password, decodeURIComponent(password)];
}
