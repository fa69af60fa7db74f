/**
 * Whether the visible text of a link names another target than its address (RELIABILITY A16). A reader trusts what an
 * address looks like, so texts are compared by their look: without invisible characters, and with look-alike dots and
 * letters of other alphabets replaced.
 */

/** Invisible characters: zero-width ones, soft hyphens, direction marks, tags (UAX 44). */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/**
 * Full stops of other scripts that browsers read as one in a host (UTS 46, 4), and the characters that look like one
 * (UTS 39, confusables.txt).
 */
const DOTS = /[\u3002\uff61\u2024\ua4f8\u0701\u0702\ua60e\u{10a50}\u{1d16d}]/gu;
/** Marks that change the order in which a text is drawn (UAX 9). Letters have a direction without them. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/**
 * Digits and middle dots that look like a full stop (most are in confusables.txt of UTS 39). Only between Latin letters,
 * because other scripts use some of them within words.
 */
const DOT_LOOKS =
  /([a-z\d-])[\u00b7\u0660\u06d4\u06f0\u1427\u16eb\u2022\u2027\u2219\u22c5\u2981\u2cf9\u2cfe\u2e30\u2e31\u2e33\u2e3c\u30fb\uff65\ua78f\u{10101}](?=[a-z])/giu;
/** White space before a full stop within a name, and narrow spaces after one: a reader hardly sees them. */
const GAP_BEFORE = /[\s\u2800]{1,3}(\.\p{L})/gu;
const GAP_AFTER = /\.[\u2006\u2008-\u200a\u202f\u205f](?=\p{L})/gu;
/** Several dots in a row: no name has them, so they separate two. NFKC writes an ellipsis as three. */
const ELLIPSIS = /\.{2,}/g;
/** Separators between words. They also end an address that begins with its scheme. */
const SPACES = /[\s"'<>()|,;]+/;
/**
 * What ends the word around a link. Letters of scripts that write no spaces between words also end it; otherwise a whole sentence
 * would be one word.
 */
const WORD_END =
  /[\s\u2800"'<>()|,;\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
/** Spaces beside a link that do not end a name for a reader, as in `GAP_BEFORE` and `GAP_AFTER`. */
const GAP_AT_END = /[\s\u2800]{1,3}$/;
const GAP_AT_START = /^[\s\u2800]{1,3}(?=\p{P})/u;
const THIN_AT_END = /[\u2006\u2008-\u200a\u202f\u205f]$/;
/** Longest part of a word that is compared. A link within a longer word always shows its target. */
export const WORD_MAX = 100;
/** Punctuation and symbols, except those that occur in addresses and in Hebrew names (RFC 5892). */
const BETWEEN = /(?:(?![.\-_@:/?#\\%&=+~\u05f3\u05f4])[\s\p{P}\p{S}])+/u;
/** A host as a reader recognizes it: an IPv4 or IPv6 address, or a name whose last part has letters. */
const HOST = /^(?:(?:\d+\.){3}\d+|\[[\da-f:.]+\]|[^\s.]+(?:\.[^\s.]+)*\.[\p{L}\p{M}][\p{L}\p{M}\p{N}-]+)$/u;
/** The parts of a word that can be a host: without `&`, `=`, `%` and others that end a host for a reader. */
const HOST_PARTS = /\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}.-]+/gu;
/** An IPv6 address without brackets: eight groups, or fewer with `::` (RFC 4291, 2.2). */
const IPV6 = /^(?=[\da-f.:]{3,45}$)(?:.*::|(?:[\da-f]{1,4}:){7})/;
/** A telephone number that begins with its scheme or with a plus. */
const PHONE = /(?:^|\s)(?:tel:|\+)\+?\d[\d\s().-]{5}/;

/** European Latin letters, without those that look like other letters (such as the dotless i). */
const LATIN = /^[\w\u00df-\u00f6\u00f8-\u0130\u0132-\u0137\u0139-\u017e-]+$/;
/** Letters of Cyrillic and Greek that look like Latin ones, also with a hook or a tail (UTS 39, confusables.txt). */
const LATIN_LOOKS = /^[асԁеһіјӏорԛѕԝхуъьвкмнтгѵпѡԍꙇҏҫҽҿғқҝҟҡӎңӊҭүұҳӽӿαβεζικμνορστυϝϳωχγη\d-]+$/;
/** The other scripts in which a host's name may be written, by their Unicode names. */
const SCRIPTS = "Arab Hebr Deva Beng Guru Gujr Taml Telu Knda Mlym Sinh Thai Laoo Khmr Mymr Geor Ethi Hang Cyrl Grek";
const JAPANESE = "[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{M}\\d-]+";
/** A word in one script other than Latin, with digits. */
const ONE_SCRIPT = new RegExp(
  `^(?:${[...SCRIPTS.split(" ").map((script) => `[\\p{scx=${script}}\\p{M}\\d-]+`), JAPANESE].join("|")})$`,
  "u",
);

/** The text as it looks to a reader: for example full-width letters as plain ones (UAX 15, NFKC). */
const looksLike = (text: string): string =>
  text
    .replace(INVISIBLE, "")
    .replace(GAP_BEFORE, "$1")
    .replace(GAP_AFTER, ".")
    .normalize("NFKC")
    .replace(DOTS, ".")
    .replace(DOT_LOOKS, "$1.")
    .replace(ELLIPSIS, " ")
    .toLowerCase();

/** The text of a link without direction marks, which can reverse its letters. */
export const withoutDirectionMarks = (text: string): string => text.replace(DIRECTION, "");

/** A host as the platform parses it: punycode, without the port; undefined for an invalid host. */
function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

/** The address that a word names: the part before the `@`, and the host. */
type Address = { user: string; host: string };

/** The addresses that a text names, as a reader sees them. */
const addressesIn = (text: string): Address[] =>
  text
    .split(SPACES)
    .flatMap((word) => (/^(?:[a-z][a-z\d+-]*:)?[/\\]{2}/.test(word) ? word : word.split(BETWEEN)))
    .flatMap(addressesOf);

/**
 * The addresses in the first part of a word that has any: `shop.example` in `and/shop.example/a`. A part like
 * `shop.example&a=other.example_b` has two.
 */
function addressesOf(word: string): Address[] {
  if (IPV6.test(word)) return [{ user: "", host: `[${word}]` }];
  const [, scheme = "", rest = ""] =
    /^(https?:[/\\]*|(?:[a-z][a-z\d+-]*:)?(?:[/\\]{2})?)(.*)$/.exec(trimmed(word, /[/\\]/)) ?? [];
  const parts = rest.split(/[/?#\\]/).filter(Boolean);
  const isNamed = /[/\\]$/.test(scheme);
  for (const authority of isNamed || scheme ? parts.slice(0, 1) : parts) {
    const at = authority.lastIndexOf("@");
    const user = authority.slice(0, Math.max(0, at));
    const host = authority.slice(at + 1);
    const hosts = hostsIn(host);
    // Only the first host gets the user: a copy for each would make a text of many hosts take quadratic time.
    if (hosts.length > 0) return hosts.map((host, i) => ({ user: i === 0 ? user : "", host }));
    if (isNamed && trimmedHost(host)) return [{ user, host: trimmedHost(host) }];
    // `shop.example:@x`
    const users = hostsIn(user);
    if (users.length > 0) return users.map((host) => ({ user: "", host }));
  }
  return [];
}

/** A host without the port, and without the punctuation around it. */
const trimmedHost = (text: string): string => trimmed(text.replace(/:\d*$/, ""), /[[\]]/);

/** The hosts that a reader recognizes in a word: the word itself, or the parts of it that are hosts. */
function hostsIn(word: string): string[] {
  const whole = trimmedHost(word);
  if (HOST.test(whole)) return [whole];
  return (whole.match(HOST_PARTS) ?? []).map(trimmedHost).filter((part) => HOST.test(part));
}

/** A word without the punctuation around it, which belongs to the sentence. @param kept characters that stay */
function trimmed(text: string, kept: RegExp): string {
  const isPart = (char = "a"): boolean => /[\p{L}\p{M}\p{N}]/u.test(char) || kept.test(char);
  const chars = [...text];
  let [from, to] = [0, chars.length];
  while (from < to && !isPart(chars[from])) from++;
  while (from < to && !isPart(chars[to - 1])) to--;
  return chars.slice(from, to).join("");
}

/** A name without the marks on its letters. */
const withoutMarks = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "");

/** Whether a host's name looks like another one: it mixes alphabets, or all its letters look like Latin ones. */
function isHomograph(host: string): boolean {
  return host
    .split(".")
    .some((part) => !LATIN.test(part) && (!ONE_SCRIPT.test(part) || LATIN_LOOKS.test(withoutMarks(part))));
}

/**
 * Replaces the digits of other scripts by ASCII ones. In Unicode's rows of sixteen, Indian zeros are at position 6, the
 * others at 0.
 */
const withAsciiDigits = (text: string): string =>
  text.replace(/[^\P{Nd}\d]/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    return String((code & 15) - (code > 0x900 && code < 0xe00 ? 6 : 0));
  });

/** The digits of a telephone number, without the national prefix 0. */
const digitsOf = (text: string): string => withAsciiDigits(text).replace(/\D/g, "").replace(/^0+/, "");

/** Digits of the longest country code (ITU-T E.164), which a national number lacks. */
const COUNTRY_MAX = 3;

/** Whether the number shown is the number called, perhaps without its country code or with its extension. */
function isNumber(called: string, text: string): boolean {
  const digits = digitsOf(text);
  return [called, called.split(";")[0] ?? ""].map(digitsOf).some((number) => {
    const more = number.length - digits.length;
    return number.endsWith(digits) && more <= (/^\D*\+/.test(text) ? 0 : COUNTRY_MAX);
  });
}

/**
 * The real target of a link whose visible text names another target, or one that looks like another. This is the host (in
 * punycode, with its port) of an http address, the recipients of `mailto:`, or the number of `tel:`. Undefined if the text
 * names the real target, or none.
 * @param url where the link leads
 * @param shown its visible text
 */
export function realTarget(url: URL, shown: string): string | undefined {
  const text = looksLike(shown);
  const named = addressesIn(text);
  const path = decode(url.pathname);
  if (url.protocol === "tel:") {
    const isHonest = digitsOf(text).length < 5 ? !named[0] : isNumber(path, text);
    return isHonest ? undefined : path;
  }
  const saysNumber = PHONE.test(withAsciiDigits(text));
  if (url.protocol === "mailto:") return realRecipients(url, path, saysNumber, named, text);
  return saysNumber || named.some((address) => isOtherHost(url.hostname, address)) ? url.host : undefined;
}

/**
 * The real target of a link within a word, such as `shop[.example](…)`, when that word names another target. A reader sees one
 * address, and only a part of it is the link. Undefined if the link's own text names a target (see `realTarget`).
 * @param around the text before and behind the link
 */
export function realTargetInWord(url: URL, shown: string, around: readonly [string, string]): string | undefined {
  if (url.protocol === "tel:" || addressesIn(looksLike(shown)).length > 0) return undefined;
  const continues = /^[.\s]/.test(looksLike(shown));
  const before = around[0].replace(continues ? GAP_AT_END : THIN_AT_END, "");
  const left = before.split(WORD_END).at(-1) ?? "";
  const right = around[1].replace(GAP_AT_START, "").split(WORD_END)[0] ?? "";
  if (left + right === "") return undefined;
  return Math.max(left.length, right.length) >= WORD_MAX ? url.host : realTarget(url, left + shown + right);
}

/** Whether a shown address is not the host of the link, or looks like another host. */
function isOtherHost(own: string, { user, host }: Address): boolean {
  const named = hostnameOf(host);
  if ((named !== own && `www.${named}` !== own) || hostsIn(user).length > 0) return true;
  return (/^[\d.]+$/.test(own) && host !== own) || (own.includes("xn--") && isHomograph(host));
}

/** The recipients of a mail link, if its text hides one of them (RFC 6068: `to`, `cc` and `bcc` add recipients). */
function realRecipients(url: URL, path: string, saysNumber: boolean, named: Address[], text: string) {
  const at = path.lastIndexOf("@");
  const own = hostnameOf(path.slice(at + 1)) ?? "";
  const others = [...url.searchParams].flatMap(([name, value]) => (/^(to|b?cc)$/i.test(name) ? value : []));
  const isOther = ({ user, host }: Address): boolean =>
    hostnameOf(host) !== own ||
    (!!user && user !== path.slice(0, at).toLowerCase()) ||
    (own.includes("xn--") && isHomograph(host));
  const isHidden = others.some((other) => !text.includes(other.toLowerCase()));
  if (!saysNumber && !isHidden && !named.some(isOther)) return undefined;
  return [path.replace(/[^@]*$/, own || "$&"), ...others].join(", ");
}

/** Decodes percent-encoding; returns an invalid text unchanged. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
