import { lookup } from "node:dns/promises";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { BlockList, isIPv6 } from "node:net";
import { join } from "node:path";
import { randomId } from "@porchlight/shared/id";
import { isLoopbackUrl } from "@porchlight/shared/loopback";
import { newestCallback } from "../records/listings.ts";
import { addMedia, deleteMediaRow, disownFile } from "../records/media.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, failed, passed } from "./finding.ts";

const TIMEOUT_MS = 10_000;

/** The result of a request: the response, or why there was none. */
type Fetched = { response: Response } | { why: string };

/** Requests an address without credentials, and follows no redirect. */
const request = (url: string): Promise<Fetched> =>
  fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    (response) => ({ response }),
    (error: Error & { cause?: { code?: string } }) => ({ why: error.cause?.code ?? error.name }),
  );

/** Private, link-local and loopback networks (RFC 1918, 4193, 3927, 4291, 6598). */
const PRIVATE_NETWORKS = new BlockList();
for (const [net, bits] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
] as const)
  PRIVATE_NETWORKS.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["fc00::", 7],
  ["fe80::", 10],
  ["::1", 128],
] as const)
  PRIVATE_NETWORKS.addSubnet(net, bits, "ipv6");

/** Why the service cannot reach this address, as far as its scheme and its DNS entry show; `undefined` otherwise. */
async function unreachable(publicUrl: string): Promise<[found: string, cure: string] | undefined> {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === "http:")
    return [
      `${publicUrl} is plain http: the secret in it could be read on the way`,
      "Put a proxy with HTTPS in front, and set `PUBLIC_URL` to the https address.",
    ];
  const host = hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => String(error.code));
  if (typeof found === "string") return [`${host} has no address (${found})`, `Add \`${host}\` to your DNS.`];
  const isPrivate = found.every(({ address }) => PRIVATE_NETWORKS.check(address, isIPv6(address) ? "ipv6" : "ipv4"));
  if (!isPrivate) return undefined;
  const addresses = found.map(({ address }) => address).join(", ");
  return [
    `${host} is ${addresses}: only machines of a private network reach that`,
    `Let the DNS entry of \`${host}\` name a public address.`,
  ];
}

/** The time of the last callback: only it proves that the service reaches the relay. */
async function lastCall({ db, clock }: CommandContext): Promise<string> {
  const at = await newestCallback(db);
  if (at === undefined) return "the service has sent no callback yet";
  return `the service's last reply came ${Math.max(0, Math.round((clock.now() - at) / 60_000))} min ago`;
}

/** With several accounts, each has its own callback address. They contain a secret, so this output does not show them. */
export function listCallbackAddresses({ settings: { accounts } }: CommandContext): Finding[] {
  if (accounts.length === 1) return [];
  const all = accounts.map(({ id }) => id).join(", ");
  return [
    passed("callback addresses", `each of ${all} has its own address, ending in ?account=; porchlight site shows them`),
  ];
}

/** Checks that the callback address leads to this relay. */
export async function checkCallbackAddress(context: CommandContext): Promise<Finding> {
  const check = "callback address";
  const { publicUrl } = context.settings;
  if (publicUrl === undefined)
    return failed(
      check,
      "PUBLIC_URL is not set",
      "Set `PUBLIC_URL` to the address at which the service can reach this relay.",
    );
  const local = isLoopbackUrl(publicUrl);
  const hidden = local ? undefined : await unreachable(publicUrl);
  if (hidden !== undefined) return failed(check, ...hidden);
  const answer = await request(`${publicUrl}/callbacks/reply/${context.callbackSecret}`);
  if ("why" in answer)
    return failed(
      check,
      `${publicUrl} does not answer (${answer.why})`,
      "Start the relay, point the proxy at its port, and check the certificate and the firewall.",
    );
  const { status } = answer.response;
  // Only a relay with this secret gives this answer.
  if (status === 200 && (await answer.response.text()) === "ok")
    return local
      ? failed(
          check,
          `${publicUrl} answers, but is an address of this machine only`,
          "Set `PUBLIC_URL` to a public https address.",
        )
      : passed(check, `${publicUrl} answers; ${await lastCall(context)}`);
  return failed(
    check,
    `${publicUrl} answers ${status}, unlike this relay`,
    "Let the proxy forward `/callbacks/` unchanged, without a login or a redirect, to the relay with this `DATA_DIR` or `CALLBACK_SECRET`.",
  );
}

const PROBE = "Written by porchlight doctor, which deletes it again.";

/** Stores a file, fetches it by its link as the service does, and deletes it (C4). */
export async function checkFiles(context: CommandContext): Promise<Finding[]> {
  const { db, clock, files, settings, linkTo } = context;
  const key = randomId();
  const row = { key, name: "probe.txt", type: "text/plain", size: PROBE.length, width: null, height: null };
  const about = { visitor: "doctor", site: settings.sites[0]?.public.id ?? "", now: clock.now() };
  const folder = join(settings.dataDir, `doctor-${key}`);
  try {
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, "probe"), PROBE, { mode: 0o600 });
    await db.transaction((tx) => addMedia(tx, { ...row, ...about }));
    await files.put(key, join(folder, "probe"), row.type);
    const where = settings.uploads.bucket === undefined ? settings.dataDir : "the bucket of MEDIA_STORE";
    return [passed("file store", `${where} accepts files`), ...(await fetchByLink(context, linkTo(key, row.type)))];
  } catch (error) {
    return [failed("file store", String(error), "Check `MEDIA_STORE` and its key, or that `DATA_DIR` is writable.")];
  } finally {
    await rm(folder, { recursive: true, force: true });
    await removeProbe(context, key);
  }
}

/** Deletes the file and its row. If the disk is full, the sweep of unused files does it later. */
async function removeProbe({ db, files }: CommandContext, key: string): Promise<void> {
  await db.transaction((tx) => disownFile(tx, key)).catch(() => undefined);
  await files.remove(key).catch(() => undefined);
  await db.transaction((tx) => deleteMediaRow(tx, key)).catch(() => undefined);
}

async function fetchByLink({ settings }: CommandContext, path: string): Promise<Finding[]> {
  const check = "media links";
  const { publicUrl, uploads } = settings;
  if (publicUrl === undefined) return [];
  const cure = `Let the proxy forward \`/media/\` unchanged, without a login${uploads.embed ? "" : ", or set `MEDIA_MODE=embed`"}.`;
  const answer = await request(`${publicUrl}${path}`);
  if ("why" in answer)
    return [
      failed(
        check,
        `${publicUrl}/media/ does not answer (${answer.why})`,
        "Correct the callback address first: links to files begin with the same `PUBLIC_URL`.",
      ),
    ];
  const { status, headers } = answer.response;
  const whole = status === 200 && (await answer.response.text()) === PROBE;
  if (!whole) return [failed(check, `${publicUrl}/media/ answers ${status} instead of the file`, cure)];
  const type = headers.get("content-type") ?? "";
  return type.startsWith("text/plain")
    ? [passed(check, `a test file came back complete from ${publicUrl}/media/`)]
    : [
        failed(
          check,
          `a text file came back as "${type}"`,
          "Let the proxy forward the `Content-Type` header unchanged.",
        ),
      ];
}
