/**
 * Whether the visible text of a link names somebody else than the link leads to (RELIABILITY A16). A reader trusts what an
 * address looks like, so texts are compared as they look: without invisible characters, with the dots and letters of other
 * alphabets that are drawn like ours.
 */

/** Drawn as nothing: zero-width characters, soft hyphens, marks of direction, tags (UAX 44). */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Full stops of other scripts that browsers read as one in a host, or that look like one (UTS 46, 4). */
const DOTS = /[\u3002\uff61\u2024\ua4f8\u0701\u0702]/g;
/** Marks that change the order in which a text is drawn (UAX 9). Both directions are told apart by their letters without them. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** A host as a reader recognizes it: an IPv4 or IPv6 address, or a name whose last part has letters. */
const HOST = /^(?:(?:\d+\.){3}\d+|\[[\da-f:.]+\]|[^\s.]+(?:\.[^\s.]+)*\.[\p{L}\p{M}][\p{L}\p{M}\p{N}-]+)$/u;
/** A telephone number that says so, by its scheme or by its plus. */
const PHONE = /(?:^|\s)(?:tel:|\+)\+?\d[\d\s().-]{5}/;

/** Latin as Europeans write it, but for the letters without their dot or their cross, which are drawn like others. */
const LATIN = /^[\w\u00df-\u00f6\u00f8-\u0130\u0132-\u0137\u0139-\u017e-]+$/;
/** Letters of Cyrillic and Greek that are drawn like Latin ones. */
const LATIN_LOOKS = /^[асԁеһіјӏорԛѕԝхуъьвкмнтгѵпαεικνορτυωχγη\d-]+$/;
/** Scripts that do not look like Latin, each by itself, with digits. */
const SCRIPTS = "Arab Hebr Deva Beng Guru Gujr Taml Telu Knda Mlym Sinh Thai Laoo Khmr Mymr Geor Ethi Hang Cyrl Grek";
const JAPANESE = "[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{M}\\d-]+";
const ONE_SCRIPT = new RegExp(
  `^(?:${[...SCRIPTS.split(" ").map((script) => `[\\p{scx=${script}}\\p{M}\\d-]+`), JAPANESE].join("|")})$`,
  "u",
);

/** The text as it looks: compatible forms (full-width letters) as their plain ones (UAX 15, NFKC). */
const looksLike = (text: string): string =>
  text.normalize("NFKC").replace(INVISIBLE, "").replace(DOTS, ".").toLowerCase();

/** The text of a link without the marks that turn its letters around. */
export const inOrder = (text: string): string => text.replace(DIRECTION, "");

/** As the platform reads it: punycode, without a port; nothing for what is no host. */
function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

/** What a word names, in the form of an address: what stands before the `@`, and the host. */
function addressIn(word: string): { user: string; host: string } | undefined {
  const [, scheme = "", rest = ""] = /^((?:[a-z][a-z\d+.-]*:)?(?:\/\/)?)(.*)$/.exec(word) ?? [];
  const authority = /^[^/?#\\]*/.exec(rest)?.[0] ?? "";
  const at = authority.lastIndexOf("@");
  const host = withoutDots(authority.slice(at + 1).replace(/:\d*$/, ""));
  return HOST.test(host) || (host && scheme.endsWith("//"))
    ? { user: authority.slice(0, Math.max(0, at)), host }
    : undefined;
}

/** Without the dots at its end, which are the sentence's. */
function withoutDots(text: string): string {
  let end = text.length;
  while (text[end - 1] === ".") end--;
  return text.slice(0, end);
}

/** Whether a host's name could be taken for another one: letters of several alphabets, or all of them drawn like Latin ones. */
function isHomograph(host: string): boolean {
  return host.split(".").some((part) => !LATIN.test(part) && (!ONE_SCRIPT.test(part) || LATIN_LOOKS.test(part)));
}

/** The digits of a telephone number, without the zero that stands before it at home. */
const digitsOf = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");

/**
 * The real target, where the visible text names another one or one that looks like another: the host, with its port, of an
 * http address (in punycode), the address of `mailto:`, the number of `tel:`. Nothing where the text is honest or names none.
 * @param url where the link leads
 * @param shown its visible text
 */
export function realTarget(url: URL, shown: string): string | undefined {
  const text = looksLike(shown);
  const words = text.split(/[\s"'<>()|,;]+/);
  const path = decode(url.pathname);
  if (url.protocol === "tel:") {
    const digits = digitsOf(text);
    const honest = digits.length < 5 ? !words.some(addressIn) : digitsOf(path).endsWith(digits);
    return honest ? undefined : path;
  }
  const isMail = url.protocol === "mailto:";
  const own = isMail ? (hostnameOf(path.slice(path.lastIndexOf("@") + 1)) ?? "") : url.hostname;
  const isOther = ({ user, host }: { user: string; host: string }): boolean => {
    const named = hostnameOf(host);
    if (named !== own && (isMail || `www.${named}` !== own)) return true;
    if (isMail && user && user !== path.slice(0, path.lastIndexOf("@")).toLowerCase()) return true;
    return own.includes("xn--") && isHomograph(host);
  };
  const lies = PHONE.test(text) || words.some((word) => isOtherWord(word, isOther));
  if (!lies) return undefined;
  return isMail ? path.replace(/[^@]*$/, own || "$&") : url.host;
}

function isOtherWord(word: string, isOther: (address: { user: string; host: string }) => boolean): boolean {
  const address = addressIn(word);
  return address !== undefined && isOther(address);
}

/** Percent signs as the characters they stand for; where they stand for none, as they are. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
