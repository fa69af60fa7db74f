import { statSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "@porchlight/shared/id";
import { isLoopbackUrl } from "@porchlight/shared/loopback";
import { availableMemory, chatCapacity, chatLimitReason, megabytesOf } from "../base/chat-capacity.ts";
import { freeSpace, MAKE_ROOM } from "../base/disk-space.ts";
import { openRedisLink } from "../bus/links.ts";
import { isShared } from "../db/database-url.ts";
import { POSTGRES_NOW } from "../db/postgres-clock.ts";
import { placeOf } from "../db/postgres-server.ts";
import { tryWriting } from "../db/writable.ts";
import { eventsPage, troubledEvent } from "../records/events.ts";
import { leadTroubles } from "../records/leads.ts";
import { countStates, type LedgerKind, stuckEntries } from "../records/ledger/ledger.ts";
import { isDistrusted } from "../records/ledger/restored.ts";
import { checkAccount } from "./account.ts";
import { checkBudgets } from "./budgets.ts";
import type { Command } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, failed, passed, report } from "./finding.ts";
import { checkMailServer } from "./mail.ts";
import { checkCallbackAddress, checkFiles, listCallbackAddresses } from "./reachability.ts";

/** Checks that the database accepts writes. */
export async function checkDatabase({ db, settings }: Pick<CommandContext, "db" | "settings">): Promise<Finding> {
  const { databaseUrl } = settings;
  const isServer = isShared(databaseUrl);
  const where = isServer ? `PostgreSQL at ${placeOf(databaseUrl)}` : databaseUrl;
  const cure = isServer
    ? "Check that it runs, that its disk has room, and that the user of `DATABASE_URL` may write."
    : "Make room on that disk, and check that the relay's user may write there.";
  try {
    await tryWriting(db);
    return passed("database", `${where} accepts writes`);
  } catch (error) {
    return failed("database", `${where} accepts no writes: ${String(error)}`, cure);
  }
}

/**
 * Most difference (ms) between the clocks of this machine and of PostgreSQL. A node finds what others stored without a hint if
 * their clocks differ by less than 15 s.
 */
const SKEW_MAX_MS = 10_000;

/** Compares this machine's clock with PostgreSQL's, which is the same for all nodes. No finding while it does not answer. */
export async function checkNodeClock({ db, clock }: Pick<CommandContext, "db" | "clock">): Promise<Finding[]> {
  if (db.dialect === "sqlite") return [];
  const check = "clock beside PostgreSQL";
  const begin = clock.now();
  const [row] = await db.all<{ at: number }>(`SELECT ${POSTGRES_NOW} AS at`).catch(() => []);
  if (row === undefined) return [];
  const skew = (begin + clock.now()) / 2 - row.at;
  const found = `${Math.round(skew / 1_000)} s apart`;
  const cure =
    "Set the clocks of all nodes and of PostgreSQL, for example with NTP: nodes compare the times of messages.";
  return [Math.abs(skew) <= SKEW_MAX_MS ? passed(check, found) : failed(check, found, cure)];
}

const HINTS = "hints between nodes";

/** Checks that hints of other nodes can arrive: LISTEN needs a direct connection to PostgreSQL. */
export async function checkHints({ db, settings }: Pick<CommandContext, "db" | "settings">): Promise<Finding[]> {
  if (db.dialect === "sqlite") return [];
  if (settings.redisUrl !== undefined) return [await checkRedis(settings.redisUrl)];
  if (!db.pooled) return [passed(HINTS, "PostgreSQL carries them")];
  const found = "DATABASE_URL leads to a pooler such as PgBouncer: nodes may learn of news only every 2 s";
  return [failed(HINTS, found, "Set `REDIS_URL`, or let `DATABASE_URL` lead to PostgreSQL itself.")];
}

/** How long a hint may take to come back from Redis, in milliseconds. */
const HINT_MS = 2_000;

/** Sends a text to Redis, as a node does, and waits until it comes back. Nodes ignore it: it has no MAC. */
async function checkRedis(url: string): Promise<Finding> {
  let problem = `no text came back within ${HINT_MS / 1_000} s`;
  const link = await openRedisLink(url, {
    onState: (state, cause) => {
      if (state === "lost") problem = String(cause);
    },
  });
  const text = `doctor ${randomId(12)}`;
  const isBack = await new Promise<boolean>((resolve) => {
    link.onText((received) => received === text && resolve(true));
    link.send(text);
    setTimeout(() => resolve(false), HINT_MS);
  });
  await link.close();
  if (isBack) return passed(HINTS, "Redis carries them (REDIS_URL)");
  const cure =
    "Check `REDIS_URL`, that the server runs, and that its user may use the channel (`ACL SETUSER <user> &porchlight`). Until then, nodes learn of news only every 2 s.";
  return failed(HINTS, `Redis does not carry them: ${problem}`, cure);
}

