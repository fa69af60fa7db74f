/** When an answer can be expected, where the site says so: under the title, and below what waits for a person. */

import { computed, signal } from "@preact/signals-core";
import { authorOf, replier } from "../base/author.ts";
import { live, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isUnreachable } from "../base/conversation-state.ts";
import { clockTime } from "../thread/rows.ts";
import { canRead, hasHours, isOpenAt, opensNext } from "./hours.ts";

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const [HOUR, DAY] = [60, 24 * 60];

/**
 * The site's hours, looked at again every minute while somebody has the chat before them. A page's that cannot be read are
 * passed over.
 */
export function followHours(
  { t, settings, shell, language, now }: Needs<"t" | "language" | "settings" | "shell" | "now">,
  mounted: Mounted,
) {
  const minute = signal(now());
  const hours = computed(() => (canRead(settings.value.hours) ? settings.value.hours : (shell.site.hours ?? {})));
  mounted(() => {
    const timer = setInterval(() => {
      minute.value = now();
    }, MINUTE_MS);
    return () => clearInterval(timer);
  });
  return {
    isClosed: (): boolean => hasHours(hours.value) && !isOpenAt(hours.value, minute.value),
    /** When it opens next, in words and by the visitor's own clock; with the date where the day alone would mislead. */
    opens(weekday: "long" | "short"): string | undefined {
      const next = opensNext(hours.value, minute.value);
      if (next === undefined) return undefined;
      const [then, today] = [new Date(next), new Date(minute.value)];
      const isToday = then.toDateString() === today.toDateString();
      const isFar = !isToday && (then.getDay() === today.getDay() || next - minute.value > WEEK_MS);
      const { region } = language.value;
      const time = clockTime(next, region);
      if (isToday && weekday === "short") return time;
      const day = new Intl.DateTimeFormat(region, { weekday, ...(isFar && { day: "numeric", month: weekday }) });
      // Apart: together some languages put the day into brackets behind the time, where no sentence goes on.
      return t("dayTime", { day: day.format(then), time });
    },
  };
}

/** "in about 2 hours", in the units that such a time is said in. */
function usually({ t, settings, language }: Needs<"t" | "language" | "settings">): string {
  const { replyMinutes } = settings.value;
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

/**
 * The line under the title. Who answers always comes first: what is cut off for want of room is never that. While the way to
 * the service is not open it promises nothing.
 */
export const Status = live((ui: Needs<"t" | "language" | "settings" | "chat" | "shell" | "now">, mounted) => {
  const { t, settings } = ui;
  const { isClosed, opens } = followHours(ui, mounted);
  const back = (): string => {
    const when = opens("short");
    return when ? t("backAt", { when }) : t("closedTitle");
  };
  return () => {
    const late = isUnreachable(ui);
    const more = isClosed() ? back() : settings.value.replyMinutes > 0 && !late ? usually(ui) : "";
    const words = more ? `${authorOf(ui)} · ${more}` : late ? authorOf(ui) : t(`status${replier(ui)}`);
    return <span key={words}>{words}</span>;
  };
});

type ReplyTimeNeeds = Needs<"t" | "language" | "settings" | "chat" | "shell" | "announcer" | "now">;

/** Where people answer there are no dots: nobody knows when they type. What is known is how long it takes (WIDGET 8.2). */
export const ReplyTime = live((ui: ReplyTimeNeeds, mounted) => {
  const { chat, settings, announcer, language } = ui;
  const { isClosed } = followHours(ui, mounted);
  const waits = computed(() => {
    const newest = chat.items.value.at(-1);
    const { responder, replyMinutes } = settings.value;
    return responder === "human" && replyMinutes > 0 && newest?.state === "delivered" && !isClosed();
  });
  mounted(watch(() => waits.value && announcer.status(usually(ui))));
  return () =>
    waits.value && (
      <div class="waiting" data-row>
        <p class="meta">{asSentence(usually(ui), language.value.tag)}</p>
      </div>
    );
});
