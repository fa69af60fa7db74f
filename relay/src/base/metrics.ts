import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Counted events of messages: stored (from a visitor), accepted by the service, failed, and replies stored. */
export const MESSAGE_EVENTS = ["stored", "delivered", "failed", "reply"] as const;
export type MessageEvent = (typeof MESSAGE_EVENTS)[number];

/** Answers of the service by class; `none`: the service did not answer. */
export const ANSWER_CLASSES = ["2xx", "429", "4xx", "5xx", "none"] as const;
export type AnswerClass = (typeof ANSWER_CLASSES)[number];

/** Upper bounds in seconds: from a call without load up to messages that waited for an outage to end. */
export const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200] as const;

/** Counts since the start of the process. `delivery` and `reply`: counts per bucket, the last one above all bounds. */
export type Totals = {
  messages: Record<MessageEvent, number>;
  answers: Record<AnswerClass, number>;
  delivery: number[];
  reply: number[];
};

/** Values that are read at the moment of a request. */
export type Gauges = {
  connections: () => number;
  /** Messages that the service has not accepted yet, and the age of the oldest one in seconds. */
  waiting: () => Promise<{ messages: number; oldest: number }>;
  /** Calls per minute that the service allows, as the pacer learned them, by account: of those that this node calls it for. */
  pace: () => Record<string, number>;
  /** Free bytes on the disk of the data folder. */
  diskFree: () => Promise<number>;
  /**
   * Why the service refuses an account's key or address, so that its deliveries wait; undefined for one that is accepted. By
   * account: of those that this node calls it for.
   */
  paused: () => Record<string, string | undefined>;
};

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

/** The class of an answer by its status. */
function classOf(status: number): AnswerClass {
  if (status === 429) return "429";
  if (status >= 200 && status < 300) return "2xx";
  if (status >= 500) return "5xx";
  return status >= 300 ? "4xx" : "none";
}

const bucketOf = (seconds: number): number => {
  const found = BUCKETS.findIndex((bound) => seconds <= bound);
  return found < 0 ? BUCKETS.length : found;
};

/** The series in Prometheus form. None has a label per visitor. */
function openSeries() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    messages: new Counter({
      registers,
      name: "porchlight_messages_total",
      labelNames: ["event"],
      help: "Messages by event: stored (from visitors), delivered, failed, reply",
    }),
    answers: new Counter({
      registers,
      name: "porchlight_service_answers_total",
      labelNames: ["class"],
      help: "Answers of the messaging service by class of status; none: it did not answer",
    }),
    problems: new Counter({
      registers,
      name: "porchlight_problems_total",
      labelNames: ["event"],
      help: "Log lines of level warn and error, by event",
    }),
    delivery: new Histogram({
      registers,
      name: "porchlight_delivery_seconds",
      buckets: [...BUCKETS],
      help: "Time from storing a visitor's message to its acceptance by the service",
    }),
    reply: new Histogram({
      registers,
      name: "porchlight_reply_seconds",
      buckets: [...BUCKETS],
      help: "Time from a visitor's newest message to the next reply",
    }),
  };
}

type Series = ReturnType<typeof openSeries>;

/** Adds the series whose values are read at the moment of a request. */
function addGauges({ registry }: Series, gauges: Gauges): void {
  const gauge = (name: string, help: string, read: (gauge: Gauge) => Promise<void> | void, labelNames: string[] = []) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async function () {
        this.reset();
        await read(this);
      },
    });
  gauge("porchlight_connections", "Open chats", (one) => one.set(gauges.connections()));
  gauge("porchlight_waiting_messages", "Messages that the service has not accepted yet", async (one) =>
    one.set((await gauges.waiting()).messages),
  );
  gauge("porchlight_waiting_oldest_seconds", "Age of the oldest waiting message", async (one) =>
    one.set((await gauges.waiting()).oldest),
  );
  gauge("porchlight_disk_free_bytes", "Free space on the disk of the data folder", async (one) =>
    one.set(await gauges.diskFree()),
  );
  gauge(
    "porchlight_pace_per_minute",
    "Calls per minute that the service allows an account, as the pacer learned them",
    (one) => {
      for (const [account, rate] of Object.entries(gauges.pace())) one.set({ account }, rate);
    },
    ["account"],
  );
  gauge(
    "porchlight_account_paused",
    "1 while the service refuses an account's key or address: its deliveries wait",
    (one) => {
      for (const [account, paused] of Object.entries(gauges.paused()))
        one.set({ account }, paused === undefined ? 0 : 1);
    },
    ["account"],
  );
  gauge("process_resident_memory_bytes", "Resident memory", (one) => one.set(process.memoryUsage.rss()));
  gauge("process_cpu_seconds_total", "CPU time", (one) => {
    const { user, system } = process.cpuUsage();
    one.set((user + system) / 1_000_000);
  });
}

/** Counts the relay's events for `/metrics` and for the stored series of the admin pages. */
export function createMetrics() {
  const series = openSeries();
  const totals: Totals = {
    messages: zeros(MESSAGE_EVENTS),
    answers: zeros(ANSWER_CLASSES),
    delivery: Array<number>(BUCKETS.length + 1).fill(0),
    reply: Array<number>(BUCKETS.length + 1).fill(0),
  };
  for (const event of MESSAGE_EVENTS) series.messages.inc({ event }, 0);
  for (const name of ANSWER_CLASSES) series.answers.inc({ class: name }, 0);
  const observe = (name: "delivery" | "reply", seconds: number): void => {
    const at = bucketOf(seconds);
    totals[name][at] = (totals[name][at] ?? 0) + 1;
    series[name].observe(seconds);
  };
  return {
    totals,
    /** Counts one event of a message. */
    message(event: MessageEvent): void {
      totals.messages[event]++;
      series.messages.inc({ event });
    },
    /** Counts one answer of the service. @param status HTTP status; below 300 but not 2xx: no answer */
    answer(status: number): void {
      const name = classOf(status);
      totals.answers[name]++;
      series.answers.inc({ class: name });
    },
    /** Counts a warning or an error. @param count 0 creates the series before its first event */
    problem: (event: string, count = 1): void => series.problems.inc({ event }, count),
    /** Records a delivery. @param seconds from storing the message to its acceptance */
    delivered: (seconds: number): void => observe("delivery", seconds),
    /** Records a reply. @param seconds from the visitor's newest message to the reply */
    replied: (seconds: number): void => observe("reply", seconds),
    /** Adds the series that are read at each request for `/metrics`. Call it once. */
    read: (gauges: Gauges): void => addGauges(series, gauges),
    /** The series as Prometheus reads them (text format 0.0.4). */
    text: (): Promise<string> => series.registry.metrics(),
    contentType: series.registry.contentType,
  };
}

/** The counters of one relay. */
export type Metrics = ReturnType<typeof createMetrics>;
