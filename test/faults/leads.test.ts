import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleOf } from "../all-cases.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "../harness.ts";
import { runProcess } from "../relays.ts";
import { type Answer, caller, tokenFor } from "../tokens.ts";

const ORDER = {
  firstName: "Ada",
  email: "ada@b.example",
  phone: "+49301234567",
  consent: "Call me",
  lists: ["a", "b"],
};

describe("a lead of the server API", () => {
  let harness: Harness;
  let token: string;
  beforeEach(async () => {
    harness = await startHarness({ run: runProcess, sandbox: NO_RANDOM_FAULTS });
    harness.sandbox.seed({ lists: ["a", "b"] });
    token = await tokenFor(harness);
  });
  afterEach(() => harness.stop());

  /** The relay keeps its address and port after a restart. */
  const call = (...given: Parameters<ReturnType<typeof caller>>): Promise<Answer> => caller(harness, token)(...given);
  const create = (key: string): Promise<Answer> => call("POST", "/leads", ORDER, key);

  // The relay is killed while the service delays its answer to each step. `after`: the service had done the step.
  const KILLS = [
    ["findContact", 0, "before"],
    ["createContact", 0, "before"],
    ["createContact", 0, "after"],
    ["addToList", 0, "before"],
    ["addToList", 0, "after"],
    ["addToList", 1, "after"],
  ] as const;
  it.each(sampleOf(KILLS, [2, 5]))(
    "is durable before it is answered, and continues after a kill at %s %i, %s",
    async (route, nth, when) => {
      const calls = () => harness.sandbox.requests().filter((request) => request.route === route).length;
      const hang = { kind: "hangRequest", when } as const;
      // The first list is not delayed, the second one hangs.
      if (nth > 0) harness.sandbox.failNext(route, nth, { kind: "delay", ms: 1 });
      harness.sandbox.failNext(route, 1, hang);
      const { status, body } = await create("newsletter-ada");
      expect([status, body]).toMatchObject([202, { state: "open", email: "ada@b.example" }]);
      await harness.sandbox.until(() => calls() > nth);
      await harness.kill();
      await harness.start();
      const path = `/leads/${body.visitor}/${body.id}`;
      await expect.poll(async () => (await call("GET", path)).body.state).toBe("done");
      const { contacts, lists } = harness.sandbox.state();
      expect(contacts).toMatchObject([{ firstName: "Ada", email: "ada@b.example", phone: "+49301234567" }]);
      expect(lists).toEqual({ a: [contacts[0]?.id], b: [contacts[0]?.id] });
      // The same key means the same lead, even after the crash. Finished steps are not repeated.
      expect((await create("newsletter-ada")).body).toMatchObject({ id: body.id, visitor: body.visitor });
      const steps = harness.sandbox.requests().map(({ route, path }) => `${route} ${path}`);
      const count = (step: string): number => steps.filter((each) => each.startsWith(step)).length;
      if (route === "addToList") expect([count("findContact"), count("createContact")]).toEqual([1, 1]);
      if (nth > 0) expect(steps.filter((step) => step.includes("/lists/a/"))).toHaveLength(1);
      expect((await call("GET", "/leads")).body.items).toHaveLength(1);
    },
  );
});
