/**
 * What visitors say of themselves, or of the conversation, in a form, on its way to the relay: sent again over every new
 * connection, with the same id, until the relay has it or says what is wrong with it. Never kept in the browser's storage.
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

type Said = Lead | Rate | Transcript;
export type Form = Said extends infer Each ? (Each extends Said ? Omit<Each, "id"> : never) : never;

export type Refused = { id: string; field: "email" | "phone" };

export type Forms = {
  /** What the relay knows of the visitor's rating; nothing before they were asked. */
  readonly rating: Signal<Rating | undefined>;
  /** Whether the relay knows an e-mail address of the visitor's, from a form or signed. */
  readonly email: Signal<boolean | undefined>;
  /** Resolves with the relay's complaint, or with nothing when the form is durable. The same `id` again mends a form. */
  submit(form: Form, id?: string): Promise<ErrorCode | undefined>;
  /** What the relay says; a welcome has everything said again that has no answer. */
  heard(frame: RelayFrame): void;
  /** Whether the error was a form's. One that comes when its form was taken long before is shown anew. */
  complained(error: ErrorFrame): boolean;
  /** Whether any is under way. */
  waiting(): boolean;
  /** Whoever filled them in is gone: what is under way is given up. */
  clear(): void;
  /** A form that was taken, and a field of it that the service refused afterwards. */
  refused: Signal<Refused | undefined>;
};

export function createForms(send: (frame: ClientFrame) => void): Forms {
  const open = new Map<string, { frame: Said; resolve: (complaint?: ErrorCode) => void }>();
  const rating = signal<Rating | undefined>();
  const email = signal<boolean | undefined>();
  const refused = signal<Refused | undefined>();
  /** Forms whose complaint was heard here: the relay repeats it with every greeting. */
  const told = new Set<string>();

  function answered(id = "", complaint?: ErrorCode): boolean {
    open.get(id)?.resolve(complaint);
    return open.delete(id);
  }

  return {
    rating,
    email,
    submit: (form, id = randomId()) =>
      new Promise((resolve) => {
        const frame: Said = { id, ...form };
        open.set(frame.id, { frame, resolve });
        send(frame);
      }),
    waiting: () => open.size > 0,
    clear() {
      for (const id of [...open.keys()]) answered(id, "try_later");
    },
    refused,
    complained({ id, code, field }) {
      const awaited = answered(id, code);
      if (id && field) {
        if (!awaited && !told.has(id)) refused.value = { id, field };
        told.add(id);
      }
      return awaited || !!field;
    },
    heard(frame) {
      if (frame.t === "lead" || frame.t === "mailed") {
        if ((open.get(frame.id)?.frame as Lead | undefined)?.email) email.value = true;
        answered(frame.id);
        told.delete(frame.id);
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
