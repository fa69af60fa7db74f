import type { PublicSite } from "@porchlight/shared/site";
import type { BusinessLabel } from "../id-types.ts";
import type { CreditRules, GuardRules, LeadRules, RetentionRules, RouteRule, WebhookRules } from "../rules.ts";

/** An account at the service. Its key is read when needed, see `keys.ts`. */
export type Account = {
  id: string;
  /** Base address, ends in `/v1` (R-001). */
  url: string;
  key: KeySource;
  /** Initial calls per minute; the relay learns the real limit (R-801). */
  rate: number;
  credits?: CreditRules;
  /** Names of the fields that the configuration file sets. */
  fromFile?: readonly string[];
};

/** The source of a key: a value, or a file that is read again while the relay runs. */
export type KeySource = { value: string } | { file: string } | undefined;

/** A site: its settings, its origins, and the account that gets its messages. */
export type Site = {
  public: PublicSite;
  account: string;
  /** Exact origins, or `https://*.example.com` for every subdomain. */
  origins: readonly string[];
  /** Label of this channel at the service (R-228). */
  channel: string;
  /** Business label of incoming messages (R-227). */
  business: BusinessLabel;
  campaign: string | undefined;
  /** Send a message again without its campaign when the service refuses the campaign (R-105). */
  campaignFallback?: boolean;
  leads?: LeadRules;
  webhook?: WebhookRules;
  /** The owner's guard for new visitors. */
  guard?: GuardRules;
  /** Messages to the service on one day (UTC). Default: no limit. */
  messagesPerDay?: number;
  /** Forms on one day (UTC). Default: no limit. */
  leadsPerDay?: number;
  /** Whether visitors can get email. */
  mail?: boolean;
  /** Days after which data is deleted. */
  retention?: RetentionRules;
  /** Rules that select the campaign; `campaign` is the default. */
  routes?: readonly RouteRule[];
  /** How identities are verified: with a shared secret, or with public keys (JWKS) from an address or file. */
  identity?: { secret: string } | { jwks: string };
  /** Whether visitors need a signed identity. */
  requireIdentity?: boolean;
  /** Names of the fields that the configuration file sets. */
  fromFile?: readonly string[];
};

/** A bucket of an S3-compatible store. */
export type Bucket = {
  /** Scheme and host. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prefix of every key: empty, or with a slash at the end. */
  prefix: string;
  keyId: string;
  secret: string;
};

/** What visitors may upload. */
export type UploadRules = {
  /** Largest file of each kind, in bytes; 0: not allowed. */
  caps: { image: number; av: number; document: number };
  /** Stored bytes of one visitor, and of all visitors of a site. */
  quota: { visitor: number; site: number };
  /** Uploads of one IP address in a minute; 0: no limit. */
  perMinute: number;
  /** Whether files are embedded in messages; otherwise the service gets links. */
  embed: boolean;
  /** The bucket that stores files. Default: the data folder. */
  bucket?: Bucket;
};

/** Mail server, sender, and the milliseconds of absence before a mail. The sender's name is empty when none is given. */
export type MailRules = { url: string; from: { name: string; address: string }; after: number };

/** Scheduled backups: where, how often (milliseconds), and how many are kept. */
export type BackupRules = { folder?: string; bucket?: Bucket; every: number; keep: number };

/** Recipients of alerts: an email address, and a web address with the secret that signs requests to it. */
export type AlertRules = { mail?: string; webhook?: { url: string; secret: string } };

/**
 * A setting of the environment as the relay uses it. `value`: text for people, without secrets. `origin`: where the value comes
 * from.
 */
export type SettingInForce = { env: string; value: string; origin: string; help: string };

/** All settings of the relay, parsed and checked. */
export type Settings = {
  /** Reads the settings again, as they are now in the environment and in the configuration file. */
  reread: () => { settings: Settings } | { problems: readonly string[] };
  /** Each setting of the environment with its value and origin, as text for people. */
  inForce: readonly SettingInForce[];
  port: number;
  host: string;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string;
  /** Carries hints between nodes; absent: PostgreSQL carries them, or there is one process. */
  redisUrl: string | undefined;
  /** Number of trusted proxies; see `address.ts`. */
  trustProxy: number;
  logLevel: string;
  callbackSecrets: readonly string[];
  /** Networks that may send callbacks; empty: all (R-505). */
  callbackAllow: readonly string[];
  adminToken: string | undefined;
  /** Whether a service on another machine may be called over plain http. */
  allowInsecureService: boolean;
  /** Milliseconds after which an undelivered message fails. */
  horizon: number;
  /** Messages of one visitor in a minute; 0: no limit. */
  messagesPerMinute: number;
  /** Open chats of one IP address; 0: no limit. */
  socketsPerAddress: number;
  /** Limits of one IP address on one site; 0: no limit. */
  perAddress: { messages: number; visitors: number; leads: number; sessions: number; uploads: number };
  /** Open chats in total; 0: no limit. */
  socketsTotal: number;
  /** What that number follows from: the owner's setting, or the memory that the process may use, in bytes. */
  socketsTotalFrom: "SOCKETS_TOTAL" | { memory: number };
  uploads: UploadRules;
  /** `undefined`: no mail. */
  mail: MailRules | undefined;
  /** Days for which the hourly figures behind the operator's plots are kept. */
  seriesDays: number;
  /** Scheduled backups; `undefined`: none. */
  backups: BackupRules | undefined;
  /** Recipients of alerts. */
  alerts: AlertRules;
  /** Token that opens the admin pages of all sites, read-only. */
  readToken: string | undefined;
  /** Host and port of the admin pages and metrics, when they have a listener of their own. */
  adminListen: { host: string; port: number } | undefined;
  /** File descriptor of a listening socket that systemd passed. */
  listenFd: number | undefined;
  /** Status for callbacks for unknown contacts (R-612). */
  unknownContact: 200 | 404;
  /** Where callbacks for unknown contacts are forwarded to (C27). */
  forwardCallbacks: string | undefined;
  accounts: readonly Account[];
  sites: readonly Site[];
};

/** The accounts and sites, from the environment or from the configuration file. */
export type Tenants = Pick<Settings, "accounts" | "sites">;

/** The process's environment. */
export type Env = Record<string, string | undefined>;
