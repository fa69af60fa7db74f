/** The guides' snippets for backends, run in their own languages. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentity } from "../relay/src/base/identity.ts";
import { signatureOf } from "../relay/src/hooks/post.ts";
import { snippet } from "./guides.ts";
import { IDENTITY_SECRET } from "./identities.ts";
import { WEBHOOK_SECRET } from "./receiver.ts";

/**
 * How to run the snippets of a language. `head` comes before a snippet. `identity` comes after it and prints a token; `webhook`
 * comes after it, reads JSON, and prints yes or no.
 */
type Language = {
  file: string;
  run: (path: string) => [string, ...string[]];
  identity: string;
  webhook?: string;
  head?: string;
};

const LANGUAGES = {
  js: {
    file: "main.mjs",
    run: (path) => [process.execPath, path],
    identity: 'console.log(identityOf({ id: "7", name: "Ada", email: "ada@example.com" }));',
    webhook: `import { readFileSync } from "node:fs";
const { headers, body, secret } = JSON.parse(readFileSync(0, "utf8"));
console.log(isGenuine(headers, body, secret) ? "yes" : "no");`,
  },
  python: {
    file: "main.py",
    run: (path) => ["python3", path],
    identity: 'print(identity_of({"id": "7", "name": "Ada", "email": "ada@example.com"}))',
    webhook: `import json, sys
given = json.load(sys.stdin)
print("yes" if is_genuine(given["headers"], given["body"].encode(), given["secret"]) else "no")`,
  },
  php: {
    file: "main.php",
    head: "<?php\n",
    run: (path) => ["php", path],
    identity:
      "echo identity_of(['id' => '7', 'name' => 'Ada', 'email' => 'ada@example.com'], getenv('IDENTITY_SECRET'));",
    webhook: `$given = json_decode(file_get_contents('php://stdin'), true);
echo is_genuine($given['headers'], $given['body'], $given['secret']) ? 'yes' : 'no';`,
  },
  ruby: {
    file: "main.rb",
    run: (path) => ["ruby", path],
    identity: 'puts identity_of({ id: "7", name: "Ada", email: "ada@example.com" })',
  },
  go: {
    file: "main.go",
    run: (path) => ["go", "run", path],
    identity: `
func main() {
	token, err := IdentityOf("7", "Ada", "ada@example.com", os.Getenv("IDENTITY_SECRET"))
	if err != nil {
		panic(err)
	}
	fmt.Print(token)
}`,
  },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof LANGUAGES;

function runSnippet(name: LanguageName, code: string, input = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const { file, run, head = "" }: Language = LANGUAGES[name];
  try {
    const path = join(folder, file);
    writeFileSync(path, head + code);
    const [command, ...args] = run(path);
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GOCACHE: join(tmpdir(), "porchlight-go"),
      IDENTITY_SECRET,
    };
    return execFileSync(command, args, { input, env, encoding: "utf8", cwd: folder }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A language's snippet signs a token. @returns the person that the relay reads from it, or the reason why it refuses the token */
export async function personSignedBy(name: LanguageName): Promise<unknown> {
  const code = snippet(`${name} identity`);
  // Go names all imports at the top of its file.
  const imported = name === "go" ? code.replace('"time"\n', '"fmt"\n\t"os"\n\t"time"\n') : code;
  const token = runSnippet(name, `${imported}\n${LANGUAGES[name].identity}`);
  let why = "";
  const keys = { secret: IDENTITY_SECRET };
  const refused = (reason: string): void => {
    why = reason;
  };
  return (await createIdentity({ site: "default", keys, now: Date.now, refused })(token)) ?? why;
}

/**
 * A language's snippet checks webhooks: two valid ones, one forged in each part, an old one, and three with missing or wrong
 * headers. @returns `yes` or `no` for each
 */
export function webhookVerdicts(name: "js" | "python" | "php"): string[] {
  const now = Math.floor(Date.now() / 1_000);
  const signed = (at: number, body: string, given = WEBHOOK_SECRET) => ({
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,AAAA ${signatureOf(given, "msg_1", at, body)}`,
    },
    body,
    secret: given,
  });
  const right = signed(now, '{"type":"lead.captured","name":"Åse"}');
  const cases = [
    right,
    signed(now, "{}", "a secret that is only text"),
    { ...right, body: '{"type":"lead.captured","name":"Eve"}' },
    { ...right, secret: "another secret" },
    { ...right, headers: { ...right.headers, "webhook-id": "msg_2" } },
    signed(now - 3_600, "{}"),
    { ...right, headers: {} },
    { ...right, headers: { ...right.headers, "webhook-timestamp": "now", "webhook-signature": "v1,Å" } },
    { ...right, headers: { ...right.headers, "webhook-signature": "v1,Å" } },
  ];
  const code = `${snippet(`${name} webhook`)}\n${LANGUAGES[name].webhook}`;
  return cases.map((each) => runSnippet(name, code, JSON.stringify(each)));
}

/** The output of the WordPress snippet in PHP. The script defines the two WordPress functions itself. */
export const wordpressFooter = (): string =>
  runSnippet(
    "php",
    `function add_action($hook, $act) { if ($hook === 'wp_footer') $act(); }
function esc_url($url) { return htmlspecialchars($url); }
${snippet("php wordpress")}`,
  );
