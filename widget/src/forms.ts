/**
 * What visitors say of themselves in a form, on its way to the relay: sent again over every new connection, with the same
 * id, until the relay has it or says what is wrong with it. Never kept in the browser's storage.
 */

import { randomId } from "@porchlight/shared/id";
import type { ClientFrame, ErrorCode, ErrorFrame, Lead } from "@porchlight/shared/protocol";
import { type Signal, signal } from "@preact/signals-core";

export type Form = Omit<Lead, "t" | "id">;

export type Refused = { id: string; field: "email" | "phone" };

export type Forms = {
  /** Resolves with the relay's complaint, or with nothing when the form is durable. The same `id` again mends a form. */
  submit(form: Form, id?: string): Promise<ErrorCode | undefined>;
  /** The form is durable. */
  taken(id: string): void;
  /** Whether the error was a form's. One that comes when its form was taken long before is shown anew. */
  complained(error: ErrorFrame): boolean;
  /** A form that was taken, and a field of it that the service refused afterwards. */
  refused: Signal<Refused | undefined>;
  /** Says again what has no answer. */
  repeat(): void;
};

export function createForms(send: (frame: ClientFrame) => void): Forms {
  const open = new Map<string, { frame: Lead; resolve: (complaint?: ErrorCode) => void }>();
  const refused = signal<Refused | undefined>();
  /** Forms whose complaint was heard here: the relay repeats it with every greeting. */
  const told = new Set<string>();

  function answered(id = "", complaint?: ErrorCode): boolean {
    open.get(id)?.resolve(complaint);
    return open.delete(id);
  }

  return {
    submit: (form, id = randomId()) =>
      new Promise((resolve) => {
        const frame: Lead = { t: "lead", id, ...form };
        open.set(frame.id, { frame, resolve });
        send(frame);
      }),
    refused,
    taken(id) {
      answered(id);
      told.delete(id);
      refused.value = undefined;
    },
    complained({ id, code, field }) {
      const awaited = answered(id, code);
      if (id && field) {
        if (!awaited && !told.has(id)) refused.value = { id, field };
        told.add(id);
      }
      return awaited || !!field;
    },
    repeat() {
      for (const { frame } of open.values()) send(frame);
    },
  };
}
