/**
 * Sends forms (contact details, ratings) to the relay: again over every new connection, with the same id, until the relay
 * stores the form or returns an error. Forms are never saved in the browser's storage.
 */

import { randomId } from "@porchlight/shared/id";
import type {
  ClientFrame,
  ErrorCode,
  ErrorFrame,
  Lead,
  Rate,
  Rating,
  RelayFrame,
  Transcript,
} from "@porchlight/shared/protocol";
import { type Signal, signal } from "@preact/signals-core";

type FormFrame = Lead | Rate | Transcript;
export type Form = FormFrame extends infer Each ? (Each extends FormFrame ? Omit<Each, "id"> : never) : never;

export type Refused = { id: string; field: "email" | "phone" };

export type Forms = {
  /** The rating that the relay holds; undefined before the visitor was asked. */
  readonly rating: Signal<Rating | undefined>;
  /** Whether the relay knows the visitor's email address, from a form or a signed identity. */
  readonly email: Signal<boolean | undefined>;
  /** Resolves with the relay's error, or with undefined when the form is stored. The same `id` again corrects a form. */
  submit(form: Form, id?: string): Promise<ErrorCode | undefined>;
  /** Handles the relay's frames. After a welcome, sends every unanswered form again. */
  onFrame(frame: RelayFrame): void;
  /** Whether the error belongs to a form. An error about a field of a form that was accepted earlier sets `refused`, once. */
  ownsError(error: ErrorFrame): boolean;
  /** Whether any form has no answer yet. */
  waiting(): boolean;
  /** Called when the visitor has left: drops all pending forms. */
  clear(): void;
  /** An accepted form of which the service later refused a field. */
  refused: Signal<Refused | undefined>;
};

/** The forms of one tab. @param send sends a frame if the connection is open; otherwise the next welcome sends the form again */
export function createForms(send: (frame: ClientFrame) => void): Forms {
  const open = new Map<string, { frame: FormFrame; resolve: (error?: ErrorCode) => void }>();
  const rating = signal<Rating | undefined>();
  const email = signal<boolean | undefined>();
  const refused = signal<Refused | undefined>();
  /** Forms whose error was already shown here: the relay repeats it after every `hello`. */
  const shown = new Set<string>();

  function answered(id = "", error?: ErrorCode): boolean {
    open.get(id)?.resolve(error);
    return open.delete(id);
  }

  return {
    rating,
    email,
    submit: (form, id = randomId()) =>
      new Promise((resolve) => {
        const frame: FormFrame = { id, ...form };
        open.set(frame.id, { frame, resolve });
        send(frame);
      }),
    waiting: () => open.size > 0,
    clear() {
      for (const id of [...open.keys()]) answered(id, "try_later");
    },
    refused,
    ownsError({ id, code, field }) {
      const awaited = answered(id, code);
      if (id && field) {
        if (!awaited && !shown.has(id)) refused.value = { id, field };
        shown.add(id);
      }
      return awaited || !!field;
    },
    onFrame(frame) {
      if (frame.t === "lead" || frame.t === "mailed") {
        if ((open.get(frame.id)?.frame as Lead | undefined)?.email) email.value = true;
        answered(frame.id);
        shown.delete(frame.id);
        refused.value = undefined;
      }
      if (frame.t === "status") rating.value = frame.rating ?? rating.value;
      if (frame.t !== "welcome") return;
      rating.value = frame.rating;
      email.value = frame.email;
      for (const { frame } of open.values()) send(frame);
    },
  };
}
