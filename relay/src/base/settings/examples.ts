import { SETTINGS, type Setting } from "@porchlight/shared/settings";

/** A valid value for every field of the configuration file, as JSON. In paths, `*` means a name that the owner chooses. */
const BY_PATH: Readonly<Record<string, string>> = {
  accounts: '{"main": {"url": "https://service.example/v1", "key": "env:MAIN_KEY"}}',
  "accounts.*": '{"url": "https://service.example/v1", "key": "env:MAIN_KEY"}',
  "accounts.*.url": '"https://service.example/v1"',
  "accounts.*.key": '"env:MAIN_KEY"',
  "accounts.*.rate": "60",
  "accounts.*.credits": '{"mode": "manual", "perGrant": 100}',
  "accounts.*.credits.mode": '"manual"',
  "accounts.*.credits.allow": '["client@example.com"]',
  "accounts.*.credits.perGrant": "100",
  "accounts.*.credits.perDay": "500",
  "accounts.*.credits.amount": "20",
  "accounts.*.credits.emails": '{"sub_1": "client@example.com"}',
  "accounts.*.credits.fields": '{"email": ["client.email"]}',
  "accounts.*.credits.billing": '{"url": "https://billing.example.com/recharge", "secret": "env:BILLING_SECRET"}',
  "accounts.*.credits.billing.url": '"https://billing.example.com/recharge"',
  "accounts.*.credits.billing.secret": '"env:BILLING_SECRET"',
  sites: '{"shop": {"account": "main", "origins": ["https://www.example.com"]}}',
  "sites.*": '{"account": "main", "origins": ["https://www.example.com"]}',
  "sites.*.account": '"main"',
  "sites.*.origins": '["https://www.example.com"]',
  "sites.*.channel": '"website"',
  "sites.*.business": '"Shop"',
  "sites.*.campaign": '"support"',
  "sites.*.campaignFallback": "true",
  "sites.*.leads": '{"country": "NO", "lists": ["leads"]}',
  "sites.*.leads.country": '"NO"',
  "sites.*.leads.lists": '["leads"]',
  "sites.*.leads.phoneContact": "true",
  "sites.*.webhook": '{"url": "https://backend.example.com/porchlight", "secret": "env:WEBHOOK_SECRET"}',
  "sites.*.webhook.url": '"https://backend.example.com/porchlight"',
  "sites.*.webhook.secret": '"env:WEBHOOK_SECRET"',
  "sites.*.webhook.events": '["lead.captured"]',
  "sites.*.guard": '{"url": "https://backend.example.com/guard", "secret": "env:GUARD_SECRET"}',
  "sites.*.guard.url": '"https://backend.example.com/guard"',
  "sites.*.guard.secret": '"env:GUARD_SECRET"',
  "sites.*.guard.onFailure": '"allow"',
  "sites.*.messagesPerDay": "500",
  "sites.*.leadsPerDay": "100",
  "sites.*.mail": "false",
  "sites.*.retention": '{"conversations": 365, "files": 90, "leads": 365, "mails": 14}',
  "sites.*.retention.conversations": "365",
  "sites.*.retention.files": "90",
  "sites.*.retention.leads": "365",
  "sites.*.retention.mails": "14",
  "sites.*.routes": '[{"campaign": "sales", "page": "/pricing*"}]',
  "sites.*.routes.campaign": '"sales"',
  "sites.*.routes.name": '"returns"',
  "sites.*.routes.page": '"/pricing*"',
  "sites.*.routes.language": '"pt"',
  "sites.*.routes.claim": '{"plan": "gold"}',
  "sites.*.identitySecret": '"env:IDENTITY_SECRET"',
  "sites.*.identityKeys": '"https://login.example.com/.well-known/jwks.json"',
  "sites.*.requireIdentity": "true",
};

/** A valid value for one of the chat's settings. */
function exampleOf(rule: Setting): string {
  switch (rule.kind) {
    case "text":
      return '"Chat with us"';
    case "choice":
      return JSON.stringify(rule.of[0]);
    case "number":
      return String(Math.max(rule.min, 0));
    case "switch":
      return "true";
    case "list":
      return '["Where is my order?"]';
    case "colour":
      return '"#4f46e5"';
    case "address":
      return '"https://www.example.com/privacy"';
    case "language":
      return '"de"';
    case "path":
      return '"M4 4h16v12H4z"';
    case "condition":
      return '"cart>=50"';
    case "fields":
      return '["name?", "email"]';
    case "customFields":
      return '{"order": {"label": "Order number"}}';
    case "hours":
      return '{"timeZone": "Europe/Oslo", "mon": "9:00-17:00"}';
    case "words":
      return '{"chat": "Ask us"}';
    case "phone":
      return '{"offsetX": 12}';
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  ...BY_PATH,
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, rule]) => [`sites.*.${name}`, exampleOf(rule)])),
  "sites.*.prefill": '{"message": "I have a question"}',
};

/** Generalises a path: `sites.shop.origins.0` → `sites.*.origins`. */
const generalise = (path: string): string[] =>
  path
    .split(".")
    .map((part, i) => (i === 1 ? "*" : part))
    .filter((part) => !/^\d+$/.test(part));

/** The smallest valid configuration file. */
export const FILE_EXAMPLE = `{"accounts": ${BY_PATH.accounts}, "sites": ${BY_PATH.sites}}`;

/** A valid name for an account or a site: its own name if that is valid. */
const validName = ([group, name = ""]: readonly string[]): string =>
  /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : group === "accounts" ? "main" : "shop";

/** The field of a path with a valid value, as JSON. For an unknown field, its nearest known parent. */
export function exampleAt(path: string): string | undefined {
  for (let parts = generalise(path); parts.length > 0; parts = parts.slice(0, -1)) {
    const found = EXAMPLES[parts.join(".")];
    const name = parts.at(-1) === "*" ? validName(path.split(".")) : parts.at(-1);
    if (found !== undefined) return `"${name}": ${found}`;
  }
  return undefined;
}

/** The Levenshtein distance of two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * The name that is most similar to a misspelled one. A name of up to three letters may differ in one letter, a longer name in two
 * letters or in a third of its letters, whichever is more.
 * @returns undefined when no name is similar enough
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [found] = names
    .map((each) => ({ each, far: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, far }) => far <= Math.max(each.length > 3 ? 2 : 1, Math.floor(each.length / 3)))
    .sort((a, b) => a.far - b.far);
  return found?.each;
}

/** Suggests known names for an unknown field: the most similar one, or all. */
export function suggestionFor(path: string): string {
  const [parent, name] = [path.split(".").slice(0, -1), path.split(".").at(-1) ?? ""];
  const prefix = parent.length === 0 ? "" : `${generalise(parent.join(".")).join(".")}.`;
  const known = Object.keys(EXAMPLES)
    .filter((each) => each.startsWith(prefix) && !/[.*]/.test(each.slice(prefix.length)))
    .map((each) => each.slice(prefix.length));
  const meant = nearest(name, known);
  if (meant !== undefined) return exampleAt([...parent, meant].join(".")) ?? meant;
  return known.length > 0 ? `one of ${known.join(", ")}` : "nothing: leave it out";
}
