import { existsSync, readFileSync } from "node:fs";
import { phoneOf } from "../../relay/src/base/phone.ts";
import { corpus } from "../corpora.ts";
import type { Result } from "./attack.ts";
import { greet } from "./raw-client.ts";
import type { Testbed } from "./testbed.ts";
import { naughtyStrings } from "./wire.ts";

const EMAILS = [
  "",
  "@",
  "a@",
  "@b",
  "a@b",
  "a b@c.de",
  "a@b..de",
  "a@b.de\r\nBcc: x@y.zz",
  "a@b.de,c@d.ee",
  "<a@b.de>",
  "a,c@b.de",
  "x:a@b.de",
  "a@b.de;x",
  "a@@b.de",
  "\0@b.de",
];
const PHONES = [
  "",
  "+",
  "1",
  "++44 7911 123456",
  "+1 900 555 0100 ext. 5",
  "tel:+447911123456;x",
  "44\r\n+1",
  "+999999999999999",
  "0".repeat(60),
];

/** Forms that one address may send at once, by default. */
const FORMS_MAX = 10;

/**
 * A40: forms with invalid addresses, and many forms from one visitor. Succeeds when the relay accepts an invalid form, or more
 * forms than one visitor may send.
 */
export async function forms(testbed: Testbed): Promise<Result> {
  const { count } = testbed;
  const odd = naughtyStrings()
    .filter((text) => text.length < 60)
    .slice(0, count(400));
  let succeeded = odd.filter((text) => !mayBePhone(text) && phoneOf(text, "GB") !== undefined).length;
  let tried = odd.length;
  const client = await testbed.connect();
  await greet(client);
  const lead = async (id: string, more: object): Promise<string> => {
    client.send(JSON.stringify({ t: "lead", id, chat: false, consent: "I agree", ...more }));
    await client.until((frame) => frame.includes(`"${id}"`));
    return client.frames.find((frame) => frame.includes(`"${id}"`)) ?? "";
  };
  for (const [n, email] of EMAILS.entries()) {
    tried++;
    if ((await lead(`bad-email-${n}`, { email })).includes('"t":"lead"')) succeeded++;
  }
  for (const [n, phone] of PHONES.entries()) {
    tried++;
    if ((await lead(`bad-phone-${n}`, { phone })).includes('"t":"lead"')) succeeded++;
  }
  let accepted = 0;
  for (let n = 0; n < 40; n++)
    if ((await lead(`many-form-${n}`, { email: `a${n}@shop.example` })).includes('"t":"lead"')) accepted++;
  client.end();
  tried += 40;
  return {
    tried,
    succeeded: succeeded + Math.max(0, accepted - FORMS_MAX),
    control: `the relay accepts ${accepted} valid forms of one visitor, and ${realNumbers()}`,
  };
}

/** Whether a text consists only of digits and separators. */
const mayBePhone = (text: string): boolean => /^[\p{Nd}\s()+.-]*$/u.test(text);

/** How many real mobile numbers, one of each country, the relay accepts. */
function realNumbers(): string {
  const file = corpus("phone/examples.mobile.json");
  const examples = existsSync(file)
    ? Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>)
    : [["GB", "7400123456"] as const];
  const valid = examples.filter(([country, number]) => phoneOf(number, country) !== undefined).length;
  return `${valid} of ${examples.length} real numbers`;
}
