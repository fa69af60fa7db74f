import { describe, expect, it } from "vitest";
import type { IdentifiedPerson } from "../base/identity.ts";
import type { ContactAnswer } from "../service/api.ts";
import { createFirstNames } from "./first-names.ts";

const person = (fields: Partial<IdentifiedPerson>): IdentifiedPerson => ({ subject: "7", claims: {}, ...fields });
const jane: ContactAnswer = { kind: "ok", status: 200, message: "", contact: { id: "c1", firstName: "Jane" } };

/** A greeting with a clock and a service that the test controls. */
function greeting(answer: (call: number) => Promise<ContactAnswer>) {
  let now = 0;
  let calls = 0;
  const timers: (() => void)[] = [];
  const nameOf = createFirstNames({
    find: (_account, by) => {
      asked.push(by);
      return answer(++calls);
    },
    clock: {
      now: () => now,
      uptime: () => now,
      after: (_ms, fn) => {
        timers.push(fn);
        return () => {};
      },
    },
  });
  const asked: object[] = [];
  return {
    asked,
    name: (fields: Partial<IdentifiedPerson>) => nameOf("main", person(fields)),
    pass: (ms: number) => {
      now += ms;
    },
    passTimeout: () => {
      for (const fn of timers.splice(0)) fn();
    },
  };
}

const HOUR = 3_600_000;

describe("the name to greet by", () => {
  it("is the signed name, without a call to the service", async () => {
    const { name, asked } = greeting(async () => jane);
    expect(await name({ firstName: "Grace", email: "jane@example.com" })).toBe("Grace");
    expect(asked).toEqual([]);
  });

  it("is looked up once a day, by phone if the number is complete, else by email", async () => {
    const { name, asked, pass } = greeting(async () => jane);
    for (let i = 0; i < 3; i++) expect(await name({ email: "jane@example.com" })).toBe("Jane");
    expect(asked).toEqual([{ email: "jane@example.com" }]);
    await name({ email: "jane@example.com", phone: "+49301234567" });
    await name({ email: "joe@example.com", phone: "030 1234567" });
    expect(asked.slice(1)).toEqual([{ phone: "+49301234567" }, { email: "joe@example.com" }]);
    pass(25 * HOUR);
    await name({ email: "jane@example.com" });
    expect(asked).toHaveLength(4);
    expect(await name({})).toBeUndefined();
  });

  it("does not delay the greeting; a late answer is used for the next one", async () => {
    let tell = (_: ContactAnswer): void => {};
    const { name, asked, passTimeout } = greeting(() => new Promise((resolve) => (tell = resolve)));
    const first = name({ email: "jane@example.com" });
    passTimeout();
    expect(await first).toBeUndefined();
    tell(jane);
    expect(await name({ email: "jane@example.com" })).toBe("Jane");
    expect(asked).toHaveLength(1);
  });

  it("is looked up again if the service did not answer", async () => {
    const answers: (() => Promise<ContactAnswer>)[] = [
      async () => ({ kind: "transient", status: 503, message: "" }),
      async () => Promise.reject(new Error("unreachable")),
      async () => jane,
    ];
    const { name } = greeting((call) => answers[call - 1]?.() ?? Promise.resolve(jane));
    expect(await name({ email: "jane@example.com" })).toBeUndefined();
    expect(await name({ email: "jane@example.com" })).toBeUndefined();
    expect(await name({ email: "jane@example.com" })).toBe("Jane");
  });
});
