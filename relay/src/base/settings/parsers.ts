import { isLoopback, isLoopbackUrl } from "@porchlight/shared/loopback";
import addressparser from "nodemailer/lib/addressparser";
import { toSingleLine } from "../input-text.ts";
import { isNet } from "../nets.ts";

/** Parsers of settings. Each returns the value, or throws an Error whose message follows the name of the setting. */

/** Throws an Error with this message, which follows the name of the setting. */
export const problem = (text: string): never => {
  throw new Error(text);
};
/** Any text. */
export const text = (given: string): string => given;
/** A whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (given: string): number => {
    const value = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : problem(`must be a whole number from ${min} to ${max}`);
  };
/** One of these texts. */
export const oneOf =
  <const T extends string>(...all: T[]) =>
  (given: string): T =>
    all.find((one) => one === given) ?? problem(`must be one of ${all.join(", ")}`);
/** The parts of a text that is separated by commas, without blanks around them. Empty parts are left out. */
export const list = (given: string): string[] =>
  given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
/** `true` or `1`, `false` or `0`. */
export const onOff = (given: string): boolean =>
  oneOf("true", "false", "1", "0")(given).startsWith("t") || given === "1";

/** Whether an address has a user or a password. The relay would not send them. */
const hasUser = ({ username, password }: URL): boolean => username !== "" || password !== "";

/** An http or https address without user, query and fragment. Slashes at its end are removed. */
export const webAddress = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : problem("must be an address like https://chat.example.com");
  if (!/^https?:$/.test(url.protocol)) problem("must start with https:// or http://");
  if (hasUser(url) || url.search !== "" || url.hash !== "") problem("must have no user, query or fragment");
  return given.replace(/\/+$/, "");
};
/** The address of the database: `sqlite:` and a path, or `postgres:`. */
export const database = (given: string): string => {
  if (/^sqlite:./.test(given)) return given;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1
    ? given
    : problem("must be sqlite: and the path of a file, or postgres://user:password@host:5432/database");
};
/** Where the nodes of a cluster exchange hints. */
export const redis = (given: string): string =>
  /^rediss?:\/\/[^/]/.test(given) ? given : problem("must be an address like redis://host:6379");
/**
 * Allows plain http only to this machine, because it sends the key unencrypted.
 * @throws Error whose message follows the name of the setting
 */
export function assertPrivate(address: string): void {
  if (!URL.canParse(address) || new URL(address).protocol !== "http:" || isLoopbackUrl(address)) return;
  problem("plain http sends the key unencrypted: use https, or set ALLOW_INSECURE_SERVICE=true");
}
/** The relay's public address, without a path: the paths of pages, files and callbacks are fixed. */
export const rootAddress = (given: string): string => {
  const address = webAddress(given);
  return new URL(address).pathname === "/"
    ? address
    : problem("must have no path: the relay needs a host of its own, like https://chat.example.com");
};
/** An address for POST requests. Path and query may contain a secret, so other machines need https. */
export const postAddress = (given: string): string => {
  const url = URL.canParse(given)
    ? new URL(given)
    : problem("must be an address like https://other.example.com/callback");
  if (hasUser(url) || url.hash !== "") problem("must have no user and no fragment");
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
    ? given
    : problem("must start with https://");
};
/** An origin, or `https://*.example.com` for its subdomains, in lower case. */
export const origin = (given: string): string => {
  const probe = given.replace("://*.", "://wildcard.");
  const ok = /^https?:[^*]*$/i.test(probe) && URL.canParse(probe) && new URL(probe).origin === probe.toLowerCase();
  return ok
    ? given.toLowerCase()
    : problem(`has "${given}", which is not an origin: use scheme and host, like https://www.example.com`);
};
/** An IP address or a network, see `isNet`. */
export const network = (given: string): string =>
  isNet(given) ? given : problem(`has "${given}", which is neither an address nor a network like 192.0.2.0/24`);
/** A secret that can be part of an address. */
export const secret = (given: string): string =>
  /^[A-Za-z0-9_-]{16,128}$/.test(given) ? given : problem("must have 16 to 128 characters of A-Z a-z 0-9 _ - each");