/** Says how many chats may be open, and whether the memory is enough for the number that the owner chose. */
export function checkChats({ settings }: Pick<CommandContext, "settings">, memory = availableMemory()): Finding {
  const { socketsTotal } = settings;
  const check = "open chats";
  const found = `${socketsTotal === 0 ? "no limit" : `at most ${socketsTotal}`} (${chatLimitReason(settings)})`;
  const enough = chatCapacity(memory);
  if (settings.socketsTotalFrom !== "SOCKETS_TOTAL" || (socketsTotal > 0 && socketsTotal <= enough))
    return passed(check, found);
  const more = socketsTotal === 0 ? "" : ", or give the relay more memory";
  const cure = `Remove \`SOCKETS_TOTAL\`, or set it to at most ${enough}${more}.`;
  return failed(check, `${found}; ${megabytesOf(memory)} MB of memory are enough for ${enough}`, cure);
}

async function checkDisk({ settings }: CommandContext): Promise<Finding> {
  const { megabytes, isEnough } = await freeSpace(settings.dataDir);
  const free = `${megabytes} MB free in ${settings.dataDir}`;
  return isEnough ? passed("disk", free) : failed("disk", free, MAKE_ROOM);
}

function checkSecrets({ settings }: CommandContext): Finding {
  const file = join(settings.dataDir, "secrets.json");
  const mode = statSync(file).mode & 0o077;
  return mode === 0
    ? passed("secrets", `${file} is readable by its owner only`)
    : failed("secrets", `${file} is readable by others`, `\`chmod 600 ${file}\``);
}

