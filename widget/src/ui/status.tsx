/** When an answer can be expected, where the site says so: under the title, and below what waits for a person. */

import { computed, signal } from "@preact/signals-core";
import { authorOf, replier, type Ui } from "./context.ts";
import { hasHours, isOpenAt, opensNext } from "./hours.ts";
import { live, type Mounted, watch } from "./live.ts";

const MINUTE_MS = 60_000;
const [HOUR, DAY] = [60, 24 * 60];

/** The site's hours, looked at again every minute while somebody has the chat before them. */
export function followHours({ settings, now }: Ui, mounted: Mounted) {
  const minute = signal(now());
  mounted(() => {
    const timer = setInterval(() => {
      minute.value = now();
    }, MINUTE_MS);
    return () => clearInterval(timer);
  });
  return {
    isClosed: (): boolean => hasHours(settings.value.hours) && !isOpenAt(settings.value.hours, minute.value),
    /** Milliseconds since 1970. */
    opens: (): number | undefined => opensNext(settings.value.hours, minute.value),
  };
}

/** "in about 2 hr", in the units that such a time is said in. */
function usually({ t, settings, language }: Ui): string {
  const { replyMinutes } = settings.value;
  const [unit, size] = replyMinutes < HOUR ? (["minute", 1] as const) : replyMinutes < DAY ? HOURS : DAYS;
  const format = new Intl.NumberFormat(language.value.region, { style: "unit", unit, maximumFractionDigits: 0 });
  return t("repliesIn", { time: format.format(replyMinutes / size) });
}
const HOURS = ["hour", HOUR] as const;
const DAYS = ["day", DAY] as const;

const asSentence = ([first = "", ...rest]: string, tag: string): string => first.toLocaleUpperCase(tag) + rest.join("");

/** The line under the title. Who answers always comes first: what is cut off for want of room is never that. */
export const Status = live((ui, mounted) => {
  const { t, settings, language, now } = ui;
  const { isClosed, opens } = followHours(ui, mounted);
  const back = (): string => {
    const next = opens();
    if (next === undefined) return t("closedTitle");
    const today = new Date(next).toDateString() === new Date(now()).toDateString();
    const when = new Intl.DateTimeFormat(
      language.value.region,
      today ? { timeStyle: "short" } : { weekday: "short", hour: "numeric", minute: "2-digit" },
    );
    return t("backAt", { when: when.format(next) });
  };
  return () => {
    const more = isClosed() ? back() : settings.value.replyMinutes > 0 ? usually(ui) : "";
    const words = more ? `${authorOf(ui)} · ${more}` : t(`status${replier(ui)}`);
    return <span key={words}>{words}</span>;
  };
});

/** Where people answer there are no dots: nobody knows when they type. What is known is how long it takes (WIDGET 8.2). */
export const ReplyTime = live((ui, mounted) => {
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
