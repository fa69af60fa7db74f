import type { ClientFrame, RelayFrame } from "@porchlight/shared/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { createForms, type Form, type Forms } from "./form-frames.ts";
import { WELCOME } from "./script.fixture.ts";

const LEAD = { t: "lead", email: "ada@shop.example", chat: true, consent: "I agree" } as Form;
let sent: ClientFrame[];
let forms: Forms;

beforeEach(() => {
  sent = [];
  forms = createForms((frame) => sent.push(frame));
});

const idsOf = (): unknown[] => sent.map((frame) => "id" in frame && frame.id);
const stored = (id: string): void => forms.onFrame({ t: "lead", id } as RelayFrame);

describe("a form", () => {
  it("is sent again with the same id after each welcome, until the relay has stored it", async () => {
    const done = forms.submit(LEAD, "form-1");
    forms.onFrame(WELCOME);
    expect([idsOf(), forms.waiting()]).toEqual([["form-1", "form-1"], true]);
    stored("form-1");
    expect(await done).toBeUndefined();
    forms.onFrame(WELCOME);
    expect([sent.length, forms.waiting()]).toEqual([2, false]);
  });

  it("resolves with the relay's error, and is not sent again", async () => {
    const done = forms.submit(LEAD, "form-1");
    expect(forms.ownsError({ t: "error", id: "form-1", code: "rate_limited" })).toBe(true);
    expect(await done).toBe("rate_limited");
    forms.onFrame(WELCOME);
    expect(sent).toHaveLength(1);
  });

  it("is dropped when the visitor leaves", async () => {
    const done = forms.submit(LEAD, "form-1");
    forms.clear();
    expect([await done, forms.waiting()]).toEqual(["try_later", false]);
  });

  it("ignores errors that belong to another frame", () => {
    void forms.submit(LEAD, "form-1");
    expect(forms.ownsError({ t: "error", id: "message-1", code: "rate_limited" })).toBe(false);
    expect(forms.waiting()).toBe(true);
  });

  it("that was accepted is shown as refused once, when the service later refuses a field", () => {
    const error = { t: "error", id: "form-1", code: "bad_frame", field: "email" } as const;
    expect(forms.ownsError(error)).toBe(true);
    expect(forms.refused.value).toEqual({ id: "form-1", field: "email" });
    forms.refused.value = undefined;
    // The relay repeats the error after each `hello`.
    forms.ownsError(error);
    expect(forms.refused.value).toBeUndefined();
    // A corrected form may be refused again.
    void forms.submit(LEAD, "form-1");
    stored("form-1");
    forms.ownsError(error);
    expect(forms.refused.value).toEqual({ id: "form-1", field: "email" });
  });
});

describe("the relay's data about the visitor", () => {
  it("is the rating and the email address of the welcome", () => {
    forms.onFrame({ ...WELCOME, email: true, rating: { of: 5, score: 1 } } as RelayFrame);
    expect([forms.email.value, forms.rating.value]).toEqual([true, { of: 5, score: 1 }]);
  });

  it("includes an email address once its form is stored, and keeps the rating of a status without one", () => {
    forms.onFrame({ ...WELCOME, email: false, rating: { of: 5 } } as RelayFrame);
    void forms.submit(LEAD, "form-1");
    stored("form-1");
    forms.onFrame({ t: "status" } as RelayFrame);
    expect([forms.email.value, forms.rating.value]).toEqual([true, { of: 5 }]);
  });
});
