/** The expected time of an answer, if the site sets it: in the header, and below a message that waits for a person. */

import { computed, signal } from "@preact/signals-core";
import { rareSettings } from "../../settings/rare-options.ts";
import { authorOf, replyAuthorKind } from "../base/author.ts";
import { clockTime } from "../base/clock-time.ts";
import { component, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isUnreachable } from "../base/conversation-state.ts";
import type { HEADER_WORDS } from "../base/header-words.ts";
import { areValidHours, hasHours, isOpenAt, nextOpening } from "./hours.ts";

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const [HOUR, DAY] = [60, 24 * 60];

/**
 * The site's hours, checked every minute while the chat is visible. Invalid hours from the page are ignored.
 */
export function followHours(
  { t, settings, shell, language, now }: Needs<"t" | "language" | "settings" | "shell" | "now">,
  mounted: Mounted,
) {
  const minute = signal(now());
  const hours = computed(() => (areValidHours(settings.value.hours) ? settings.value.hours : (shell.site.hours ?? {})));
  mounted(() => {
    const timer = setInterval(() => {
      minute.value = now();
    }, MINUTE_MS);
    return () => clearInterval(timer);
  });
  return {
    isClosed: (): boolean => hasHours(hours.value) && !isOpenAt(hours.value, minute.value),
    /** When somebody will be there, as a sentence; undefined if no opening is known. */
    opens(): string | undefined {
      const next = nextOpening(hours.value, minute.value);
      return next === undefined ? undefined : backAt({ t, language }, next, minute.value);
    },
  };
}

/** "We'll be back Monday at 9:00", in the visitor's time zone; with the date if the weekday alone would be ambiguous. */
function backAt({ t, language }: Needs<"t" | "language">, next: number, now: number): string {
  const { region } = language.value;
  // "10:00 AM" stays on one line.
  const time = clockTime(next, region).replaceAll(" ", "\u00a0");
  const then = new Date(next);
  const isIn = (days: number): boolean => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    return day.toDateString() === then.toDateString();
  };
  if (isIn(0)) return t("closedToday", { time });
  if (isIn(1)) return t("closedTomorrow", { time });
  const isFar = then.getDay() === new Date(now).getDay() || next - now > WEEK_MS;
  const day = new Intl.DateTimeFormat(region, { weekday: "long", ...(isFar && DATE) }).format(then);
  // Format day and time separately: some languages would put the day in brackets after the time, which fits no sentence.
  return t("closedUntil", { when: t("dayTime", { day, time }) });
}
const DATE = { day: "numeric", month: "long" } as const;

/** "in about 2 hours", with a suitable unit. */
function usually(ui: Needs<"t" | "language" | "settings" | "shell">): string {
  const { t, language } = ui;
  const { replyMinutes } = rareSettings(ui);
  const [unit, size] = replyMinutes < HOUR ? (["minute", 1] as const) : replyMinutes < DAY ? HOURS : DAYS;
  const format = new Intl.NumberFormat(language.value.region, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 0,
  });
  return t("repliesIn", { time: format.format(replyMinutes / size) });
}
const HOURS = ["hour", HOUR] as const;
const DAYS = ["day", DAY] as const;

const asSentence = ([first = "", ...rest]: string, tag: string): string => first.toLocaleUpperCase(tag) + rest.join("");

/** Only the type is imported from the table: the table's file would be one more request. */
const CLOSED: (typeof HEADER_WORDS)["closed"] = "closedTitle";

/**
 * The line under the title. It begins with who answers, so that this part is never cut off. While the service cannot be
 * reached, or nobody is there, it promises no time.
 */
export const Status = component((ui: Needs<"t" | "language" | "settings" | "chat" | "shell" | "now">, mounted) => {
  const { t } = ui;
  const { isClosed, opens } = followHours(ui, mounted);
  /** If no opening is known, the form's heading already says that nobody is there. */
  const away = (): string => (opens() ? t(CLOSED) : "");
  return () => {
    const promises = !isClosed() && !isUnreachable(ui);
    const more = isClosed() ? away() : rareSettings(ui).replyMinutes > 0 && promises ? usually(ui) : "";
    const words = !more && promises ? t(`status${replyAuthorKind(ui)}`) : authorOf(ui);
    // A line that is too long breaks between the two parts, and then has no dot.
    return (
      <span class="parts" key={words + more}>
        <span class="whole">{words}</span>
        {more && (
          <span class="whole">
            <span class="dot">{"\u00a0· "}</span>
            {more}
          </span>
        )}
      </span>
    );
  };
});

type ReplyTimeNeeds = Needs<"t" | "language" | "settings" | "chat" | "shell" | "announcer" | "now">;

/** Shown instead of typing dots where people answer: the relay knows the usual reply time, not when they type (WIDGET 8.2). */
export const ReplyTime = component((ui: ReplyTimeNeeds, mounted) => {
  const { chat, settings, announcer, language } = ui;
  const { isClosed } = followHours(ui, mounted);
  const waits = computed(() => {
    const newest = chat.items.value.at(-1);
    const { responder } = settings.value;
    return responder === "human" && rareSettings(ui).replyMinutes > 0 && newest?.state === "delivered" && !isClosed();
  });
  mounted(watch(() => waits.value && announcer.status(usually(ui))));
  return () =>
    waits.value && (
      <div class="waiting" data-row>
        <p class="meta">{asSentence(usually(ui), language.value.tag)}</p>
      </div>
    );
});
