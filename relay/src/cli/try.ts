import { once } from "node:events";
import { isIPv6 } from "node:net";
import { endingOf } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import { parseRelayFrame } from "@porchlight/shared/parse";
import { type ClientFrame, type Message, PROTOCOL } from "@porchlight/shared/protocol";
import { cut } from "@porchlight/shared/text";
import type { Site } from "../base/config.ts";
import { verifySession } from "../base/sign.ts";
import { type Command, type Result, waitSeconds } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { type Finding, failed, passed, report } from "./finding.ts";

/** Seconds to wait for the reply, unless `--wait` says otherwise. */
const WAIT_SECONDS = 90;
const TEXT = "A trial of the chat, from its operator.";

/** The identity of the trial on sites that require one. */
async function identityFor({ identity, requireIdentity, public: { id } }: Site): Promise<string | undefined> {
  if (!requireIdentity || identity === undefined) return undefined;
  if ("jwks" in identity)
    throw new CommandError(
      `Site ${id} accepts only visitors whose identity your login signs (identityKeys): try it on your page.`,
      2,
    );
  const { SignJWT } = await import("jose");
  const key = new TextEncoder().encode(identity.secret);
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setSubject("porchlight-try")
    .setExpirationTime("5m")
    .sign(key);
}

/** The host under which this machine reaches a relay that listens on `host`. */
export const reachedAs = (host: string): string => {
  const near = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return isIPv6(near) ? `[${near}]` : near;
};

/** A visitor with its own connection, as on a page of the relay. */
async function visit({ settings }: CommandContext, site: Site) {
  const { publicUrl, port, host } = settings;
  const origin = publicUrl === undefined ? `http://localhost:${port}` : new URL(publicUrl).origin;
  const at = `${reachedAs(host)}:${port}`;
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(`ws://${at}/socket`, { headers: { Origin: origin } });
  // This listener is never removed: an error while the relay closes the connection must not end the command.
  socket.on("error", () => {});
  await once(socket, "open").catch(() => {
    throw new CommandError(`No relay answers on ${at}: start it, with the same settings.`);
  });
  const log = new Map<string, Message>();
  let [token, ended]: [string | undefined, string | undefined] = [undefined, undefined];
  const receive = (raw: string): void => {
    const parsed = parseRelayFrame(raw);
    if ("problem" in parsed) return;
    const { frame } = parsed;
    if (frame.t === "welcome") token = frame.token;
    if (frame.t === "message") log.set(frame.message.id, frame.message);
    if (frame.t === "error") ended = frame.code;
  };
  socket.on("message", (data) => receive(String(data)));
  socket.on("close", (code) => {
    ended ??= endingOf(code).meaning;
  });
  const write = (frame: ClientFrame): void => socket.send(JSON.stringify(frame));
  const identity = await identityFor(site);
  write({ t: "hello", v: PROTOCOL, site: site.public.id, ...(identity && { identity }) });
  return {
    write,
    log,
    token: () => token,
    ended: () => ended,
    close: () => socket.close(1_000),
  };
}

/** Sends a message as a visitor does, and waits for its delivery and for the answer (C22). */
async function tryOut(context: CommandContext, site: Site, seconds: number, text: string): Promise<Result> {
  const { clock } = context;
  const visitor = await visit(context, site);
  const begun = clock.uptime();
  const elapsed = (): string => `after ${((clock.uptime() - begun) / 1_000).toFixed(1)} s`;
  const id = randomId();
  visitor.write({ t: "send", id, text });
  const own = (): Message | undefined => visitor.log.get(id);
  const reply = (): Message | undefined => [...visitor.log.values()].find(({ from }) => from === "reply");

  const until = async <T>(look: () => T | undefined): Promise<T | undefined> => {
    for (; look() === undefined && clock.uptime() - begun < seconds * 1_000; ) {
      if (visitor.ended() !== undefined && own() === undefined) return undefined;
      await new Promise<void>((resolve) => void clock.after(100, resolve));
    }
    return look();
  };
  const settled = (): Message | undefined => {
    const message = own();
    return message?.from === "visitor" && message.state !== "sent" ? message : undefined;
  };

  const findings: Finding[] = [];
  if ((await until(own)) === undefined) findings.push(notStored(visitor.ended()));
  else {
    findings.push(passed("stored", elapsed()), delivery(await until(settled), elapsed(), seconds));
    if (findings.every(({ ok }) => ok)) findings.push(answer(await until(reply), elapsed(), seconds, context));
  }
  visitor.close();
  const { visitor: name = "" } = verifySession(context.signing, visitor.token() ?? "", clock.now()) ?? {};
  const { lines, ...rest } = report(findings);
  const clear = `The trial is visitor ${name}: porchlight erase ${name} --yes removes it here; the service keeps its copy.`;
  return { ...rest, data: { visitor: name, findings }, lines: name === "" ? lines : [...lines, clear] };
}

/** The failure when the relay did not accept the message. @param why the relay's reason, if any */
function notStored(why = "no answer"): Finding {
  const cure =
    why === "blocked" || why === "notAllowed"
      ? "The site refuses this machine: check `porchlight block list` and `ALLOWED_ORIGINS`."
      : "Run `porchlight doctor` to find the reason.";
  return failed("stored", why, cure);
}

function delivery(message: Message | undefined, when: string, seconds: number): Finding {
  const check = "delivered";
  if (message?.from === "visitor" && message.state === "delivered") return passed(check, when);
  if (message?.from === "visitor" && message.state === "failed")
    return failed(
      check,
      `the service refused it (${message.reason ?? "no reason"})`,
      "See `porchlight deliveries --failed`.",
    );
  return failed(
    check,
    `not within ${seconds} s`,
    "It waits and is sent later: see `porchlight deliveries` and `porchlight doctor`.",
  );
}

function answer(message: Message | undefined, when: string, seconds: number, { settings }: CommandContext): Finding {
  const check = "answered";
  if (message !== undefined) return passed(check, `${when}: "${cut(message.text, 60)}"`);
  const where = settings.publicUrl ?? "the relay";
  return failed(
    check,
    `no reply within ${seconds} s`,
    `Switch the bot on, or answer as a person; and enter the address that \`porchlight site\` shows (at ${where}) as Custom Channel Webhook.`,
  );
}

export const TRY: Record<string, Command> = {
  try: {
    usage: "[<text>] [--site <site>] [--wait <seconds>]",
    help: "sends one message as a visitor and waits for its delivery and the answer; the service keeps the message",
    subject: ({ text }) => text("site") ?? "",
    options: { site: { type: "string" }, wait: { type: "string" } },
    check: (given) => void waitSeconds(given, WAIT_SECONDS),
    run: (context, given) =>
      tryOut(context, context.site(given.text("site")), waitSeconds(given, WAIT_SECONDS), given.args[0] ?? TEXT),
  },
};
