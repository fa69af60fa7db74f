import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { pack, packExtra } from "../../build/translations.ts";
import { chooseLanguage, loadLanguage, translator } from "../text/i18n.ts";
import { withAiMark } from "../text/site-words.ts";
import { rare } from "./en.rare.ts";
import { en } from "./en.ts";
import type { Messages } from "./en.types.ts";
import { type Extra, extra } from "./extra/en.ts";

type Text = string | Readonly<Record<string, string>>;

const english: Readonly<Record<string, Text>> = { ...en, ...rare, ...extra };
const tags = readdirSync(import.meta.dirname).flatMap((name) => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? []);
const wordsOf = async (tag: string): Promise<readonly [string, Messages, Extra]> => {
  const { messages } = (await import(/* @vite-ignore */ `./${tag}.ts`)) as { messages: Messages };
  const extraWords = (await import(/* @vite-ignore */ `./extra/${tag}.ts`)) as { extra: Extra };
  return [tag, messages, extraWords.extra];
};
const modules = await Promise.all(tags.map(wordsOf));

const formsOf = (text: Text): [form: string, text: string][] =>
  typeof text === "string" ? [["", text]] : Object.entries(text);
const placeholdersOf = (text: string): string => (text.match(/\{\w*\}?|\}/g) ?? []).sort().join(" ");

/** Most bytes of each of a language's three files. */
const BYTES = 2_048;

/** Whole numbers that cover every plural form. In some languages, one form begins at a million. */
const NUMBERS = [...Array.from({ length: 1_001 }, (_, n) => n), 1_000_000];

/** Words that are the same in English and in these languages. */
const SAME = (
  "cs:chat da:chat da:formStart da:rateFair de:chat de:name de:optional de:rateFair de:emojiFaces el:email es:chat fi:chat " +
  "fil:chat fil:authorAi fil:file fil:email fil:voiceMessage fr:chat fr:message fr:emojiFaces hr:chat id:chat id:file " +
  "id:email is:sent it:chat it:file nb:chat nl:chat nl:emojiFaces pt-BR:chat pt-PT:chat pt-PT:emojiFaces ro:chat sk:chat sv:emojiFaces uz:chat vi:email"
).split(" ");

/**
 * Words that were once used inconsistently: a second form of address, a second noun for the conversation, a second spelling of
 * e-mail, participles that address only men, and the German word for a secret service. French has a narrow space before ! ? ; and a
 * full one before a colon, both of them without a line break.
 */
const INCONSISTENT: { readonly [tag: string]: RegExp } = {
  am: /ድምጽ|: |ላክልን/,
  bn: /ই-মেই/,
  cs: /odešli|Byli jste|delší/,
  da: /på mail/,
  de: /Nachrichtendienst/,
  el: /συζήτησ|e-mail/,
  et: /\bs(inu|ina|ind|ul|a)\b|Vali teema|Saada meile/,
  fa: /مکالمه|بارگیری/,
  fr: /\b(parti|déconnecté)\b|(?<!\u202f)[!?;]|(?<!\u00a0):/,
  he: /שלך|אליך|(?<!אי|ס)מייל/,
  hi: /ई-मेल/,
  hr: /Pošalji nam/,
  hu: /hosszabb/,
  id: /e-mail/,
  is: /\(ur\)/,
  it: /ne sei andat|Documento/,
  ja: /よくある質問/,
  kn: /ಸಹಾಯಕ/,
  ko: /(?<!감사)합니다|습니다|입니다/,
  lt: /atjungti|Norėdami/,
  lv: /izrakstīts/,
  my: /ဒီ/,
  nl: /\b[Uu]w?\b/,
  "pt-PT": /Você/,
  ro: /dvs|Doriți|Începeți|deconectat\b/,
  ru: /бесед|разговор/,
  sk: /odhlásení|dlhšia/,
  sl: /njen UI|Pošlji nam/,
  sr: /(?<!и)мејл|Пошаљи нам/i,
  "sr-Latn": /(?<!i)mejl|Pošalji nam/i,
  ta: /எங்களுக்குச் செய்தி அனுப்பு$/,
  th: /การสนทนา|แชต/,
  tr: /[Kk]onuşma|Bize mesaj gönder$/,
  uz: /\bemail/i,
  vi: /e-mail/,
};
/** Languages in which a length of time is inflected within a sentence: "in zwei Tagen". */
const INFLECTED =
  "am ar bn ca cs de es et fi gu hi hr hu is ja kk kn ko lt lv ml mr my ne pa pl ps ru sk sl sr sr-Latn sw ta te tr uk ur uz".split(
    " ",
  );

