import type { Transaction } from "../db/database.ts";

/** A field of the service's callbacks, and when it first occurred, in milliseconds since 1970. */
export type CallbackField = { kind: "reply" | "recharge"; field: string; type: string; at: number };

/** Stores fields that are new. */
export const addCallbackFields = (tx: Transaction, fields: readonly CallbackField[]): Promise<void> =>
  tx.runEach(
    "INSERT INTO callback_fields (kind, field, type, at) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, field) DO NOTHING",
    fields.map(({ kind, field, type, at }) => [kind, field, type, at]),
  );

/** All fields that occurred in callbacks, in the order of their first occurrence. */
export const callbackFields = (tx: Transaction): Promise<CallbackField[]> =>
  tx.all("SELECT kind, field, type, at FROM callback_fields ORDER BY kind, at, field");
