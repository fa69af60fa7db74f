import type { Account } from "../base/config.ts";
import { newSecret } from "../base/sign.ts";
import { type Answer, createTransport } from "../service/http.ts";
import { type Outcome, outcomeOf } from "../service/outcome.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, failed, passed } from "./finding.ts";

/** An address that cannot exist (RFC 2606), so the look-up finds no contact and changes nothing. */
const PROBE = { email: "probe@porchlight.invalid" };
const SKEW_MAX_MS = 60_000;

const CURES: Partial<Record<Outcome["kind"], string>> = {
  config: "Paste the key from Settings > Account > API Key; check that the address ends in `/v1`.",
  edge: "A proxy before the service blocks this machine: ask the service's support to allow this address.",
  throttle:
    "The account is on hold. If the key is refused, paste another one; after too many calls, try again in a minute.",
};

/** Makes the same look-up with a random key. The service refuses it; any other server does not. */
async function askWithWrongKey({ settings }: CommandContext, { url }: Account): Promise<Answer> {
  const allowInsecure = settings.allowInsecureService;
  const service = createTransport({ baseUrl: url, key: newSecret, allowInsecure, connections: 1 });
  const answer = await service.call({ method: "GET", path: "/contacts", query: PROBE, auth: "query" });
  await service.close();
  return answer;
}

const describe = ({ status, message }: Outcome): string => `${status === 0 ? "no answer" : status}: ${message}`;

/**
 * Checks whether the service accepts the account's key. A look-up without a result changes nothing (C21), but its 404 looks
 * like the 404 of any other server, so the server must also refuse a wrong key. The look-up respects the account's rate
 * limit.
 */
async function key(context: CommandContext, { id, url }: Account, stranger: Answer): Promise<Finding> {
  const check = `key of account ${id}`;
  if (context.keys.of(id) === "")
    return failed(check, "no key is set", "Set `SERVICE_API_KEY`, or the account's key in `PORCHLIGHT_CONFIG`.");
  const answer = await context.contacts.find(id, PROBE);
  if (answer.kind !== "ok")
    return failed(check, describe(answer), CURES[answer.kind] ?? "Check `SERVICE_URL`, DNS and the firewall.");
  const refusal = outcomeOf(stranger, false, context.clock.now());
  if ([401, 403].includes(refusal.status)) return passed(check, `${url} accepts it`);
  return failed(
    check,
    `${url} does not refuse a wrong key either (${describe(refusal)}), so it is not the messaging service's base address`,
    "Set `SERVICE_URL` to the base address that the service names: it ends in `/v1`.",
  );
}

/** Compares this machine's clock with the Date header of the service's answer. */
function clockOf({ clock }: CommandContext, { id }: Account, answer: Answer): Finding {
  const check = `clock beside account ${id}`;
  const theirs = Date.parse(answer.phase === "answered" ? String(answer.headers.date) : "");
  if (Number.isNaN(theirs)) return passed(check, "the service sends no Date header");
  const skew = Math.round((clock.now() - theirs) / 1_000);
  return Math.abs(skew) * 1_000 <= SKEW_MAX_MS
    ? passed(check, `${skew} s apart`)
    : failed(check, `${skew} s apart`, "Set this machine's clock: signed identities and webhooks would be refused.");
}

/** Checks address, key and clock of one account's service. */
export async function accountFindings(context: CommandContext, account: Account): Promise<Finding[]> {
  const stranger = await askWithWrongKey(context, account);
  return [await key(context, account, stranger), clockOf(context, account, stranger)];
}
