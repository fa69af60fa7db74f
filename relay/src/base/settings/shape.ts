import type { PublicSite } from "@porchlight/shared/site";
import type { BusinessLabel } from "../id-types.ts";
import type { CreditRules, GuardRules, LeadRules, RouteRule, WebhookRules } from "../rules.ts";

/** One account at the service: where it is, and how fast it may be asked. Its key is read when needed, see `keys`. */
export type Account = {
  id: string;
  /** Base address, ends in `/v1` (R-001). */
  url: string;
  key: KeySource;
  /** Calls per minute to start with; learned from then on (R-801). */
  rate: number;
  credits?: CreditRules;
};

/** Where a key stands: in a file that is read again while running, or given once. */
export type KeySource = { value: string } | { file: string } | undefined;

/** A tenant: its look, who may use it, and where its messages go. */
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
  /** A message whose campaign the service refuses goes once more without it, instead of failing (R-105). */
  campaignFallback?: boolean;
  leads?: LeadRules;
  webhook?: WebhookRules;
  /** Who judges newcomers. */
  guard?: GuardRules;
  /** Messages of its visitors that go to the service on one day (UTC); absent: as many as come. */
  messagesPerDay?: number;
  /** Forms that it takes on one day (UTC); absent: as many as come. */
  leadsPerDay?: number;
  /** Whether its visitors may get mail. */
  mail?: boolean;
  /** Who answers which conversation, before `campaign`. */
  routes?: readonly RouteRule[];
  /** How the owner signs identities: a secret that both know, or the address or file of public keys (JWKS). */
  identity?: { secret: string } | { jwks: string };
  /** Nobody is let in without one. */
  requireIdentity?: boolean;
};

/** A bucket of a store that speaks the S3 protocol. */
export type Bucket = {
  /** Scheme and host. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Put before every key; empty, or ends in a slash. */
  prefix: string;
  keyId: string;
  secret: string;
};

/** What visitors may upload. */
export type UploadRules = {
  /** Largest file per kind, in bytes; 0: none of that kind. */
  caps: { image: number; av: number; document: number };
  /** Bytes that one visitor, and all visitors of a site, may have stored. */
  quota: { visitor: number; site: number };
  /** Uploads of one address; 0: as many as it likes. */
  perMinute: number;
  /** Whether the service is given links to files, or the files themselves. */
  embed: boolean;
  /** Where files lie, when not on this machine's disk. */
  bucket?: Bucket;
};

/** Where mail to visitors leaves from, and how long they have been away before (milliseconds). */
export type MailRules = { url: string; from: string; after: number };

export type Settings = {
  port: number;
  host: string;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string;
  /** Number of proxies in front whose `X-Forwarded-For` entry is believed, counted from the right. */
  trustProxy: number;
  logLevel: string;
  callbackSecrets: readonly string[];
  /** Addresses and blocks that callbacks may come from; none: from anywhere (R-505). */
  callbackAllow: readonly string[];
  adminToken: string | undefined;
  /** Plain http to a service that is not on this machine. */
  allowInsecureService: boolean;
  /** Milliseconds after which an undelivered message fails visibly. */
  horizon: number;
  /** Messages that one visitor may send a minute; 0: as many as they like. */
  messagesPerMinute: number;
  /** Connections that one address may hold; 0: as many as it likes. */
  socketsPerAddress: number;
  /** What one address may do on one site; 0: as much as it likes. */
  perAddress: { messages: number; visitors: number; leads: number; sessions: number; uploads: number };
  /** Connections of all addresses together; 0: no limit. */
  socketsTotal: number;
  uploads: UploadRules;
  /** Absent: no mail. */
  mail: MailRules | undefined;
  /** A listening socket that was handed over, as its file descriptor. */
  listenFd: number | undefined;
  /** Status for replies to somebody this relay does not know (R-612). */
  unknownContact: 200 | 404;
  /** Where those replies go on to (C27). */
  forwardCallbacks: string | undefined;
  accounts: readonly Account[];
  sites: readonly Site[];
};

/** Sites and accounts, from wherever they are described. */
export type Tenants = Pick<Settings, "accounts" | "sites">;

/** The process's environment. */
export type Env = Record<string, string | undefined>;
