import { chatsFor } from "../chat-capacity.ts";
import type { Env, SettingInForce } from "./shape.ts";
import { FIELDS } from "./table.ts";

/** Settings whose values are secrets, email addresses, or addresses that may hold a password. */
const SECRET = /KEY|SECRET|TOKEN|_URL$|SMTP|MAIL|WEBHOOK|FORWARD|BACKUP_TO|MEDIA_STORE/;
/** Addresses without a password: the relay's own, and the service's, whose key is a setting of its own. */
const SHOWN = new Set(["PUBLIC_URL", "SERVICE_URL"]);
/** Secrets that the relay generates when they are not set. */
const GENERATED = new Set(["CALLBACK_SECRET", "ADMIN_TOKEN"]);
/** Settings of the only site and account. A configuration file replaces them. */
const REPLACED_BY_FILE = new Set([
  ...["SERVICE_URL", "SERVICE_API_KEY", "SERVICE_API_KEY_FILE"],
  ...["ALLOWED_ORIGINS", "SITE_TITLE", "IDENTITY_SECRET", "REQUIRE_IDENTITY"],
]);
/** Settings that a socket passed by systemd replaces. */
const REPLACED_BY_SOCKET = new Set(["PORT", "HOST"]);

/**
 * The settings of the environment as the relay uses them, in the order of the guide. Secrets are not shown.
 * @param memory bytes that the process may use
 */
export function settingsInForce(env: Env, memory: number): SettingInForce[] {
  const given = (name: string): string => env[name]?.trim() ?? "";
  const hasFile = given("PORCHLIGHT_CONFIG") !== "";
  const hasSocket = Number(env.LISTEN_FDS) >= 1;
  const origin = (name: string, set: boolean): string => {
    if (hasFile && REPLACED_BY_FILE.has(name)) return "not used (configuration file)";
    if (hasSocket && REPLACED_BY_SOCKET.has(name)) return "not used (systemd socket)";
    if (set) return "environment";
    return GENERATED.has(name) ? "secrets.json of the data folder" : "default";
  };
  return FIELDS.map(([, { env: name, fallback, help }]) => {
    const set = given(name) !== "";
    const secret = SECRET.test(name) && !SHOWN.has(name);
    const value = set ? (secret ? "set; not shown" : withoutPassword(given(name))) : fallback;
    const generated = !set && GENERATED.has(name) ? "generated; not shown" : value;
    return { env: name, value: derived(name, generated, { env, memory }), origin: origin(name, set), help };
  });
}

/** A default that depends on another setting, or on the memory that the process may use. */
function derived(name: string, value: string, { env, memory }: { env: Env; memory: number }): string {
  if (value !== "") return value;
  if (name === "SOCKETS_TOTAL") return String(chatsFor(memory));
  return name === "DATABASE_URL" ? `sqlite:${env.DATA_DIR?.trim() || "./data"}/porchlight.db` : value;
}

/** An address without the password in it. */
function withoutPassword(value: string): string {
  if (!URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.password === "") return value;
  url.password = "***";
  return url.href;
}
