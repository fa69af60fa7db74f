import { Script } from "node:vm";
import { authorIn } from "@porchlight/shared/reply-author";
import { expect, it } from "vitest";
import { parseMarkdown } from "../widget/src/text/markdown.ts";
import { splitReplies } from "../widget/src/text/quick-replies.ts";
import { personSignedBy, webhookVerdicts } from "./backends.ts";
import { fencesWithoutKind, kinds, snippet, snippets } from "./guides.ts";
import { startHarness } from "./harness.ts";
import { runNginx } from "./nginx.ts";
import { freePort } from "./ports.ts";
import { createVisitor } from "./visitor.ts";

/** Where each kind of snippet is run or checked. A new kind needs a test. */
const CHECKED: Record<string, string> = {
  "js identity": "here, and guides.full.test.ts for the other languages",
  ...Object.fromEntries(["python", "php", "ruby", "go"].map((name) => [`${name} identity`, "guides.full.test.ts"])),
  "js webhook": "here",
  "python webhook": "guides.full.test.ts",
  "php webhook": "guides.full.test.ts",
  "php wordpress": "guides.full.test.ts",
  ...Object.fromEntries(
    ["html page", "html tag", "html gtm", "html turbo", "html webview", "js react", "js vue", "js next"]
      .concat("json articles", "html help")
      .map((name) => [name, "browser/guides.test.ts"]),
  ),
  "sh start": "guides.full.test.ts",
  "sh look": "guides.full.test.ts",
  "sh rehearsal": "guides.full.test.ts",
  "sh service": "guides.full.test.ts",
  "json alert": "alerts.test.ts",
  "json log": "metrics.test.ts",
  ...Object.fromEntries(["answers", "author", "picture", "card"].map((name) => [`text ${name}`, "here"])),
  "js page": "here",
  "nginx site": "here, and balancers.test.ts",
  "nginx callbacks": "balancers.test.ts",
  "caddy site": "balancers.test.ts",
  "sh dump": "nodes/restore.full.test.ts",
  ...Object.fromEntries(
    ["sh environment", "sh sandbox", "sh relay", "sh examples", "sh example", "sh trial", "js backend"]
      .concat("json file", "json site", "json account")
      .map((name) => [name, "readme.test.ts"]),
  ),
};

/** The kinds that several guides have, or one guide several times. Their test reads all snippets of the kind. */
const REPEATED = ["json account", "json site", "sh environment"];

it("has a test for every snippet in the guides", () => {
  expect(kinds().filter((kind) => !(kind in CHECKED))).toEqual([]);
  expect(fencesWithoutKind()).toEqual([]);
  const repeated = kinds().filter((kind) => snippets(kind).length > 1);
  expect(repeated.sort()).toEqual(REPEATED);
});

it("calls the chat on the page of a signed-in visitor", () => {
  const calls: unknown[][] = [];
  new Script(snippet("js page")).runInNewContext({
    token: "a JWT",
    Porchlight: (...call: unknown[]) => calls.push(call),
  });
  expect(calls).toEqual([["identify", "a JWT"], ["logout"]]);
});

it("has replies that the widget shows as the guide says", () => {
  expect(splitReplies(snippet("text answers"))).toEqual({ text: "Which lamp is it?", answers: ["Perch", "Moth"] });
  expect(authorIn(snippet("text author"))).toMatchObject({ name: "Maria" });
  expect(authorIn(snippet("text picture"))).toMatchObject({ picture: "https://shop.example/team/maria.jpg" });
  expect(parseMarkdown(snippet("text card")).map(({ kind }) => kind)).toEqual(["card"]);
});

it("serves the chat through nginx as the guide configures it", async () => {
  const harness = await startHarness({ env: { TRUST_PROXY: "1" } });
  const port = await freePort();
  const site = snippet("nginx site")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, "")
    .replace("http://127.0.0.1:8787", harness.url);
  const nginx = await runNginx(port, site);
  try {
    const visitor = createVisitor(nginx.url, { origin: harness.host });
    await visitor.connect();
    await visitor.send("through nginx");
    await visitor.receives("echo: through nginx");
    await visitor.drop();
  } finally {
    await nginx.stop();
    await harness.stop();
  }
});

it("signs identities that the relay accepts, in Node", async () => {
  expect(await personSignedBy("js")).toMatchObject({ subject: "7", email: "ada@example.com" });
});

it("distinguishes genuine webhooks from forged and old ones, in Node", () => {
  expect(webhookVerdicts("js")).toEqual(["yes", "yes", ...new Array(7).fill("no")]);
});
