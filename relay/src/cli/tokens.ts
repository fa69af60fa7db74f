import { addToken, revokeToken, SCOPES, type Scope, tokens } from "../records/tokens.ts";
import { allArguments, type Command, type CommandArgs, positionals, SITE_OPTION, table } from "./command.ts";
import { CommandError } from "./error.ts";

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** The scopes of `--scopes`; without it all but `admin:read`. @throws CommandError that names the unknown ones */
function scopesOf({ text }: CommandArgs): Scope[] {
  const list = text("scopes") ?? "all";
  if (list === "all") return SCOPES.filter((scope) => scope !== "admin:read");
  const scopes = list.split(",").map((part) => part.trim());
  const wrong = scopes.filter((scope) => !isScope(scope));
  if (wrong.length > 0)
    throw new CommandError(`--scopes: "${wrong.join(", ")}" is not a scope. Scopes: ${SCOPES.join(", ")}.`, 2);
  return scopes.filter(isScope);
}

export const TOKENS: Record<string, Command> = {
  "token add": {
    usage: "<name> [--site <site>] [--scopes <scope,…>|all]",
    help: "creates a token of the server API and shows it once; the scope admin:read, which is not part of all, gives read access to the admin pages of the site",
    subject: allArguments,
    options: { ...SITE_OPTION, scopes: { type: "string" } },
    check: (given) => void scopesOf(given),
    async run({ db, clock, site }, given) {
      const { name } = positionals(given, "name");
      const scopes = scopesOf(given);
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
    subject: allArguments,
    async run({ db, clock }, given) {
      const { id } = positionals(given, "id");
      if (!(await db.transaction((tx) => revokeToken(tx, id, clock.now()))))
        throw new CommandError(`No valid token ${id}.`);
      return { data: { id, revoked: true }, lines: [`Revoked ${id}.`] };
    },
  },
};
