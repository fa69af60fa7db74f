import type { Mutant } from "./mutant.ts";
import type { Edit } from "./place.ts";

/** The product without one of its defences. @param unit the test that must notice */
const without = (name: string, unit: string, edit: Edit, part: "relay" | "widget" = "relay"): Mutant => ({
  name: `has no ${name}`,
  part,
  edits: [edit],
  killedBy: { unit },
});
const inWidget = (name: string, unit: string, edit: Edit): Mutant => without(name, unit, edit, "widget");

/** Every defence of what only some may read, write or run (SECURITY.md, A1 to A20 and A29 to A40), removed one at a time. */
export const TRUST: readonly Mutant[] = [
  without("check of a visitor id's signature (A2, A6)", "sign.test.ts", {
    in: "isVisitorId",
    find: `!sameSecret(base32(mac($key, "visitor", $body), 13), $tag)`,
    replace: "false",
  }),
  without("comparison of callback secrets (A3)", "sign.test.ts", {
    in: "anySecret",
    find: "sameDigest($one, digestOf($secret)) || $found",
    replace: "true",
  }),
  without("check of a session token's signature (A8)", "sign.test.ts", {
    in: "verifySession",
    find: "!sameSecret($expected, $signature)",
    replace: "false",
  }),
  without("end of a session token's life (A8)", "sign.test.ts", {
    in: "verifySession",
    find: "expires > now",
    replace: "true",
  }),
  without("check of a sealed link's signature (A2)", "sign.test.ts", {
    in: "unseal",
    find: "sameSecret($expected, $signature)",
    replace: "true",
  }),
  without("exact comparison of origins (A7)", "sites.test.ts", {
    in: "fits",
    find: "pattern === origin",
    replace: "origin.startsWith(pattern)",
  }),
  without("comparison of origins by labels (A7)", "sites.test.ts", {
    in: "fits",
    find: "$below.every((label, i) => label === $wanted.labels[i])",
    replace: "true",
  }),
  without("fixed algorithms of identity tokens (A9)", "identity.test.ts", {
    find: "jwtVerify($token, $key, { algorithms, $$others })",
    replace: "jwtVerify($token, $key, { $$others })",
  }),
  without("site in identity tokens (A9, A10)", "identity.test.ts", {
    in: "wrongWith",
    find: "$aud === undefined || [$aud].flat().includes($site)",
    replace: "true",
  }),
  without("longest life of identity tokens (A9)", "identity.test.ts", {
    in: "wrongWith",
    find: "$end - $seconds > LIFE_S + SKEW_S",
    replace: "false",
  }),
  without("demand that identity tokens end (A9)", "identity.test.ts", {
    in: "wrongWith",
    find: `if (end === undefined) return "neither exp nor iat says when it ends";`,
    replace: "",
  }),
  without("masks of secrets in the log (A5, A11)", "log.test.ts", {
    in: "scrubbing",
    find: `$line.replaceAll($expression, "[redacted]")`,
    replace: "$line",
  }),
  without("other spellings of secrets in the log (A11)", "log.test.ts", {
    in: "log.spellings",
    find: "encodeURIComponent($secret)",
    replace: "$secret",
  }),
  without("list of allowed types of files (A17)", "types.test.ts", {
    in: "allowedType",
    replace: "SNIFFED.get(sniffed) ?? TYPES.png",
  }),
  without("mask of special signs in file names (A19)", "names.test.ts", { in: "SPECIAL", replace: "/\\0/g" }),
  without("removal of hidden signs in file names (A19)", "names.test.ts", {
    in: "HIDDEN",
    replace: "/\\0/g",
  }),
  without("names of devices on Windows (A19)", "names.test.ts", { in: "DEVICES", replace: "/^$/" }),
  without("look at the size of pictures (A18)", "dimensions.test.ts", {
    in: "dimensionsOf",
    find: "$size !== undefined && $size.width > 0 && $size.height > 0",
    replace: "true",
  }),
  without("limit on nested JSON (A30)", "depth.test.ts", { in: "tooDeep", find: "++$depth > $max", replace: "false" }),
  without("check of telephone numbers (A40)", "phone.test.ts", {
    in: "phoneOf",
    find: "$phone?.isPossible()",
    replace: "$phone",
  }),
  without("origin of the page in a line of the fallback (A7)", "fallback.test.ts", {
    in: "lineOf",
    find: `$line.origin !== $c.req.header("origin")`,
    replace: "false",
  }),
  without("proxy count in X-Forwarded-For (A27)", "address.test.ts", {
    in: "remoteOf",
    find: "$forwarded.at(-$trusted)",
    replace: "$forwarded[0]",
  }),
  without("networks of IPv6 addresses (A26)", "address.test.ts", {
    in: "networkOf",
    find: "expand($plain).slice(0, 4)",
    replace: "expand($plain)",
  }),
  inWidget("list of schemes for links (A12, A13)", "text/markdown.test.ts", {
    in: "safeUrl",
    find: "/^(https?|mailto|tel):$/.test($protocol)",
    replace: "true",
  }),
  inWidget("ban on passwords in links (A16)", "text/markdown.test.ts", {
    in: "safeUrl",
    find: "!$url.username",
    replace: "true",
  }),
  inWidget("comparison of a link's text with its target (A16)", "label.test.ts", {
    in: "labelledLink",
    find: "realTarget($url, $shown)",
    replace: "undefined",
  }),
  inWidget("removal of invisible signs (A16)", "label.test.ts", { in: "INVISIBLE", replace: "/\\0/g" }),
  inWidget("full stops of other scripts (A16)", "label.test.ts", { in: "DOTS", replace: "/\\0/g" }),
  inWidget("signs that look like a full stop (A16)", "label.test.ts", { in: "DOT_LOOKS", replace: "/(\\0)/g" }),
  inWidget("look at gaps before a full stop (A16)", "label.test.ts", { in: "GAP_BEFORE", replace: "/(\\0)/g" }),
  inWidget("look at punctuation around a name (A16)", "label.test.ts", {
    in: "addressesIn",
    find: "$word.split(BETWEEN)",
    replace: "$word",
  }),
  inWidget("punycode beside names that look like others (A16)", "label.test.ts", {
    in: "isHomograph",
    replace: "{ return false; }",
  }),
  inWidget("hidden recipients of a mail link (A16)", "label.test.ts", { in: "isHidden", replace: "false" }),
  inWidget("length of a telephone number's prefix (A16)", "label.test.ts", { in: "COUNTRY_MAX", replace: "20" }),
];
