import type { Account } from "../base/config.ts";
import { newSecret } from "../base/sign.ts";
import { type Answer, createTransport } from "../service/http.ts";
import { type Outcome, outcomeOf } from "../service/outcome.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, failed, passed } from "./finding.ts";

/** An address that cannot exist (RFC 2606), so the look-up finds no contact and changes nothing. */
const PROBE = { email: "probe@porchlight.invalid" };
const SKEW_MAX_MS = 60_000;

const MESSAGES_WAIT =
  "Visitors lose nothing: their messages wait, and the relay sends them when the service works again.";
const UNREACHED = `${MESSAGES_WAIT} If it works for others, check \`SERVICE_URL\`, and DNS and the firewall of this machine.`;
const FAILING = `${MESSAGES_WAIT} Ask the service's support how long the failure will last.`;
const SLOWED = `${MESSAGES_WAIT} The relay waits before its next call, because the service limited or failed earlier calls. Check again in a minute.`;
const BASE_ADDRESS = "Set `SERVICE_URL` to the base address that the service names: it ends in `/v1`.";
const ADDRESS =
  "Check that the address ends in `/v1` and that the key has all rights. If both are right, a proxy in front of the service blocks this machine: ask the service's support to allow its address.";

/** Says where to put an account's new key, and when it takes effect. */
function replaceKey({ key, fromFile }: Account): string {
  const file = key !== undefined && "file" in key ? key.file : undefined;
  const place =
    fromFile?.includes("key") === true ? "to the account's `key` in `PORCHLIGHT_CONFIG`" : "to `SERVICE_API_KEY`";
  const where =
    file === undefined ? `${place}, and restart the relay` : `to \`${file}\`: the relay reads it within seconds`;
  return `Copy the key from Settings > Account > API Key at the service ${where}. Messages wait until then.`;
}

/** Makes the look-up of `key` with a random key. The service refuses it; any other server does not. */
async function askWithWrongKey({ settings }: CommandContext, { url }: Account): Promise<Answer> {
  const allowInsecure = settings.allowInsecureService;
  const service = createTransport({ baseUrl: url, key: newSecret, allowInsecure, connections: 1 });
  const answer = await service.call({ method: "GET", path: "/contacts", query: PROBE, auth: "query" });
  await service.close();
  return answer;
}

const describe = ({ status, message }: Pick<Outcome, "status" | "message">): string =>
  [status === 0 ? "no answer" : status, ...(message === "" ? [] : [message])].join(": ");

/** Whether the answer refuses the key, in its status or in the body of a 200. */
const refusesKey = ({ kind, status }: Outcome): boolean =>
  [401, 403].includes(status) || (kind === "config" && status < 300);

/** What is wrong with the service itself: it does not answer anybody, or answers with an error of its own. */
function serviceProblem({ url }: Account, wrongKeyAnswer: Answer): [found: string, cure: string] | undefined {
  if (wrongKeyAnswer.phase !== "answered") return [`${url} does not answer (${wrongKeyAnswer.reason})`, UNREACHED];
  return wrongKeyAnswer.status >= 500 ? [`${url} answers ${wrongKeyAnswer.status} to every call`, FAILING] : undefined;
}

/** Why the account's call failed, and what to do. @param refusal why the service refuses the account's calls; undefined: it does not */
function callProblem(account: Account, answer: Outcome, refusal: string | undefined): [found: string, cure: string] {
  const why = refusal ?? (["config", "edge"].includes(answer.kind) ? describe(answer) : undefined);
  if (why?.startsWith("401")) return [`${account.url} refuses the key (${why})`, replaceKey(account)];
  if (why !== undefined) return [`${account.url} refuses the account's calls (${why})`, ADDRESS];
  if (answer.kind === "throttle") return ["not checked now", SLOWED];
  const strange = answer.kind === "permanent" || (answer.status >= 200 && answer.status < 300);
  return strange
    ? [`${account.url} answers a look-up unlike the messaging service (${describe(answer)})`, BASE_ADDRESS]
    : [describe(answer), FAILING];
}

/**
 * Checks whether the service accepts the account's key. A look-up without a result changes nothing (C21), but its 404 looks
 * like the 404 of any other server, so the server must also refuse a wrong key. The look-up respects the account's rate
 * limit.
 */
async function key(context: CommandContext, account: Account, wrongKeyAnswer: Answer): Promise<Finding> {
  const { id, url } = account;
  const check = `key of account ${id}`;
  if (context.keys.of(id) === "")
    return failed(check, "no key is set", "Set `SERVICE_API_KEY`, or the account's key in `PORCHLIGHT_CONFIG`.");
  // The call with a random key does not wait for a permit of the account, so it shows whether the service works at all.
  const problem = serviceProblem(account, wrongKeyAnswer);
  if (problem !== undefined) return failed(check, ...problem);
  const answer = await context.contacts.find(id, PROBE);
  if (answer.kind !== "ok") return failed(check, ...callProblem(account, answer, context.heldFor(id)));
  const refusal = outcomeOf(wrongKeyAnswer, false, context.clock.now());
  if (refusesKey(refusal)) return passed(check, `${url} accepts it`);
  return failed(
    check,
    `${url} does not refuse a wrong key either (${describe(refusal)}), so it is not the messaging service's base address`,
    BASE_ADDRESS,
  );
}

/** Compares this machine's clock with the Date header of the service's answer; no finding without an answer. */
function clockOf({ clock }: CommandContext, { id }: Account, answer: Answer): Finding[] {
  const check = `clock beside account ${id}`;
  if (answer.phase !== "answered") return [];
  const theirs = Date.parse(String(answer.headers.date));
  if (Number.isNaN(theirs)) return [passed(check, "the service sends no Date header")];
  const skew = Math.round((clock.now() - theirs) / 1_000);
  return Math.abs(skew) * 1_000 <= SKEW_MAX_MS
    ? [passed(check, `${skew} s apart`)]
    : [failed(check, `${skew} s apart`, "Set this machine's clock: signed identities and webhooks would be refused.")];
}

/** Checks address, key and clock of one account's service. */
export async function checkAccount(context: CommandContext, account: Account): Promise<Finding[]> {
  const wrongKeyAnswer = await askWithWrongKey(context, account);
  return [await key(context, account, wrongKeyAnswer), ...clockOf(context, account, wrongKeyAnswer)];
}