function checkOrigins({ settings }: CommandContext): Finding[] {
  return settings.sites.map(({ public: { id }, origins }) => {
    const plain = origins.filter((origin) => origin.startsWith("http:") && !isLoopbackUrl(origin));
    const check = `origins of site ${id}`;
    if (origins.length === 0)
      return failed(
        check,
        "none: only the relay's own pages may open the chat",
        "Set `ALLOWED_ORIGINS` to your pages' origins; the log names each refused origin (`origin.refused`).",
      );
    if (plain.length > 0)
      return failed(
        check,
        `${plain.join(", ")} is plain http`,
        `Serve ${plain.map((origin) => `\`${origin}\``).join(", ")} over https.`,
      );
    return passed(check, origins.join(", "));
  });
}

/**
 * HTTPS needs a proxy in front of the relay. If TRUST_PROXY does not count the proxy, all visitors seem to have its address.
 */
function checkProxies({ settings: { publicUrl = "", trustProxy } }: CommandContext): Finding[] {
  const check = "proxy";
  if (!publicUrl.startsWith("https:")) return [];
  return [
    trustProxy > 0
      ? passed(check, `TRUST_PROXY=${trustProxy}`)
      : failed(
          check,
          "TRUST_PROXY is 0: all visitors seem to come from the proxy, and share its limits",
          "Set `TRUST_PROXY` to the number of proxies in front of the relay, usually 1.",
        ),
  ];
}

/** A webhook event that still waits after this number of tries is a problem. A single try may have met a restart of the backend. */
const TROUBLED_TRIES = 2;

/** Checks whether webhook events have failed, or still wait after several tries. */
async function checkWebhooks({ db, settings }: CommandContext): Promise<Finding[]> {
  const sites = settings.sites.filter(({ webhook }) => webhook !== undefined);
  return Promise.all(
    sites.map(async ({ public: { id } }) => {
      const check = `webhook of site ${id}`;
      const [event] = await eventsPage(db, { site: id, state: "failed", limit: 1 });
      const waiting = event === undefined ? await troubledEvent(db, id, TROUBLED_TRIES) : undefined;
      if (waiting !== undefined)
        return failed(
          check,
          `${waiting.type} was not accepted in ${waiting.attempts} tries (${waiting.status || waiting.problem}), and is tried again`,
          "The page Webhooks, or `porchlight webhooks`, shows why. Correct your backend, or the address of the webhook.",
        );
      if (event === undefined) return passed(check, "no event has failed");
      const found = `${event.type} was not accepted (${event.status || event.problem})`;
      return failed(
        check,
        found,
        "The page Webhooks, or `porchlight webhooks --state failed`, shows why. Correct your backend, then run `porchlight webhooks retry`.",
      );
    }),
  );
}

const REFUSED_MS = 7 * 86_400_000;

/** Checks whether the service refused leads. */
async function checkLeads({ db, clock, settings }: CommandContext): Promise<Finding[]> {
  return Promise.all(
    settings.sites.map(async ({ public: { id } }) => {
      const check = `leads of site ${id}`;
      const { refused, waiting, problem } = await leadTroubles(db, id, clock.now() - REFUSED_MS);
      const found = `${refused} refused within a week, ${waiting} delayed by the service`;
      if (refused + waiting === 0) return passed(check, found);
      const cure =
        "The page Leads, or `porchlight leads`, shows them. Correct `leads.lists` or the contact, then run `porchlight leads retry`.";
      return failed(check, `${found} (${problem})`, cure);
    }),
  );
}

const TRUST =
  "Compare `porchlight credits list` with the service's credit history, then run `porchlight credits trust`.";

/** Checks for grants and sent messages that wait for a person. */
async function checkLedger({ db, clock }: CommandContext): Promise<Finding[]> {
  const findingOf = async (kind: LedgerKind, check: string, cureFor: (unknown: number) => string): Promise<Finding> => {
    const { unknown = 0, refused = 0, received = 0, intent = 0 } = await countStates(db, kind);
    const found = `${unknown} unknown, ${refused} refused, ${received} waiting for approval, ${intent} queued`;
    const [oldest] = await stuckEntries(db, { kind, now: clock.now(), limit: 1 });
    if (oldest === undefined) return passed(check, found);
    const since = new Date(oldest.created).toISOString();
    return failed(
      check,
      `${found}; stuck since ${since}: ${oldest.key} (${oldest.reason ?? "not called yet"})`,
      cureFor(unknown),
    );
  };
  const restored = await isDistrusted(db);
  return [
    ...(restored
      ? [failed("restored backup", "credits wait: the ledger lacks the keys granted since the backup", TRUST)]
      : []),
    await findingOf(
      "grant",
      "credit ledger",
      () =>
        "Decide on the page Ledger, or list them with `porchlight credits list`, then `porchlight credits resolve`, `approve` or `dismiss`.",
    ),
    await findingOf("send", "sent messages", (unknown) =>
      unknown > 0
        ? "Look up the unknown messages at the service, then run `porchlight send resolve <key> --site <site>`."
        : "The relay sends them when the service accepts them: see the check of the account's key.",
    ),
  ];
}

/** Whether a relay runs. If one does, its settings are checked, otherwise those of the shell. */
function checkRelay({ running, settings: { dataDir, port } }: CommandContext): Finding {
  const check = "relay";
  return running
    ? passed(check, `process ${process.pid} runs on ${dataDir}, port ${port}`)
    : failed(
        check,
        `none runs on ${dataDir}: the checks use the shell's environment`,
        "Start the relay: `npm run serve`.",
      );
}

/** Makes all checks. */
export async function examine(context: CommandContext): Promise<Finding[]> {
  const { accounts } = context.settings;
  return [
    checkRelay(context),
    passed("settings", "all are valid"),
    await checkDatabase(context),
    ...(await checkNodeClock(context)),
    ...(await checkHints(context)),
    await checkDisk(context),
    checkChats(context),
    checkSecrets(context),
    ...(await Promise.all(accounts.map((account) => checkAccount(context, account)))).flat(),
    await checkCallbackAddress(context),
    ...listCallbackAddresses(context),
    ...(await checkFiles(context)),
    ...checkProxies(context),
    ...checkOrigins(context),
    ...(await checkWebhooks(context)),
    ...(await checkLeads(context)),
    ...(await checkMailServer(context)),
    ...(await checkBudgets(context)),
    ...(await checkLedger(context)),
  ];
}

export const DOCTOR: Record<string, Command> = {
  doctor: {
    usage: "",
    help: "checks settings, data, keys, clock, callback address, files and origins; exit code 3 when something must be corrected",
    run: async (context) => report(await examine(context)),
    unopened: ({ why, cure }) => report([passed("settings", "all are valid"), failed("data", why, cure)]),
  },
};
