import { DEFAULT_SITE } from "@porchlight/shared/site";
import { availableMemory, chatsFor } from "./chat-capacity.ts";
import { fromFile, readSecret } from "./settings/file.ts";
import { settingsInForce } from "./settings/in-force.ts";
import { assertPrivate } from "./settings/parsers.ts";
import { createProblems, literalSecret, type Problems, plainValue } from "./settings/problems.ts";
import type {
  AlertRules,
  BackupRules,
  Bucket,
  Env,
  MailRules,
  Settings,
  Site,
  Tenants,
  UploadRules,
} from "./settings/shape.ts";
import { exampleLine, FIELDS, TABLE, type Values } from "./settings/table.ts";

export type { Account, Bucket, Settings, Site } from "./settings/shape.ts";
export { settingsHelp } from "./settings/table.ts";

/** The single site and account of the environment. Used when there is no configuration file. */
function fromEnvironment(values: Values, problems: Problems): Tenants {
  const { serviceUrl, serviceKey, serviceKeyFile, allowedOrigins, siteTitle, identitySecret, requireIdentity } = values;
  const secureUrl = serviceUrl?.replace("http:", "https:");
  if (serviceUrl !== undefined && !values.allowInsecureService)
    problems.attempt("SERVICE_URL", () => assertPrivate(serviceUrl), `SERVICE_URL=${secureUrl}`);
  if (requireIdentity && identitySecret === undefined && !problems.has("IDENTITY_SECRET"))
    problems.add("REQUIRE_IDENTITY", "needs IDENTITY_SECRET", exampleLine(TABLE.identitySecret));
  if (serviceUrl === undefined && !problems.has("SERVICE_URL"))
    problems.add(
      "SERVICE_URL",
      "is required: the base address of the messaging service",
      exampleLine(TABLE.serviceUrl),
    );
  if (serviceKeyFile)
    problems.attempt("SERVICE_API_KEY_FILE", () => readSecret(serviceKeyFile), exampleLine(TABLE.serviceKeyFile));
  const key = serviceKeyFile ? { file: serviceKeyFile } : serviceKey ? { value: serviceKey } : undefined;
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
        ...(identitySecret === undefined ? {} : { identity: { secret: identitySecret } }),
        requireIdentity,
      },
    ],
  };
}

/** Most bytes of an embedded file. Embedding makes a file a third larger, and services limit the size of requests. */
const EMBED_MAX = 5 * 1024 * 1024;

/** The rules for uploads. Without a public https address the service cannot fetch files, so they must fit into a message. */
function uploadsFrom(values: Values, problems: Problems): UploadRules {
  const reachable = values.publicUrl?.startsWith("https:") === true;
  if (values.mediaMode === "link" && !reachable && !problems.has("PUBLIC_URL"))
    problems.add("MEDIA_MODE", "link needs a PUBLIC_URL with https", exampleLine(TABLE.publicUrl));
  const embed = values.mediaMode === "embed" || !reachable;
  const fit = (bytes: number): number => (embed ? Math.min(bytes, EMBED_MAX) : bytes);
  return {
    caps: { image: fit(values.uploadImage), av: fit(values.uploadAv), document: fit(values.uploadDocument) },
    quota: { visitor: values.uploadVisitor, site: values.uploadSite },
    perMinute: values.uploadsPerMinute,
    embed,
    ...bucketFrom(values, problems),
  };
}

/** The bucket of MEDIA_STORE with its key; empty without one. Adds a problem for each missing part of the key. */
function bucketFrom({ mediaStore, s3KeyId, s3Secret }: Values, problems: Problems): { bucket?: Bucket } {
  if (mediaStore === undefined && !problems.has("MEDIA_STORE")) return {};
  for (const [value, field] of [
    [s3KeyId, TABLE.s3KeyId],
    [s3Secret, TABLE.s3Secret],
  ] as const)
    if (value === "") problems.add("MEDIA_STORE", `needs ${field.env}`, exampleLine(field));
  return mediaStore === undefined ? {} : { bucket: { ...mediaStore, keyId: s3KeyId, secret: s3Secret } };
}