/** A secret that signs identities: HS256 needs as many bytes as its hash has (RFC 7518, section 3.2). */
export const signingSecret = (given: string): string =>
  Buffer.byteLength(given) >= 32
    ? given
    : problem("must have at least 32 bytes: `openssl rand -base64 48` generates one");
/** Megabytes (1024 x 1024 bytes). @returns bytes */
export const megabytes = (given: string): number => wholeNumber(0, 1_000_000)(given) * 1024 * 1024;
/** `s3://bucket/folder?region=…&endpoint=…`. The default endpoint is Amazon's for the region. */
export function bucketOf(given: string): { bucket: string; prefix: string; region: string; endpoint: string } {
  const url = URL.canParse(given) ? new URL(given) : problem("must be like s3://bucket/folder");
  if (url.protocol !== "s3:" || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host))
    problem("must be like s3://bucket");
  const unknown = [...url.searchParams.keys()].find((name) => name !== "region" && name !== "endpoint");
  if (unknown !== undefined) problem(`has the unknown parameter "${unknown}"; allowed are region and endpoint`);
  const folder = url.pathname.replace(/^\/+|\/+$/g, "");
  if (!/^[\w./-]*$/.test(folder)) problem("must have only A-Z a-z 0-9 _ . / - in its folder");
  const region = url.searchParams.get("region") ?? "us-east-1";
  const endpoint = new URL(webAddress(url.searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`));
  if (endpoint.protocol === "http:" && !isLoopback(endpoint.hostname)) problem("must have an https endpoint");
  return { bucket: url.host, prefix: folder === "" ? "" : `${folder}/`, region, endpoint: endpoint.origin };
}
/** `smtp://user:password@host:587`, TLS by STARTTLS; or `smtps://`, TLS from the first byte. */
export const smtp = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : problem("must be like smtp://user:password@mail.example.com:587");
  if (!/^smtps?:$/.test(url.protocol)) problem("must start with smtps:// or smtp://");
  if (url.hostname === "" || url.hash !== "" || url.search !== "" || url.pathname.length > 1)
    problem("must contain only user, password, host and port");
  return given;
};
const isMailbox = (given: string): boolean =>
  given.length <= 254 && /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/.test(given);
/** An email address without a name. */
export const mailbox = (given: string): string =>
  isMailbox(given) ? given : problem("must be an email address like chat@example.com");
/** The sender of mails: an address, or a name and an address in angle brackets (RFC 5322 section 3.4). */
export function sender(given: string): { name: string; address: string } {
  const [found, ...others] = addressparser(given);
  const { name = "", address = "" } = found ?? {};
  const isWhole = given === address || given.endsWith(`<${address}>`);
  return others.length === 0 && isWhole && isMailbox(address)
    ? { name: toSingleLine(name), address }
    : problem("must be an email address, or a name with an address in angle brackets, like Shop <chat@example.com>");
}
const RETAINED = ["conversations", "files", "leads", "mails"] as const;
/** Days by kind of data, like `conversations=365 files=90`. */
export function retention(given: string): Partial<Record<(typeof RETAINED)[number], number>> {
  const parts = given.split(/[\s,]+/).filter((part) => part !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = "", days = ""] = /^(\w+)=(\d{1,5})$/.exec(part) ?? [];
      if (!RETAINED.some((each) => each === name) || Number(days) < 1)
        problem(`has "${part}": use ${RETAINED.map((each) => `${each}=DAYS`).join(" ")}, with at least one day`);
      return [name, Number(days)];
    }),
  );
}
/** Where scheduled backups go: a folder, or a bucket. */
export const backupTo = (given: string): { folder: string } | { place: ReturnType<typeof bucketOf> } =>
  given.startsWith("s3:") ? { place: bucketOf(given) } : { folder: given };
/** A listening address: `host:port`, or a port on this machine only. */
export function listener(given: string): { host: string; port: number } {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(given) ?? [];
  if (port === "" || Number(port) > 65_535) problem("must be like 127.0.0.1:8789, or a port");
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
/** Parses a text, unless it is empty. An empty one becomes `undefined`. */
export const optional =
  <T>(parse: (given: string) => T) =>
  (given: string): T | undefined =>
    given === "" ? undefined : parse(given);
