/** Named sets of option values (BEHAVIOUR 4.11). */

import type { Profile, SandboxConfig } from "./options.ts";

type Values = Partial<SandboxConfig>;

/** The most tolerant value of each option. */
const lenient: Values = {
  rejectUnknownFields: false,
  rechargeFields: "full",
  acceptForm: true,
  coerceTypes: true,
  acceptEitherAuth: true,
  createStatus: 200,
  phoneStrictness: "strip",
  phoneMatch: "digits",
  rawPlusOk: true,
  emailValidation: "off",
  dedupeByEmail: true,
  mergeOnDuplicate: true,
  linkContacts: "email",
  contactUpdateOnIncoming: "overwrite",
  bodyOptionalWithMedia: true,
  unknownMessageType: "text",
  reactionTriggersBot: true,
  allowHttpMedia: true,
  unknownSubaccount: "200false",
};

/** The answers seen in the field (BEHAVIOUR 1). */
const observed: Values = {
  createStatus: 200,
  existingStatus: "soft409",
  createShape: "idOnly",
  lookupShape: "observed",
  errorShape: "observed",
  placeholders: true,
  processingDelayMs: { min: 20, max: 120 },
  rateHeaders: "xEpoch",
  callbackTimeoutMs: 4_000,
};

/** Headers of a 429 in `chaos`: a gateway in front of the service limits the calls per second. */
const BURST = { "Retry-After": "1", "RateLimit-Policy": '"burst";q=20;w=1', RateLimit: '"burst";r=0;t=1' };

/**
 * Random faults on every route, before and after the effect, and callbacks that are duplicated and overtake each other. No
 * `hangRequest`: a client that waits 15 s for each would make every suite take hours.
 */
const chaos: Values = {
  latencyMs: { min: 0, max: 20, p99: 250 },
  processingDelayMs: { min: 0, max: 40 },
  errorRate: [
    { route: "*", rate: 0.04, kind: "status", status: 500, when: "before" },
    { route: "*", rate: 0.03, kind: "status", status: 500, when: "after" },
    { route: "*", rate: 0.02, kind: "status", status: 503, when: "before" },
    { route: "*", rate: 0.02, kind: "resetConnection", when: "before" },
    { route: "*", rate: 0.02, kind: "resetConnection", when: "after" },
    { route: "*", rate: 0.01, kind: "htmlError", status: 502, when: "after" },
    { route: "*", rate: 0.01, kind: "truncateJson", when: "after" },
    { route: "*", rate: 0.01, kind: "cutBody", when: "after" },
    { route: "*", rate: 0.01, kind: "status", status: 429, headers: BURST, when: "before" },
    { route: "*", rate: 0.01, kind: "delay", ms: 400, when: "after" },
  ],
  duplicateCallbacks: 0.1,
  shuffleCallbacks: true,
  callbackRetries: 3,
  callbackBackoffMs: 50,
  retryOn: "any",
};

export const PROFILES: Record<Profile, Values> = { strict: {}, lenient, observed, chaos };