/** The mail settings, if there is a mail server. Links in mails lead to the relay. */
function mailFrom(
  { smtpUrl, mailFrom: from, mailAfter, publicUrl }: Values,
  problems: Problems,
): MailRules | undefined {
  if (smtpUrl === undefined && !problems.has("SMTP_URL")) return undefined;
  if (publicUrl === undefined && !problems.has("PUBLIC_URL"))
    problems.add("SMTP_URL", "needs PUBLIC_URL, for the links in mails", exampleLine(TABLE.publicUrl));
  if (from === undefined && !problems.has("MAIL_FROM"))
    problems.add("SMTP_URL", "needs MAIL_FROM", exampleLine(TABLE.mailFrom));
  if (smtpUrl === undefined) return undefined;
  return { url: smtpUrl, from: from ?? { name: "", address: "" }, after: mailAfter * 60_000 };
}

/** Adapts a site's settings to what the relay can do. */
function adaptedToRelay(site: Site, uploads: UploadRules, mail: MailRules | undefined): Site {
  const mails = mail !== undefined && site.mail !== false;
  // The widget offers replies by email only if the relay sends mail, or the owner says so.
  const able = mails ? { emailOffer: true, mail: true } : {};
  return { ...site, mail: mails, public: { ...able, ...site.public, uploads: uploads.caps } };
}

/** Adds the daily budgets: the site's own, otherwise the general ones. 0: no limit. */
function withBudgets(site: Site, values: Values): Site {
  const { messagesPerDay = values.messagesPerDay, leadsPerDay = values.leadsPerDay, ...rest } = site;
  return { ...rest, ...(messagesPerDay > 0 && { messagesPerDay }), ...(leadsPerDay > 0 && { leadsPerDay }) };
}

/** Scheduled backups. */
function backupsFrom(values: Values, problems: Problems): BackupRules | undefined {
  const { backupTo, backupHours, backupKeep, s3KeyId, s3Secret } = values;
  if (backupTo === undefined && !problems.has("BACKUP_TO")) return undefined;
  const rules = { every: backupHours * 3_600_000, keep: backupKeep };
  if (backupTo === undefined || "folder" in backupTo) return { ...backupTo, ...rules };
  if (s3KeyId === "" || s3Secret === "")
    problems.add("BACKUP_TO", "needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY", exampleLine(TABLE.s3KeyId));
  return { bucket: { ...backupTo.place, keyId: s3KeyId, secret: s3Secret }, ...rules };
}

/** Recipients of alerts. */
function alertsFrom(values: Values, problems: Problems): AlertRules {
  const { alertMail, alertWebhook, alertSecret, smtpUrl } = values;
  if (alertMail !== undefined && smtpUrl === undefined)
    problems.add("ALERT_MAIL", "needs SMTP_URL and MAIL_FROM", exampleLine(TABLE.smtpUrl));
  if (alertWebhook !== undefined && alertSecret === "")
    problems.add("ALERT_WEBHOOK", "needs ALERT_WEBHOOK_SECRET", exampleLine(TABLE.alertSecret));
  return {
    ...(alertMail === undefined ? {} : { mail: alertMail }),
    ...(alertWebhook === undefined ? {} : { webhook: { url: alertWebhook, secret: alertSecret } }),
  };
}

/** Adds the days after which data is deleted: the site's own, otherwise the general ones. */
const withRetention = (site: Site, { retention }: Values): Site => ({
  ...site,
  retention: { ...retention, ...site.retention },
});

/** The file descriptor of the first socket that systemd's socket activation passed: 3, if LISTEN_FDS is set. */
const socketOfSystemd = (env: Env): number | undefined => (Number(env.LISTEN_FDS) >= 1 ? 3 : undefined);

