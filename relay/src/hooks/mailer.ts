import { isLoopback } from "@porchlight/shared/loopback";
import type { Transporter } from "nodemailer";

/** An email to send. */
export type MailMessage = {
  /** Unique; distinguishes a copy from a second email. */
  id: string;
  to: string;
  /** Display name of the sender, such as the site's name, unless the settings name one. */
  name: string;
  subject: string;
  text: string;
  html?: string;
  /** Address that ends such emails with one POST (RFC 8058); absent in mails to the operator. */
  stop?: string;
};

/**
 * The result of sending. `again`: certainly not sent, and may be retried. `refused`: the server will never accept it.
 * `unknown`: it may have been sent, so it is not sent again.
 */
export type MailOutcome = { kind: "sent" | "again" | "refused" | "unknown"; reason: string };

/** Sends email through one mail server. */
export type Mailer = {
  /** Sends one email. Never rejects. */
  post: (message: MailMessage) => Promise<MailOutcome>;
  /** Connects and logs in. @returns the server's error message; undefined on success */
  verify: () => Promise<string | undefined>;
  close: () => void;
};

/** `url`: the mail server, `smtp://` or `smtps://`, with user and password. `from`: the sender; `name` is empty without one. */
export type MailSettings = { url: string; from: { name: string; address: string } };

/** Time limit (ms) for the connection, and again for the server's greeting. */
const CONNECT_MS = 10_000;
/** A connection on which nothing happens for this long (ms) is closed. */
const SILENCE_MS = 30_000;

type Failure = Error & { code?: string; responseCode?: number; syscall?: string };

/** Error codes that occur before any byte of the email is sent. */
const UNSENT_CODES = /^(EDNS|EAUTH|ENOAUTH|ETLS|EOAUTH2|ECONFIG|EPROXY)$/;
/** Messages of time limits that end before any byte of the email is sent. */
const TIME_LIMIT_MESSAGES = /^(Connection timeout|Greeting never received)/;

/** RFC 5321 section 4.2.1: 4xx may be retried, 5xx may not. A refused login can be corrected, so it is retried. */
function verdictOn(failure: Failure): MailOutcome {
  const { code = "", responseCode, message, syscall } = failure;
  const reason = message.slice(0, 300);
  if (UNSENT_CODES.test(code) || syscall === "connect" || TIME_LIMIT_MESSAGES.test(message))
    return { kind: "again", reason };
  if (responseCode === undefined) return { kind: code === "EENVELOPE" ? "refused" : "unknown", reason };
  return { kind: responseCode >= 500 ? "refused" : "again", reason };
}

/**
 * Creates a mailer. Connections to other machines use TLS, because they carry passwords and private messages.
 * @param settings already validated
 */
export function createMailer({ url, from }: MailSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isLocal = isLoopback(hostname);
  const open = async (): Promise<Transporter> =>
    (await import("nodemailer")).createTransport({
      host: hostname.replace(/^\[|\]$/g, ""),
      ...(port === "" ? {} : { port: Number(port) }),
      secure: protocol === "smtps:",
      requireTLS: !isLocal,
      ignoreTLS: isLocal,
      ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  const opened = open();
  const host = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    async post({ id, to, name, subject, text, html, stop }) {
      try {
        await (await opened).sendMail({
          // The library quotes and encodes the name (RFC 5322, RFC 2047).
          from: { name: from.name || name, address: from.address },
          to: { name: "", address: to },
          messageId: `<${id}@${host}>`,
          subject,
          text,
          ...(html !== undefined && { html }),
          headers: {
            // RFC 3834: prevents automatic answers.
            "Auto-Submitted": "auto-generated",
            ...(stop !== undefined && {
              "List-Unsubscribe": `<${stop}>`,
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }),
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
