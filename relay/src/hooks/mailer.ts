import { isLoopback } from "@porchlight/shared/loopback";
import type { Transporter } from "nodemailer";

/** A mail as it is put into the post. */
export type Letter = {
  /** Unique, so that a copy can be told from a second mail. */
  id: string;
  to: string;
  /** Name beside the sender's address: the site's. */
  name: string;
  subject: string;
  text: string;
  html: string;
  /** Address that ends such mails with one POST (RFC 8058). */
  stop: string;
};

/**
 * What became of a letter. `again`: it certainly did not leave, and may later. `refused`: the server will never take it.
 * `unknown`: it may have left, so it is not sent again.
 */
export type Posted = { kind: "sent" | "again" | "refused" | "unknown"; reason: string };

export type Mailer = {
  post: (letter: Letter) => Promise<Posted>;
  /** Connects and logs in. @returns what is wrong, in the server's words; nothing when all is well */
  verify: () => Promise<string | undefined>;
  close: () => void;
};

/** Where mail leaves from: `smtp://` or `smtps://` with user and password, and the sender's address. */
export type MailSettings = { url: string; from: string };

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

type Failure = Error & { code?: string; responseCode?: number; syscall?: string };

/** Errors before a byte of the letter was on the line. */
const UNSENT = /^(EDNS|EAUTH|ENOAUTH|ETLS|EOAUTH2|ECONFIG|EPROXY)$/;
const UNHEARD = /^(Connection timeout|Greeting never received)/;

/** RFC 5321 section 4.2.1: 4xx may be tried again, 5xx may not. An own login that is refused is ours to mend. */
function verdictOn(failure: Failure): Posted {
  const { code = "", responseCode, message, syscall } = failure;
  const reason = message.slice(0, 300);
  if (UNSENT.test(code) || syscall === "connect" || UNHEARD.test(message)) return { kind: "again", reason };
  if (responseCode === undefined) return { kind: code === "EENVELOPE" ? "refused" : "unknown", reason };
  return { kind: responseCode >= 500 ? "refused" : "again", reason };
}

/**
 * Puts letters into the post. To another machine only over TLS: passwords and people's words are in it.
 * @param settings parsed: the address is a good one
 */
export function createMailer({ url, from }: MailSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const near = isLoopback(hostname);
  const open = async (): Promise<Transporter> =>
    (await import("nodemailer")).createTransport({
      host: hostname.replace(/^\[|\]$/g, ""),
      ...(port === "" ? {} : { port: Number(port) }),
      secure: protocol === "smtps:",
      requireTLS: !near,
      ignoreTLS: near,
      ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  const opened = open();
  const host = from.slice(from.lastIndexOf("@") + 1);
  return {
    async post({ id, to, name, subject, text, html, stop }) {
      try {
        await (await opened).sendMail({
          from: { name, address: from },
          to: { name: "", address: to },
          messageId: `<${id}@${host}>`,
          subject,
          text,
          html,
          headers: {
            // RFC 3834: no holiday notices in answer to this.
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": `<${stop}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          },
        });
        return { kind: "sent", reason: "" };
      } catch (error) {
        return verdictOn(error as Failure);
      }
    },
    verify: () =>
      opened
        .then((transport) => transport.verify())
        .then(
          () => undefined,
          (error: Error) => error.message,
        ),
    close: () => void opened.then((transport) => transport.close()),
  };
}
