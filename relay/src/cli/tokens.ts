import { addToken, revokeToken, SCOPES, type Scope, tokens } from "../records/tokens.ts";
import { type Command, positionals, table } from "./command.ts";
import { CommandError } from "./error.ts";

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

function scopesIn(text: string): Scope[] {
  const given =
    text === "all" ? SCOPES.filter((scope) => scope !== "admin:read") : text.split(",").map((part) => part.trim());
  const wrong = given.filter((scope) => !isScope(scope));
  if (wrong.length > 0) throw new CommandError(`No scope ${wrong.join(", ")}. There are: ${SCOPES.join(", ")}.`, 2);
  return given.filter(isScope);
}

const site = { site: { type: "string" } } as const;

export const TOKENS: Record<string, Command> = {
  "token add": {
    usage: "<name> [--site <site>] [--scopes <scope,…>|all]",
    help: "creates a token of the server API and shows it once; the scope admin:read, which is not part of all, gives read access to the admin pages of the site",
    options: { ...site, scopes: { type: "string" } },
    async run({ db, clock, site }, given) {
      const { name } = positionals(given, "name");
      const scopes = scopesIn(given.text("scopes") ?? "all");
      const order = { site: site(given.text("site")).public.id, name, scopes, now: clock.now() };
      const { token, text } = await db.transaction((tx) => addToken(tx, order));
      return { data: { ...token, token: text }, lines: [text] };
    },
  },
  "token list": {
    usage: "",
    help: "lists the tokens, without their secrets",
    async run({ db }) {
      const all = await tokens(db);
      const rows = all.map(({ id, site, name, scopes, revoked }) => [
        id,
        site,
        name,
        revoked === null ? scopes.join(",") : "revoked",
      ]);
      return { data: all, lines: table(["ID", "SITE", "NAME", "SCOPES"], rows) };
    },
  },
  "token revoke": {
    usage: "<id>",
    help: "revokes a token at once",
    async run({ db, clock }, given) {
      const { id } = positionals(given, "id");
      if (!(await db.transaction((tx) => revokeToken(tx, id, clock.now()))))
        throw new CommandError(`No valid token ${id}.`);
      return { data: { id, revoked: true }, lines: [`Revoked ${id}.`] };
    },
  },
};