describe("the languages of the chat", () => {
  it("are sixty, with English", () => expect(tags.length + 1).toBe(60));

  it.each([
    ["de-AT", "de"],
    ["es-419", "es"],
    ["pt", "pt-BR"],
    ["pt-PT", "pt-PT"],
    ["pt-AO", "pt-PT"],
    ["zh", "zh-Hans"],
    ["zh-CN", "zh-Hans"],
    ["zh-TW", "zh-Hant"],
    ["zh-Hant-MO", "zh-Hant"],
    ["sr-RS", "sr"],
    ["sr-Latn-RS", "sr-Latn"],
    ["sr-ME", "sr-Latn"],
    ["no", "nb"],
    ["nn", "nb"],
    ["iw", "he"],
    ["tl-PH", "fil"],
    ["pa-IN", "pa"],
    ["in", "id"],
    ["en-GB", "en"],
  ])("give a visitor who wants %s the texts of %s", (wanted, tag) =>
    expect(chooseLanguage([wanted], ["en", ...tags])).toBe(tag),
  );

  it("have the direction right to left exactly for the languages written so", async () => {
    const found = await Promise.all(tags.map((tag) => loadLanguage(tag, {}, [], async () => ({ messages: [] }))));
    expect(found.filter(({ dir }) => dir === "rtl").map(({ tag }) => tag)).toEqual(["ar", "fa", "he", "ps", "ur"]);
  });
});

describe.each(modules)("the words of %s", (tag, messages, extraWords) => {
  const texts = Object.entries({ ...messages, ...extraWords } as Readonly<Record<string, Text>>);
  const rules = new Intl.PluralRules(tag);

  it("are complete, without unknown keys", () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys({ ...en, ...rare }).sort());
    expect(Object.keys(extraWords).sort()).toEqual(Object.keys(extra).sort());
  });

  it("have exactly the plural forms that whole numbers need", () => {
    // Every language has `other`, which is also for fractions.
    const needed = new Set([...NUMBERS.map((n) => rules.select(n)), "other"]);
    for (const [key, text] of texts) {
      expect(typeof text, key).toBe(typeof english[key]);
      if (typeof text !== "string") expect(Object.keys(text).sort(), key).toEqual([...needed].sort());
    }
  });

  it("keep the placeholders for names and numbers", () => {
    // A form for a single number may say the number in words: "two new messages".
    const alone = (form: string): boolean => NUMBERS.filter((n) => rules.select(n) === form).length === 1;
    for (const [key, text] of texts) {
      const wanted = placeholdersOf(formsOf(english[key] ?? "")[0]?.[1] ?? "");
      for (const [form, words] of formsOf(text)) {
        expect(alone(form) ? [wanted, ""] : [wanted], `${key} ${form}`).toContain(placeholdersOf(words));
      }
    }
  });

  it("are not empty, and not English", () => {
    // Many languages use the same short word for AI.
    const same = texts.filter(([key, text]) => key !== "ai" && JSON.stringify(text) === JSON.stringify(english[key]));
    expect(same.map(([key]) => `${tag}:${key}`)).toEqual(SAME.filter((name) => name.startsWith(`${tag}:`)));
    const untrimmed = texts
      .flatMap(([, text]) => formsOf(text))
      .filter(([, words]) => words === "" || words !== words.trim());
    expect(untrimmed).toEqual([]);
  });

  it("name the machine by a short mark, which its own name contains", () => {
    const t = translator(tag, messages);
    expect(t("ai").length).toBeLessThanOrEqual(12);
    expect(t("authorAi").toLowerCase()).toContain(t("ai").toLowerCase());
    expect(withAiMark({ authorAi: t("authorAi"), noticeAi: "Maria" }, t)).toEqual({
      authorAi: t("authorAi"),
      noticeAi: `Maria · ${t("ai")}`,
      ai: t("ai"),
    });
  });

  it("use one word for one thing, and typographic quotes and apostrophes", () => {
    const all = texts.flatMap(([, text]) => formsOf(text).map(([, words]) => words));
    expect(all.filter((words) => /['"`]/.test(words) || INCONSISTENT[tag]?.test(words))).toEqual([]);
  });

  it("need no inflection of a day, a time or a length of time", () => {
    expect(messages.dayTime).toMatch(/^(?=.*\{day\}).*\{time\}/u);
    if (INFLECTED.includes(tag)) expect(messages.repliesIn).toMatch(/[:：፦] ?\{time\}$/);
  });

  it("are at most 2 KB per compressed file", () => {
    for (const part of ["common", "rare"] as const)
      expect(gzipSync(pack(messages, part), { level: 9 }).length, part).toBeLessThanOrEqual(BYTES);
    expect(gzipSync(packExtra(extraWords), { level: 9 }).length, "extra").toBeLessThanOrEqual(BYTES);
  });
});
