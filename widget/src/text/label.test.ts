import { describe, expect, it } from "vitest";
import { corpusText } from "../../../test/corpora.ts";
import { type Inline, parsePlain } from "./inline.ts";
import { labelledLink, parseReplyText } from "./links.ts";

type Link = Extract<Inline, { kind: "link" }>;
const linksOf = (nodes: Inline[]): Link[] =>
  nodes.flatMap((node) => (node.kind === "link" ? [node] : "children" in node ? linksOf(node.children) : []));
/** The real target shown beside the first link. `undefined`: none is shown. `null`: there is no link. */
const markOf = (text: string): string | undefined | null => {
  const link = linksOf(parseReplyText(text))[0];
  return link ? link.host : null;
};

const EVIL = "https://evil.example/a";

describe("the text of a link", () => {
  it.each([
    ["a plain name", "shop.example"],
    ["a name within words", "Go to shop.example now"],
    ["a whole address", "https://shop.example/a"],
    ["an address with a password", "https://evil.example@shop.example/"],
    ["a zero-width space before the dot", "shop\u200b.example"],
    ["a zero-width joiner behind the dot", "shop.\u200dexample"],
    ["a soft hyphen before the dot", "shop\u00ad.example"],
    ["a word joiner", "sh\u2060op\u2060.\u2060example"],
    ["a byte order mark", "shop\ufeff.example"],
    ["a variation selector", "shop\ufe0f.example"],
    ["a tag character", "shop\u{e0061}.example"],
    ["full-width letters", "ｓｈｏｐ．ｅｘａｍｐｌｅ"],
    ["a full-width dot", "shop．example"],
    ["a one dot leader", "shop\u2024example"],
    ["an ideographic full stop", "shop\u3002example"],
    ["a half-width ideographic full stop", "shop\uff61example"],
    ["a small full stop", "shop\ufe52example"],
    ["mathematical letters", "𝐬𝐡𝐨𝐩.𝐞𝐱𝐚𝐦𝐩𝐥𝐞"],
    ["an international name", "bücher.example"],
    ["an international top-level domain", "пример.рф"],
    ["a name in Arabic", "مثال.إختبار"],
    ["an IPv4 address", "192.0.2.1"],
    ["an IPv4 address with a port", "192.0.2.1:8080"],
    ["an IPv6 address", "[2001:db8::1]"],
    ["a number as a host", "http://3221225985/"],
    ["a name without dots, as an address", "http://localhost/"],
    ["a mail address", "support@shop.example"],
    ["mailto", "mailto:support@shop.example"],
    ["tel", "tel:+4712345678"],
    ["a telephone number", "+47 12 34 56 78"],
    ["a name in bold", "**shop**.example"],
    ["a name in capitals", "SHOP.EXAMPLE"],
    ["a name at the end of a sentence", "Visit shop.example."],
    ["a name before a backslash", "shop.example\\\\@x"],
    ["a name after marks of direction", "\u2066shop.example\u2069"],
    ["a subdomain in front", "evil.example.shop.example"],
    ["a character that looks like a slash", "shop.example\u2215evil.example"],
    ["a name before an exclamation mark", "shop.example!"],
    ["a name before a colon", "shop.example: sign in"],
    ["a name with a port", "shop.example:443"],
    ["a name in French quotes", "«shop.example»"],
    ["a name in curly quotes", "“shop.example”"],
    ["a name in corner brackets", "「shop.example」"],
    ["a name in square brackets", "[shop.example]"],
    ["a name in the possessive", "shop.example’s page"],
    ["a name behind a dash", "—shop.example"],
    ["a name before an emoji", "shop.example🔒"],
    ["a name behind a number sign", "#shop.example"],
    ["a name behind a slash", "and/shop.example"],
    ["a name as the user of an address", "shop.example@evil.example"],
    ["a middle dot", "shop·example"],
    ["a bullet", "shop•example"],
    ["a katakana middle dot between Latin letters", "shop・example"],
    ["a space before the dot", "shop .example"],
    ["a thin space behind the dot", "shop.\u2009example"],
    ["a blank Braille cell before the dot", "shop\u2800.example"],
    ["backslashes behind the scheme", "https:\\\\\\\\shop.example"],
    ["an IPv6 address without brackets", "2001:db8::1"],
    ["the short IPv6 address", "::1"],
    ["a telephone number in Arabic digits", "+٤٧ ١٢ ٣٤ ٥٦ ٧٨"],
    ["a name before an ellipsis and a word", "shop.example…login"],
    ["a name before two dots and a word", "shop.example..login"],
    ["a name behind the scheme and a number sign", "https://#shop.example"],
    ["a name before an ampersand", "shop.example&session=1"],
    ["a name before an equals sign", "shop.example=login"],
    ["a name before a plus", "shop.example+login"],
    ["a name before a tilde", "shop.example~login"],
    ["a name before an underscore", "shop.example_login"],
    ["a name before a percent-encoded slash", "www.shop.example%2Flogin"],
    ["a name before a colon and a word", "shop.example:login"],
    ["a name before a colon and an at sign", "shop.example:@x"],
    ["a name with a final dot before an ampersand", "shop.example.&x"],
    ["a name before a Hebrew mark", "shop.example׳x"],
    ["a name before its port and an ampersand", "shop.example:443&a"],
    ["a name behind an equals sign", "page=shop.example&a"],
    ["a name behind the real one", "evil.example&a=shop.example_b"],
    ["a name as the user of an address, with a colon", "shop.example:x@evil.example"],
    ["a name as the user of an address, with an ampersand", "shop.example&x@evil.example"],
    ["a mail address before an ampersand", "support@shop.example&x"],
    ["an IPv4 address before an ampersand", "192.0.2.1&x"],
    ["an IPv6 address before an ampersand", "[2001:db8::1]&x"],
  ])("is followed by the real host if it names another one: %s", (_, shown) => {
    expect(markOf(`[${shown}](${EVIL})`)).toBe("evil.example");
  });

  /** What Unicode 17 lists as looking like a full stop or a middle dot, in NFKC (UTS 39, confusables.txt). */
  const DOT_LOOKS =
    "\u00b7\u0387\u0660\u06d4\u06f0\u0701\u0702\u1427\u16eb\u2022\u2024\u2027\u2219\u22c5\u2e31\u2e33\u3002\u30fb\ua4f8\ua60e\ua78f\uff0e\uff61\uff65\u{10101}\u{10a50}\u{1d16d}";
  it.each([...DOT_LOOKS].map((dot) => [dot.codePointAt(0)?.toString(16), dot]))(
    "is followed by the real host if it names another one with U+%s as a dot",
    (_, dot) => {
      const texts = [`shop${dot}example`, `www${dot}shop${dot}example`, `https://shop${dot}example/sign-in`];
      expect(texts.map((text) => markOf(`[${text}](${EVIL})`))).toEqual(texts.map(() => "evil.example"));
    },
  );

  const TO_EVIL = `(${EVIL})`;
  it.each([
    ["the end of a name", `shop[.example]${TO_EVIL}`],
    ["the path of an address", `https://shop.example[/login]${TO_EVIL}`],
    ["the path of a name, without the slash", `shop.example/[login]${TO_EVIL}`],
    ["the beginning of a name", `[shop]${TO_EVIL}.example`],
    ["the middle of a name", `www.[shop]${TO_EVIL}.example`],
    ["half of a word", `Go to shop.exam[ple]${TO_EVIL} now`],
    ["a part behind bold text", `**shop**[.example]${TO_EVIL}`],
    ["a struck part before text", `~~[shop]${TO_EVIL}~~.example`],
    ["two links in a row", `[shop]${TO_EVIL}[.example]${TO_EVIL}`],
    ["a name behind the user of a mail address", `support@[shop]${TO_EVIL}.example`],
    ["the end of a name in Russian", `пример[.рф]${TO_EVIL}`],
    ["a part behind a space before the dot", `shop [.example]${TO_EVIL}`],
    ["a part before a thin space and the dot", `[shop]${TO_EVIL}\u2009.example`],
    ["a part behind the dot and a thin space", `shop.\u2009[example]${TO_EVIL}`],
    ["a part behind a zero-width space", `shop\u200b[.example]${TO_EVIL}`],
    ["a part behind a full-width dot", `shop．[example]${TO_EVIL}`],
    ["the end of a long address", `shop.example/${"a".repeat(100)}[/login]${TO_EVIL}`],
  ])("is followed by the real host if the link is a part of a word that names another one: %s", (_, text) => {
    expect(markOf(text)).toBe("evil.example");
  });

  it.each([
    ["the real host", `evil.example/[a]${TO_EVIL}`],
    ["no host", `Tick[et]${TO_EVIL}s`],
    ["the number of a source", `as the study says.[1]${TO_EVIL}`],
    ["a Chinese sentence", `详见官网。[点击这里]${TO_EVIL}了解`],
    ["a Japanese sentence", `店です.[こちら]${TO_EVIL}をご覧ください`],
    ["a name in parentheses", `(shop.example)[more]${TO_EVIL}`],
    ["a name in front of a space", `Beside shop.example [we]${TO_EVIL} sell lamps`],
    ["the end of a sentence", `Read [this page]${TO_EVIL}. It helps.`],
    ["a telephone number behind a sign", "№5:[123456](tel:123456)"],
  ])("is not followed by a host if the word around it names the real one, or none: %s", (_, text) => {
    expect(markOf(text)).toBeUndefined();
  });

  it.each([
    ["words", "our delivery page"],
    ["the host", "evil.example"],
    ["the host in capitals, at the end of a sentence", "Go to EVIL.example."],
    ["the host without www", "evil.example", "https://www.evil.example/"],
    ["the host with a zero-width space", "evil\u200b.example"],
    ["the whole address", "https://evil.example/a.html?b=c.d+47123456789#e.f", "https://evil.example/a.html"],
    ["a price", "only 3.50"],
    ["a time", "at 10.30"],
    ["an abbreviation", "e.g. this"],
    ["an international name", "bücher.example", "https://bücher.example/"],
    ["the same in punycode", "xn--bcher-kva.example", "https://bücher.example/"],
    ["a name in Russian", "пример.рф", "https://пример.рф/"],
    ["a name in Japanese", "テスト例え.jp", "https://テスト例え.jp/"],
    ["a name in Arabic", "مثال.إختبار", "https://مثال.إختبار/"],
    ["an IPv4 address", "192.0.2.1", "http://192.0.2.1/"],
    ["the host in a sentence", "«evil.example»: sign in at https://evil.example!"],
    ["the host with its port", "evil.example:443"],
    ["Japanese words", "カスタマー・サービス"],
    ["the time of day", "10:30:15"],
    ["a choice", "and/or"],
    ["the host before an ampersand", "evil.example&session=1"],
    ["the host behind a dash", "Here—evil.example"],
    ["its host with an underscore", "my_shop.example", "https://my_shop.example/"],
    ["an equation", "size=10.5kg"],
    ["words with an ellipsis", "Wait…what"],
    ["the host before an ellipsis", "evil.example…more"],
  ])("is not followed by a host if it names the real one, or none: %s", (_, shown, address = EVIL) => {
    expect(markOf(`[${shown}](${address})`)).toBeUndefined();
  });

  it.each([
    ["support@shop.example", "mailto:support@evil.example", "support@evil.example"],
    ["support@shop.example", "mailto:other@shop.example", "other@shop.example"],
    ["shop.example", "mailto:a@evil.example?subject=Hi", "a@evil.example"],
    ["support@shop\u200b.example", "mailto:a%40evil.example", "a@evil.example"],
    ["https://shop.example", "tel:+4790000000", "+4790000000"],
    ["+47 12 34 56 78", "tel:+4790000000", "+4790000000"],
    ["Call 22 33 44 55", "tel:90000000", "90000000"],
    ["+47 12 34 56 78", "mailto:a@evil.example", "a@evil.example"],
    ["a@shop.example", "mailto:a@shop.example?cc=b@evil.example", "a@shop.example, b@evil.example"],
    ["a@shop.example", "mailto:a@shop.example?BCC=b%40evil.example", "a@shop.example, b@evil.example"],
    ["١٢٣٤٥٦٧٨", "tel:+4790000000", "+4790000000"],
    ["+47 12345678", "tel:+18005551212;ext=4712345678", "+18005551212;ext=4712345678"],
    ["12345678", "tel:+90000012345678", "+90000012345678"],
  ])("is followed by the real mail address or number if it names another one: [%s](%s)", (shown, address, real) => {
    expect(markOf(`[${shown}](${address})`)).toBe(real);
  });

  it.each([
    "[support@shop.example](mailto:support@shop.example)",
    "[Write to SUPPORT@shop.example!](mailto:support@shop.example?subject=Hi)",
    "[write to us](mailto:support@shop.example)",
    "[+47 12 34 56 78](tel:+4712345678)",
    "[020 7946 0000](tel:+442079460000)",
    "[+٤٧ ١٢٣٤٥٦٧٨](tel:+4712345678)",
    "[+४७ १२३४५६७८](tel:+4712345678)",
    "[12 34 56 78, extension 5](tel:+4712345678;ext=5)",
    "[call us](tel:+442079460000)",
    "support@shop.example",
    "mailto:support@shop.example",
    "tel:+4712345678",
    "www.shop.example/a.html",
    "https://shop.example:8443/a@b.example?c=d.example",
  ])("is not followed by anything if it names the real mail address, number or address: %s", (text) => {
    expect(markOf(text)).toBeUndefined();
  });

  it.each([
    ["a Cyrillic letter among Latin ones", "https://pаypal.com/x", "xn--pypal-4ve.com"],
    ["Cyrillic letters that are drawn like Latin ones", "https://аррӏе.com", "xn--80ak6aa92e.com"],
    ["a Greek letter among Latin ones", "www.gοogle.com", "www.xn--gogle-rce.com"],
    ["Greek letters that are drawn like Latin ones", "https://οικ.gr", "xn--uxacn.gr"],
    ["a letter without its dot", "https://pıcnic.example", "xn--pcnic-n4a.example"],
    ["Cyrillic letters for w", "https://ѡѡѡ.com", "xn--n2aaa.com"],
    ["Cyrillic letters with hooks", "https://ҽӏӏо.com", "xn--n1a7wzba.com"],
    ["Cyrillic letters with tails", "https://ҏаураӏ.com", "xn--80aa1cl29a2m.com"],
    ["Cyrillic letters with marks", "https://їсӏо.com", "xn--n1af9d5z.com"],
    ["Latin letters of phonetics", "https://ɡoogle.com", "xn--oogle-qmc.com"],
    ["a port", "https://pаypal.com:8443/x", "xn--pypal-4ve.com:8443"],
    ["in a mail address", "[support@pаypal.com](mailto:support@pаypal.com)", "support@xn--pypal-4ve.com"],
    ["as the text of a link", "[pаypal.com](https://pаypal.com)", "xn--pypal-4ve.com"],
  ])("is followed by the host in punycode if the host looks like another one: %s", (_, text, real) => {
    expect(markOf(text)).toBe(real);
    if (!text.startsWith("[")) expect(linksOf(parsePlain(text, labelledLink))[0]?.host).toBe(real);
  });

  it("is followed by the usual form of an IPv4 address if it is one number, or has a hexadecimal part", () => {
    expect(["http://2130706433/", "http://0x7f.1/"].map(markOf)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("can be the address of the link, as bots write it", () => {
    for (const address of [
      "https://shop.example/a",
      "http://[::1]/a",
      "https://shop.example/a_(b)",
      "www.shop.example",
    ]) {
      const target = address.startsWith("w") ? `https://${address}` : address;
      const nodes = parseReplyText(`See [${address}](${target}), or **[${address}](${target} "Title")**.`);
      const links = linksOf(nodes);
      expect(links.map(({ href, children }) => [href, children])).toEqual(
        links.map(() => [new URL(target).href, [{ kind: "text", text: address }]]),
      );
      expect(links.map(({ host }) => host)).toEqual([undefined, undefined]);
    }
  });

  it("loses its direction marks, so that its letters keep their order", () => {
    const [link] = linksOf(parseReplyText(`[\u2067elpmaxe\u2069.\u200fpohs \u061c**a\u202eb**](${EVIL}) `));
    expect(JSON.stringify(link)).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  });

  it("never hides where a link leads (corpora/links)", () => {
    const addresses = corpusText("links/linkify-it/links.txt")
      .split("\n")
      .map((line) => line.replace(/(^|\s+)%.*$/, "").trim())
      .filter((line) => /^(https?:\/\/|www\.)[^\s@\]()[<>"'`*_~{}|\\]+$/i.test(line));
    const named = addresses.filter((address) => parsePlain(address, labelledLink)[0]?.kind === "link");
    const unmarked = named.filter((address) => markOf(`[${address}](${EVIL})`) !== "evil.example");
    expect(unmarked).toEqual([]);
    expect(addresses.length === 0 || named.length > 30).toBe(true);
  });

  it("never lets an international name pass for another one (corpora/idna)", () => {
    const tests = JSON.parse(corpusText("idna/punycode_tests.json") || "[]") as { decoded: string }[];
    const hosts = tests
      .map(({ decoded }) => `${decoded.toLowerCase()}.example`)
      .filter((host) => !/[\s\\<>]/.test(host));
    const names = hosts.filter(
      (host) => !host.startsWith(".") && URL.canParse(`https://${host}`) && /^[\p{L}\p{M}\p{N}.-]+$/u.test(host),
    );
    for (const name of names) {
      expect(markOf(`[${name}](${EVIL})`), name).toBe("evil.example");
      const own = new URL(`https://${name}`).hostname;
      expect([undefined, own], name).toContain(markOf(`[${name}](https://${name}/)`));
    }
    expect(tests.length === 0 || names.length > 10).toBe(true);
  });
});
