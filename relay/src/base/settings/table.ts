import {
  backupTo,
  bucketOf,
  database,
  list,
  listener,
  mailbox,
  megabytes,
  network,
  oneOf,
  onOff,
  optional,
  origin,
  postAddress,
  redis,
  retention,
  rootAddress,
  secret,
  sender,
  signingSecret,
  smtp,
  text,
  webAddress,
  wholeNumber,
} from "./parsers.ts";
import { each } from "./problems.ts";

type Field<T> = {
  env: string;
  fallback: string;
  parse: (text: string) => T;
  help: string;
  /** A valid value, for error messages, when the fallback is not one. */
  example?: string;
  /** The value is a text for people, which may contain `#`. */
  words?: true;
  /** The value is a secret. It is never a reference such as `file:PATH`. */
  secret?: true;
};

/** All settings of the environment. The guide's table is generated from it (`test/conventions/tables.ts`). */
export const TABLE = {
  port: {
    env: "PORT",
    fallback: "8787",
    parse: wholeNumber(0, 65_535),
    help: "Port to listen on; 0 picks a free one.",
  },
  host: { env: "HOST", fallback: "0.0.0.0", parse: text, help: "Address to listen on." },
  publicUrl: {
    env: "PUBLIC_URL",
    example: "https://chat.example.com",
    fallback: "",
    parse: optional(rootAddress),
    help: "Address of the relay for browsers and the service, like https://chat.example.com: a host of its own, without a path.",
  },
  serviceUrl: {
    env: "SERVICE_URL",
    example: "https://service.example/v1",
    fallback: "",
    parse: optional(webAddress),
    help: "Base address of the messaging service. It ends in /v1.",
  },
  serviceKey: {
    env: "SERVICE_API_KEY",
    example: "the-key-from-your-account",
    fallback: "",
    secret: true,
    parse: text,
    help: "The account's key at the service. It is sent to the service only.",
  },
  serviceKeyFile: {
    env: "SERVICE_API_KEY_FILE",
    example: "/etc/porchlight/key",
    fallback: "",
    parse: text,
    help: "File with the key. It is read again on SIGHUP and while the service refuses the key.",
  },
  callbackSecrets: {
    env: "CALLBACK_SECRET",
    example: "a-secret-of-16-characters-or-more",
    fallback: "",
    secret: true,
    parse: (given: string) => each(list(given), secret),
    help: "Secret part of the callback addresses. Two secrets, separated by a comma, are valid during a rotation. Default: generated and kept in the data folder.",
  },
  callbackAllow: {
    env: "CALLBACK_ALLOW",
    example: "192.0.2.0/24",
    fallback: "",
    parse: (given: string) => each(list(given), network),
    help: "IP addresses, or blocks like 192.0.2.0/24, that may send callbacks, separated by commas. Others are refused like a wrong secret. Default: all. Behind a proxy it needs TRUST_PROXY.",
  },
  adminToken: {
    env: "ADMIN_TOKEN",
    example: "a-secret-of-16-characters-or-more",
    fallback: "",
    secret: true,
    parse: optional(secret),
    help: "Token of the operator's pages. Default: generated and kept in the data folder.",
  },
  readToken: {
    env: "ADMIN_READ_TOKEN",
    example: "another-secret-of-16-characters",
    fallback: "",
    secret: true,
    parse: optional(secret),
    help: "Read-only token for the operator's pages. For a reader of one site, `porchlight token add <name> --scopes admin:read --site <site>` makes a token.",
  },
  adminListen: {
    env: "ADMIN_LISTEN",
    example: "127.0.0.1:8789",
    fallback: "",
    parse: optional(listener),
    help: "Address and port for the operator's pages and `/metrics`. They are then not served on PORT. Default: on PORT.",
  },
  dataDir: { env: "DATA_DIR", fallback: "./data", parse: text, help: "Folder for the database, secrets and spool." },
  databaseUrl: {
    env: "DATABASE_URL",
    example: "sqlite:/var/lib/porchlight/porchlight.db",
    fallback: "",
    parse: optional(database),
    help: "`sqlite:` and a file's path, or `postgres://user:password@host:5432/database` for several nodes. Default: porchlight.db in the data folder.",
  },
  redisUrl: {
    env: "REDIS_URL",
    example: "redis://localhost:6379",
    fallback: "",
    parse: optional(redis),
    help: "Redis or Valkey that carries hints between nodes on PostgreSQL. Unset: PostgreSQL carries them.",
  },
  trustProxy: {
    env: "TRUST_PROXY",
    fallback: "0",
    parse: wholeNumber(0, 10),
    help: "Number of proxies in front of the relay. With 2, the visitor's address is the second entry of X-Forwarded-For from the right.",
  },
  allowedOrigins: {
    env: "ALLOWED_ORIGINS",
    example: "https://www.example.com,https://*.example.com",
    fallback: "",
    parse: (given: string) => each(list(given), origin),
    help: "Origins whose pages may open the chat, separated by commas; `https://*.example.com` for subdomains. Default: only the relay's own pages.",
  },
  logLevel: {
    env: "LOG_LEVEL",
    fallback: "info",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
    help: "debug, info, warn, error or silent.",
  },
  horizonHours: {
    env: "DELIVERY_HORIZON_HOURS",
    fallback: "12",
    parse: wholeNumber(1, 24),
    help: "Hours after which an undelivered message fails and the visitor can retry it. The service does not remember message ids forever.",
  },
  messagesPerMinute: {
    env: "MESSAGES_PER_MINUTE",
    fallback: "30",
    parse: wholeNumber(0, 100_000),
    help: "Messages that one visitor may send in a minute, at most ten at once. Each may cost credits. 0: no limit.",
  },
  messagesPerDay: {
    env: "MESSAGES_PER_DAY",
    fallback: "2000",
    parse: wholeNumber(0, 10_000_000),
    help: "Messages that each site sends to the service on one day (UTC), because each may cost credits. The default is enough for 200 conversations of ten messages. Further messages wait for the next days. One IP address may use a quarter. `messagesPerDay` in the configuration file sets it for one site. 0: no limit.",
  },
  leadsPerDay: {
    env: "LEADS_PER_DAY",
    fallback: "500",
    parse: wholeNumber(0, 10_000_000),
    help: "Forms that each site accepts on one day (UTC), because each creates a contact. `leadsPerDay` in the configuration file sets it for one site. 0: no limit.",
  },
  messagesPerAddress: {
    env: "MESSAGES_PER_ADDRESS",
    fallback: "120",
    parse: wholeNumber(0, 1_000_000),
    help: "Messages that all visitors of one IP address may send to a site in a minute, at most half of them at once. The default is enough for an office where thirty people write at the same time. 0: no limit per address, neither per minute nor of MESSAGES_PER_DAY.",
  },
  visitorsPerAddress: {
    env: "VISITORS_PER_ADDRESS",
    fallback: "60",
    parse: wholeNumber(0, 1_000_000),
    help: "New visitors of one IP address who may write to a site in an hour, at most a third of them at once. From all addresses, a site accepts a quarter of MESSAGES_PER_DAY new visitors per hour. 0: no limit.",
  },
  leadsPerAddress: {
    env: "LEADS_PER_ADDRESS",
    fallback: "30",
    parse: wholeNumber(0, 1_000_000),
    help: "Forms that one IP address may send to a site in an hour, at most a third of them at once, and no more than a quarter of LEADS_PER_DAY in a day. 0: no limit per address.",
  },
  sessionsPerAddress: {
    env: "SESSIONS_PER_ADDRESS",
    fallback: "600",
    parse: wholeNumber(0, 1_000_000),
    help: "Chats that one IP address may open on a site in a minute. The default is enough for 200 visitors of one office to reconnect three times. 0: no limit.",
  },
  socketsPerAddress: {
    env: "SOCKETS_PER_ADDRESS",
    fallback: "200",
    parse: wholeNumber(0, 1_000_000),
    help: "Chats that one IP address may have open at a time, over WebSockets and HTTP together. It may open six times as many in a minute. 0: no limit.",
  },
  socketsTotal: {
    env: "SOCKETS_TOTAL",
    example: "20000",
    fallback: "",
    parse: optional(wholeNumber(0, 1_000_000)),
    help: "Open chats in total. By default as many as the memory of the container or the machine allows, from 500 to 20,000: 8,100 in 512 MB, 19,100 in 1 GB, 20,000 in 2 GB. The last tenth is reserved for IP addresses without an open chat. 0: no limit.",
  },
  uploadImage: {
    env: "UPLOAD_IMAGE_MB",
    fallback: "10",
    parse: megabytes,
    help: "Largest picture that visitors may upload, in megabytes. 0: no pictures.",
  },
  uploadAv: {
    env: "UPLOAD_AV_MB",
    fallback: "16",
    parse: megabytes,
    help: "Largest audio or video file that visitors may upload, in megabytes. 0: none.",
  },
  uploadDocument: {
    env: "UPLOAD_DOCUMENT_MB",
    fallback: "20",
    parse: megabytes,
    help: "Largest PDF or plain text file that visitors may upload, in megabytes. 0: none.",
  },
  uploadVisitor: {
    env: "UPLOAD_VISITOR_MB",
    fallback: "100",
    parse: megabytes,
    help: "Megabytes that one visitor may have stored.",
  },
  uploadSite: {
    env: "UPLOAD_SITE_MB",
    fallback: "10000",
    parse: megabytes,
    help: "Megabytes that all visitors of a site may have stored.",
  },
  uploadsPerMinute: {
    env: "UPLOADS_PER_MINUTE",
    fallback: "20",
    parse: wholeNumber(0, 100_000),
    help: "Uploads of one IP address in a minute, at most ten at once. 0: no limit.",
  },
  uploadPerAddress: {
    env: "UPLOAD_ADDRESS_MB",
    fallback: "500",
    parse: megabytes,
    help: "Megabytes that one IP address may upload to a site in an hour; in a day, a quarter of UPLOAD_SITE_MB. 0: no limit per address.",
  },
  mediaMode: {
    env: "MEDIA_MODE",
    fallback: "auto",
    parse: oneOf("auto", "link", "embed"),
    help: "How the service gets files: link (the service fetches them from PUBLIC_URL), embed (inside the message, at most 5 MB), or auto: link when PUBLIC_URL is https, otherwise embed.",
  },
  mediaStore: {
    env: "MEDIA_STORE",
    example: "s3://bucket/folder?region=eu-central-1",
    fallback: "",
    parse: optional(bucketOf),
    help: "Storage of uploads: a private bucket of an S3-compatible store, like s3://bucket/folder?region=eu-central-1&endpoint=https://s3.example.com. Default: the data folder.",
  },
  s3KeyId: {
    env: "S3_ACCESS_KEY_ID",
    example: "AKIAEXAMPLE",
    fallback: "",
    secret: true,
    parse: text,
    help: "Id of the key for the buckets of MEDIA_STORE and BACKUP_TO.",
  },
  s3Secret: {
    env: "S3_SECRET_ACCESS_KEY",
    example: "the-key-itself",
    fallback: "",
    secret: true,
    parse: text,
    help: "Secret of the key for the buckets of MEDIA_STORE and BACKUP_TO.",
  },
  smtpUrl: {
    env: "SMTP_URL",
    example: "smtp://user:password@mail.example.com:587",
    fallback: "",
    parse: optional(smtp),
    help: "Mail server, like smtp://user:password@mail.example.com:587, or smtps://. It sends replies to absent visitors who asked for email, and transcripts. Needs MAIL_FROM and PUBLIC_URL.",
  },
  mailFrom: {
    env: "MAIL_FROM",
    example: "chat@example.com",
    fallback: "",
    parse: optional(sender),
    words: true,
    help: "Sender of the mails: an address, or a name with an address, like `Shop <chat@example.com>`. Without a name, mails to visitors have the name of their site.",
  },
  mailAfter: {
    env: "MAIL_AFTER_MINUTES",
    fallback: "5",
    parse: wholeNumber(0, 1_440),
    help: "Minutes of absence after which an unread reply is mailed.",
  },
  retention: {
    env: "RETENTION_DAYS",
    example: "conversations=365 files=90 leads=365 mails=14",
    fallback: "",
    parse: retention,
    help: "Days after which data of every site is deleted: conversations (since their newest message), files, leads, mails. `retention` in the configuration file sets it for one site. Default: kept; mails and webhook events for 30 days at most.",
  },
  seriesDays: {
    env: "SERIES_DAYS",
    fallback: "35",
    parse: wholeNumber(1, 400),
    help: "Days for which the figures behind the operator's plots (series) are kept by hour and by quarter of a day. They count all sites together, so no site has a number of its own. Minutes and quarters of an hour are kept for two days.",
  },
  backupTo: {
    env: "BACKUP_TO",
    example: "/var/backups/porchlight",
    fallback: "",
    parse: optional(backupTo),
    help: "Folder for scheduled backups, or a bucket like s3://bucket/folder?region=eu-central-1 (with the key of S3_ACCESS_KEY_ID). Default: no scheduled backups.",
  },
  backupHours: {
    env: "BACKUP_HOURS",
    fallback: "24",
    parse: wholeNumber(1, 24 * 31),
    help: "Hours between two scheduled backups.",
  },
  backupKeep: {
    env: "BACKUP_KEEP",
    fallback: "7",
    parse: wholeNumber(1, 1_000),
    help: "Number of scheduled backups to keep; older ones are deleted.",
  },
  alertMail: {
    env: "ALERT_MAIL",
    example: "ops@example.com",
    fallback: "",
    parse: optional(mailbox),
    help: "Email address that gets a mail when the operator must act: account paused, messages waiting or failing, disk full, budget used up, webhook failing, ledger stuck, backups missing. Needs SMTP_URL.",
  },
  alertWebhook: {
    env: "ALERT_WEBHOOK",
    example: "https://ops.example.com/porchlight",
    fallback: "",
    parse: optional(postAddress),
    help: "Web address that gets the alerts as JSON, signed like the other webhooks. Needs ALERT_WEBHOOK_SECRET.",
  },
  alertSecret: {
    env: "ALERT_WEBHOOK_SECRET",
    example: "a-secret-of-16-characters-or-more",
    fallback: "",
    secret: true,
    parse: text,
    help: "Signs the requests to ALERT_WEBHOOK (Standard Webhooks).",
  },
  identitySecret: {
    env: "IDENTITY_SECRET",
    example: "32-bytes-or-more-of-random-text-0123456789",
    fallback: "",
    secret: true,
    parse: optional(signingSecret),
    help: "Secret of at least 32 bytes. The owner's backend signs visitors' identities with it (JWT, HS256).",
  },
  requireIdentity: {
    env: "REQUIRE_IDENTITY",
    fallback: "false",
    parse: onOff,
    help: "true: visitors need a signed identity.",
  },
  unknownContact: {
    env: "UNKNOWN_CONTACT",
    fallback: "404",
    parse: (given: string) => (oneOf("404", "200")(given) === "404" ? 404 : 200),
    help: "Answer to callbacks for unknown contacts. With 404 the service shows the reply as Failed; use 200 when several programs share the callback address.",
  },
  forwardCallbacks: {
    env: "FORWARD_CALLBACKS",
    example: "https://other.example.com/callback",
    fallback: "",
    parse: optional(postAddress),
    help: "Address of another program on the account. Callbacks for unknown contacts are forwarded to it unchanged, and its answer is returned.",
  },
  allowInsecureService: {
    env: "ALLOW_INSECURE_SERVICE",
    fallback: "false",
    parse: onOff,
    help: "true: the relay may call a service on another machine over plain http. This sends the key unencrypted.",
  },
  siteTitle: {
    env: "SITE_TITLE",
    example: "Chat with us",
    words: true,
    fallback: "",
    parse: text,
    help: "Title of the chat of the site `default`.",
  },
  configFile: {
    env: "PORCHLIGHT_CONFIG",
    example: "/etc/porchlight/sites.json",
    fallback: "",
    parse: text,
    help: 'JSON file for several sites and accounts. Secrets in it are "env:NAME" or "file:PATH".',
  },
} as const satisfies Record<string, Field<unknown>>;

/** The table's rows, by the names that `Values` has. */
export const FIELDS: readonly (readonly [keyof Values, Field<unknown>])[] = Object.entries(TABLE) as [
  keyof Values,
  Field<unknown>,
][];

/** A valid line of an environment file for this setting. */
export const exampleLine = ({ env, example, fallback }: Field<unknown>): string => `${env}=${example ?? fallback}`;

/** Every setting, parsed. */
export type Values = { [K in keyof typeof TABLE]: ReturnType<(typeof TABLE)[K]["parse"]> };

/** The settings for the guide and for `porchlight help`. */
export const settingsHelp = (): { env: string; fallback: string; help: string }[] =>
  Object.values(TABLE).map(({ env, fallback, help }) => ({ env, fallback, help }));
