/**
 * A mail server for tests that keeps the mails it gets. It requires a user and password, and refuses mails on demand.
 */

import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type Received = {
  to: string[];
  from: string;
  /** Unfolded headers, by name in lower case. */
  headers: Record<string, string>;
  /** The text part and the HTML part, decoded. */
  text: string;
  html: string;
};

export type MailServer = {
  /** `smtp://user:password@…`, for SMTP_URL. */
  url: string;
  mails: Received[];
  /** Resolves with the mails when at least `count` have arrived. */
  until: (count: number) => Promise<Received[]>;
  /** How the server answers mails: it accepts them, refuses them with this status, or never answers. */
  behaviour: { status: number | "silent" };
  /** Number of received mails, accepted or not. */
  received: () => number;
  stop: () => Promise<void>;
};

const PASSWORD = "mail password/of tests";

/** Starts the server on a free port of this machine. It accepts mails until `behaviour` says otherwise. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Received[] = [];
  const behaviour: MailServer["behaviour"] = { status: 250 };
  let received = 0;
  let changed = (): void => {};
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === "relay" && password === PASSWORD) done(null, { user: username });
      else done(new Error("Invalid username or password"));
    },
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        received++;
        const { status } = behaviour;
        if (status === 250) {
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          mails.push({
            ...read(Buffer.concat(parts).toString()),
            from,
            to: envelope.rcptTo.map(({ address }) => address),
          });
          done();
        } else if (status !== "silent") done(Object.assign(new Error("Not today"), { responseCode: status }));
        changed();
      });
    },
  });
  // A client that is killed leaves its socket broken.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://relay:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    mails,
    behaviour,
    received: () => received,
    async until(count) {
      while (mails.length < count) await new Promise<void>((resolve) => (changed = resolve));
      return mails;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Parses a mail, either plain text or with a text and an HTML part: RFC 5322 and RFC 2046 as far as they are used. */
function read(raw: string): Omit<Received, "from" | "to"> {
  const [head = "", body = ""] = halves(raw);
  const headers = headersIn(head);
  const boundary = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1] ?? "";
  const parts =
    boundary === "" ? [[head, body]] : body.split(`--${boundary}`).map((part) => halves(part.replace(/^\r\n/, "")));
  const textOf = (type: string): string => {
    const [about = "", words = ""] =
      parts.find(([each]) => each?.toLowerCase().includes(`content-type: text/${type}`)) ?? [];
    return decoded(words, headersIn(about)["content-transfer-encoding"]).replaceAll("\r\n", "\n");
  };
  return { headers, text: textOf("plain"), html: textOf("html") };
}

const halves = (text: string): string[] => {
  const at = text.indexOf("\r\n\r\n");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 4)];
};

const headersIn = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );

function decoded(words: string, encoding = "7bit"): string {
  if (encoding === "base64") return Buffer.from(words, "base64").toString();
  if (encoding !== "quoted-printable") return words;
  const bytes = words
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