/** The parsed variables. Invalid ones are missing and recorded as problems. */
function valuesOf(env: Env, problems: Problems): Values {
  const entries = FIELDS.map(([name, field]) => {
    const given = env[field.env]?.trim() ?? "";
    const plain = (): string => plainValue(field.secret === true ? literalSecret(given) : given, field.words);
    const read = (): unknown => field.parse(given === "" ? field.fallback : plain());
    // The path of a file with the key belongs into the other setting.
    const meant = name === "serviceKey" && given.startsWith("file:") ? TABLE.serviceKeyFile : field;
    return [name, problems.attempt(field.env, read, exampleLine(meant))];
  });
  return Object.fromEntries(entries) as Values;
}

/** Sites and accounts, from the configuration file if there is one; `undefined` when they cannot be read. */
function tenantsOf(values: Values, env: Env, problems: Problems): Tenants | undefined {
  const { configFile, allowInsecureService } = values;
  if (problems.has("PORCHLIGHT_CONFIG")) return undefined;
  if (configFile === "") return fromEnvironment(values, problems);
  return problems.attempt("PORCHLIGHT_CONFIG", () => fromFile(configFile, env, allowInsecureService));
}

/** The limit of open chats: the owner's, otherwise what the memory allows. */
const chatLimit = ({ socketsTotal }: Values, memory: number): Pick<Settings, "socketsTotal" | "socketsTotalFrom"> => ({
  socketsTotal: socketsTotal ?? chatsFor(memory),
  socketsTotalFrom: socketsTotal === undefined ? { memory } : "SOCKETS_TOTAL",
});

/**
 * Reads all settings. All problems are reported together, one a line: name of the setting (for the configuration file also
 * the path of the field), rule, and a valid example.
 * @param env the process's environment; nothing else in the relay reads it
 * @param memory bytes that the process may use
 */
export function readSettings(env: Env, memory = availableMemory()): ReturnType<Settings["reread"]> {
  const problems = createProblems();
  const values = valuesOf(env, problems);
  const tenants = tenantsOf(values, env, problems);
  const uploads = uploadsFrom(values, problems);
  const mail = mailFrom(values, problems);
  const backups = backupsFrom(values, problems);
  const alerts = alertsFrom(values, problems);
  if (problems.lines.length > 0 || tenants === undefined) return { problems: problems.lines };
  const { port, host, publicUrl, dataDir, trustProxy, logLevel, callbackSecrets, adminToken } = values;
  return {
    settings: {
      reread: () => readSettings(env, memory),
      inForce: settingsInForce(env, memory),
      port,
      host,
      publicUrl,
      dataDir,
      databaseUrl: values.databaseUrl ?? `sqlite:${dataDir}/porchlight.db`,
      redisUrl: values.redisUrl,
      trustProxy,
      logLevel,
      callbackSecrets,
      callbackAllow: values.callbackAllow,
      adminToken,
      allowInsecureService: values.allowInsecureService,
      horizon: values.horizonHours * 3_600_000,
      messagesPerMinute: values.messagesPerMinute,
      socketsPerAddress: values.socketsPerAddress,
      ...chatLimit(values, memory),
      perAddress: {
        messages: values.messagesPerAddress,
        visitors: values.visitorsPerAddress,
        leads: values.leadsPerAddress,
        sessions: values.sessionsPerAddress,
        uploads: values.uploadPerAddress,
      },
      listenFd: socketOfSystemd(env),
      unknownContact: values.unknownContact,
      forwardCallbacks: values.forwardCallbacks,
      uploads,
      mail,
      backups,
      alerts,
      seriesDays: values.seriesDays,
      readToken: values.readToken,
      adminListen: values.adminListen,
      accounts: tenants.accounts,
      sites: tenants.sites.map((site) =>
        withRetention(withBudgets(adaptedToRelay(site, uploads, mail), values), values),
      ),
    },
  };
}
