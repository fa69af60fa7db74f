import type { Account } from "../base/config.ts";
import { newSecret } from "../base/sign.ts";
import { type Answer, createTransport } from "../service/http.ts";
import { type Outcome, outcomeOf } from "../service/outcome.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, ill, well } from "./finding.ts";

/** Nobody's address: this top-level domain is reserved (RFC 2606), so the look-up finds no one and changes nothing. */
const PROBE = { email: "probe@porchlight.invalid" };
const SKEW_MAX_MS = 60_000;

const CURES: Partial<Record<Outcome["kind"], string>> = {
  config: "Paste the key from Settings > Account > API Key; check that the address ends in /v1.",
  edge: "Something before the service blocks this machine: ask its support to allow this address.",
  throttle: "The account waits: paste another key if this one is refused; after too many calls try again in a minute.",
};

/** The same look-up with a key that nobody has: the service refuses it, any other address does not know it for a key. */
async function askWithWrongKey({ settings }: CommandContext, { url }: Account): Promise<Answer> {
  const allowInsecure = settings.allowInsecureService;
  const service = createTransport({ baseUrl: url, key: newSecret, allowInsecure, connections: 1 });
  const answer = await service.call({ method: "GET", path: "/contacts", query: PROBE, auth: "query" });
  await service.close();
  return answer;
}

const said = ({ status, message }: Outcome): string => `${status === 0 ? "no answer" : status}: ${message}`;

/**
 * Whether the service takes the account's key. A look-up that finds nobody leaves nothing behind (C21), but its 404 looks
 * the same as that of an address without the service: so a wrong key must be refused there. The look-up waits for its
 * turn like every call with this key.
 */
async function key(context: CommandContext, { id, url }: Account, stranger: Answer): Promise<Finding> {
  const check = `key of account ${id}`;
  if (context.keys.of(id) === "")
    return ill(check, "there is none", "Set SERVICE_API_KEY, or the account's key in PORCHLIGHT_CONFIG.");
  const answer = await context.contacts.find(id, PROBE);
  if (answer.kind !== "ok")
    return ill(check, said(answer), CURES[answer.kind] ?? "Check SERVICE_URL, DNS and the firewall.");
  const refusal = outcomeOf(stranger, false, context.clock.now());
  if ([401, 403].includes(refusal.status)) return well(check, `${url} takes it`);
  return ill(
    check,
    `${url} does not refuse a wrong key either (${said(refusal)}), so it is not the messaging service's base address`,
    "Set SERVICE_URL to the base address that the service names: it ends in /v1, with nothing behind.",
  );
}

/** Our clock beside the service's own, as the Date header of its answer tells it. */
function clockOf({ clock }: CommandContext, { id }: Account, answer: Answer): Finding {
  const check = `clock beside account ${id}`;
  const theirs = Date.parse(answer.phase === "answered" ? String(answer.headers.date) : "");
  if (Number.isNaN(theirs)) return well(check, "the service does not tell its time");
  const skew = Math.round((clock.now() - theirs) / 1_000);
  return Math.abs(skew) * 1_000 <= SKEW_MAX_MS
    ? well(check, `${skew} s apart`)
    : ill(check, `${skew} s apart`, "Set this machine's clock: signed identities and webhooks would be refused.");
}

/** What `doctor` finds at the service of one account: address, key and clock. */
export async function accountFindings(context: CommandContext, account: Account): Promise<Finding[]> {
  const stranger = await askWithWrongKey(context, account);
  return [await key(context, account, stranger), clockOf(context, account, stranger)];
}
