/**
 * What visitors say of themselves in a form, on its way to the relay: sent again over every new connection, with the same
 * id, until the relay has it or says what is wrong with it. Never kept in the browser's storage.
 */

import { randomId } from "@porchlight/shared/id";
import type { ClientFrame, ErrorCode, Lead } from "@porchlight/shared/protocol";

export type Form = Omit<Lead, "t" | "id">;

export type Forms = {
  /** Resolves with the relay's complaint, or with nothing when the form is durable. */
  submit(form: Form): Promise<ErrorCode | undefined>;
  /** The relay answered about this id. Says whether it was a form's. */
  answered(id: string | undefined, complaint?: ErrorCode): boolean;
  /** Says again what has no answer. */
  repeat(): void;
};

export function createForms(send: (frame: ClientFrame) => void): Forms {
  const open = new Map<string, { frame: Lead; resolve: (complaint?: ErrorCode) => void }>();
  return {
    submit: (form) =>
      new Promise((resolve) => {
        const frame: Lead = { t: "lead", id: randomId(), ...form };
        open.set(frame.id, { frame, resolve });
        send(frame);
      }),
    answered(id = "", complaint) {
      open.get(id)?.resolve(complaint);
      return open.delete(id);
    },
    repeat() {
      for (const { frame } of open.values()) send(frame);
    },
  };
}
