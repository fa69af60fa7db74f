import type { RouteRule } from "./rules.ts";

/** What is known about a conversation at its first message. `name`: the campaign that the page requests. */
export type Situation = {
  name?: string | undefined;
  /** Whether the visitor has chosen `name`. */
  chosen?: boolean | undefined;
  page?: string | undefined;
  locale?: string | undefined;
  /** Claims of the signed identity. */
  claims?: Record<string, unknown> | undefined;
};

/** Whether a text matches a pattern with `*` wildcards. Linear time, because visitors control the page's address. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

const onPage = (pattern: string, page: string): boolean =>
  matchesPattern(pattern, page) || matchesPattern(pattern, page.split("?")[0] ?? "");

/** Basic filtering of RFC 4647: "pt" matches "pt-BR", not the reverse. */
const inLanguage = (range: string, locale: string): boolean =>
  `${locale.toLowerCase()}-`.startsWith(`${range.toLowerCase()}-`);

function matches({ name, page, language, claim }: RouteRule, situation: Situation): boolean {
  if (name !== undefined && name !== situation.name) return false;
  if (page !== undefined && !onPage(page, situation.page ?? "")) return false;
  if (language !== undefined && !inLanguage(language, situation.locale ?? "")) return false;
  return Object.entries(claim ?? {}).every(([key, value]) => situation.claims?.[key] === value);
}

/** Whether the visitor has chosen a name that at least one rule has. */
export const isChoice = (rules: readonly RouteRule[], { name, chosen }: Situation): boolean =>
  chosen === true && name !== undefined && rules.some((rule) => rule.name === name);

/** The campaign of the first matching rule, otherwise the site's; `undefined` when there is none. */
export function campaignFor(
  rules: readonly RouteRule[],
  own: string | undefined,
  situation: Situation,
): string | undefined {
  return rules.find((rule) => matches(rule, situation))?.campaign ?? own;
}

/** The claims that the rules use. Other claims are not stored. */
export function claimsFor(rules: readonly RouteRule[], claims: Record<string, unknown>): Record<string, unknown> {
  const wanted = new Set(rules.flatMap(({ claim }) => Object.keys(claim ?? {})));
  return Object.fromEntries(Object.entries(claims).filter(([name]) => wanted.has(name)));
}

/** Whether a conversation's campaign still exists on the site: messages with an unknown id may be refused. */
export const isCampaign = (rules: readonly RouteRule[], own: string | undefined, campaign: string): boolean =>
  campaign === own || rules.some((rule) => rule.campaign === campaign);
