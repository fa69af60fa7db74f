import { DEFAULT_SITE } from "@porchlight/shared/site";
import { fromFile } from "./settings/file.ts";
import { problem } from "./settings/parsers.ts";
import type { Bucket, Env, MailRules, Settings, Site, Tenants, UploadRules } from "./settings/shape.ts";
import { TABLE, type Values } from "./settings/table.ts";

export type { Account, Bucket, KeySource, Settings, Site, UploadRules } from "./settings/shape.ts";
export { settingsHelp } from "./settings/table.ts";

/** The one site and account that the environment alone describes. */
function fromEnvironment(values: Values): Tenants {
  const { serviceUrl, serviceKey, serviceKeyFile, allowedOrigins, siteTitle, identitySecret, requireIdentity } = values;
  if (requireIdentity && identitySecret === undefined) problem("REQUIRE_IDENTITY: needs IDENTITY_SECRET");
  if (serviceUrl === undefined)
    problem("SERVICE_URL: is needed: the base address of the messaging service, ending in /v1");
  const key = serviceKeyFile !== "" ? { file: serviceKeyFile } : serviceKey !== "" ? { value: serviceKey } : undefined;
  return {
    accounts: [{ id: "default", url: serviceUrl ?? "", key, rate: 60 }],
    sites: [
      {
        public: { ...DEFAULT_SITE, title: siteTitle },
        account: "default",
        origins: allowedOrigins,
        channel: "website",
        business: "default",
        campaign: undefined,
        ...(values.messagesPerDay === 0 ? {} : { messagesPerDay: values.messagesPerDay }),
        ...(identitySecret === undefined ? {} : { identity: { secret: identitySecret } }),
        requireIdentity,
      },
    ],
  };
}

/** Files inside a message make it a third larger, and services cap requests. */
const EMBED_MAX = 5 * 1024 * 1024;

/** What may be uploaded. Without a public https address the service can fetch nothing, so files must fit a message. */
function uploadsFrom(values: Values): UploadRules {
  const reachable = values.publicUrl?.startsWith("https:") === true;
  if (values.mediaMode === "link" && !reachable) problem("MEDIA_MODE: link needs a PUBLIC_URL with https");
  const embed = values.mediaMode === "embed" || !reachable;
  const fit = (bytes: number): number => (embed ? Math.min(bytes, EMBED_MAX) : bytes);
  return {
    caps: { image: fit(values.uploadImage), av: fit(values.uploadAv), document: fit(values.uploadDocument) },
    quota: { visitor: values.uploadVisitor, site: values.uploadSite },
    perMinute: values.uploadsPerMinute,
    embed,
    ...bucketFrom(values),
  };
}

/** The bucket and who may use it. */
function bucketFrom({ mediaStore, s3KeyId, s3Secret }: Values): { bucket?: Bucket } {
  if (mediaStore === undefined) return {};
  if (s3KeyId === "" || s3Secret === "") problem("MEDIA_STORE: needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY");
  return { bucket: { ...mediaStore, keyId: s3KeyId, secret: s3Secret } };
}

/** Mail, where a server is named: links in it lead back to the relay. */
function mailFrom({ smtpUrl, mailFrom: from, mailAfter, publicUrl }: Values): MailRules | undefined {
  if (smtpUrl === undefined) return undefined;
  if (publicUrl === undefined) problem("SMTP_URL: needs PUBLIC_URL, for the links in mails");
  return { url: smtpUrl, from: from ?? problem("SMTP_URL: needs MAIL_FROM"), after: mailAfter * 60_000 };
}

/** A site with what the relay itself can and cannot do for it. */
function equipped(site: Site, uploads: UploadRules, mail: MailRules | undefined): Site {
  const mails = mail !== undefined && site.mail !== false;
  // "Get the reply by e-mail" is said where it is true: by our mail, or on the owner's own word.
  const able = mails ? { emailOffer: true, mail: true } : {};
  return { ...site, mail: mails, public: { ...able, ...site.public, uploads: uploads.caps } };
}

/** The first socket of systemd's socket activation: file descriptor 3, when LISTEN_FDS says that there is one. */
const handedOver = (env: Env): number | undefined => (Number(env.LISTEN_FDS) >= 1 ? 3 : undefined);

/**
 * Reads every setting. A wrong one is reported with its name, and all wrong ones at once.
 * @param env the process's environment; nothing else in the relay reads it
 */
export function readSettings(env: Env): { settings: Settings } | { problems: string[] } {
  const problems: string[] = [];
  const attempt = <T>(name: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(name === "" ? message : `${name}: ${message}`);
      return undefined;
    }
  };
  const values = Object.fromEntries(
    Object.entries(TABLE).map(([name, field]) => {
      const given = env[field.env]?.trim();
      return [
        name,
        attempt(field.env, () => field.parse(given === undefined || given === "" ? field.fallback : given)),
      ];
    }),
  ) as Values;
  if (problems.length > 0) return { problems };

  const tenants =
    values.configFile === ""
      ? attempt("", () => fromEnvironment(values))
      : attempt("PORCHLIGHT_CONFIG", () => fromFile(values.configFile, env));
  const uploads = attempt("", () => uploadsFrom(values));
  const mail = attempt("", () => mailFrom(values));
  if (problems.length > 0 || tenants === undefined || uploads === undefined) return { problems };
  const { port, host, publicUrl, dataDir, trustProxy, logLevel, callbackSecrets, adminToken } = values;
  return {
    settings: {
      port,
      host,
      publicUrl,
      dataDir,
      databaseUrl: values.databaseUrl ?? `sqlite:${dataDir}/porchlight.db`,
      trustProxy,
      logLevel,
      callbackSecrets,
      callbackAllow: values.callbackAllow,
      adminToken,
      allowInsecureService: values.allowInsecureService,
      horizon: values.horizonHours * 3_600_000,
      messagesPerMinute: values.messagesPerMinute,
      socketsPerAddress: values.socketsPerAddress,
      listenFd: handedOver(env),
      unknownContact: values.unknownContact,
      forwardCallbacks: values.forwardCallbacks,
      uploads,
      mail,
      accounts: tenants.accounts,
      sites: tenants.sites.map((site) => equipped(site, uploads, mail)),
    },
  };
}
