/** Strict readers for the fields of a request body: exact types; blank means absent where the interface allows it. */

import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { Refusal } from "./answers.ts";
import type { SandboxConfig } from "./options.ts";

/** White space of all scripts and zero-width characters: invisible text. */
const BLANK = /^[\s\u200b-\u200d\u2060\ufeff]*$/u;

/** Whether a reader sees nothing of the text; true for an empty one. */
export const isBlank = (text: string): boolean => BLANK.test(text);

/** A body's object under `name`. @throws Refusal VALIDATION */
export function objectField(body: Fields, name: string): Fields {
  const value = body[name];
  if (!isFields(value)) throw new Refusal("VALIDATION", `${name} is required and must be an object`);
  return value;
}

/** Refuses unknown fields when the option says so. */
export function onlyFields(body: Fields, known: readonly string[], config: SandboxConfig): void {
  if (!config.rejectUnknownFields) return;
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Refusal("VALIDATION", `Unknown field ${unknown}`);
}

/** An optional string. Blank is absent; any other type is an error. */
export function optionalText(body: Fields, name: string, config: SandboxConfig): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value === "string") return isBlank(value) ? undefined : value;
  if (config.coerceTypes && value === null) return undefined;
  if (config.coerceTypes && (typeof value === "number" || typeof value === "boolean")) return String(value);
  throw new Refusal("VALIDATION", `${name} must be a string`);
}

/** A required string. @throws Refusal VALIDATION naming the field */
export function requiredText(body: Fields, name: string, config: SandboxConfig): string {
  const value = optionalText(body, name, config);
  if (value === undefined) throw new Refusal("VALIDATION", `${name} is required`);
  return value;
}

/** A string that may also be null (media fields, R-239). */
export function nullableText(body: Fields, name: string, config: SandboxConfig): string | undefined {
  return body[name] === null ? undefined : optionalText(body, name, config);
}

/** Checks the length of the sender's id. @throws Refusal VALIDATION */
export function checkFromIdLength(fromId: string, { fromIdMaxLen }: SandboxConfig): void {
  if (fromIdMaxLen !== null && fromId.length > fromIdMaxLen)
    throw new Refusal("VALIDATION", `fromId is longer than ${fromIdMaxLen} characters`);
}

/** Checks the length of a message's text. @throws Refusal VALIDATION */
export function checkBodyLength(body: string, { maxBodyChars }: SandboxConfig): void {
  if (maxBodyChars !== null && body.length > maxBodyChars)
    throw new Refusal("VALIDATION", `body is longer than ${maxBodyChars} characters`);
}

/** Names and email of a person, all optional. A name has at most `maxNameChars` characters. */
export function personFields(body: Fields, config: SandboxConfig): Person {
  const person: Person = {};
  for (const name of ["firstName", "lastName", "email"] as const) {
    const value = optionalText(body, name, config)?.trim();
    if (value === undefined) continue;
    if (name !== "email" && config.maxNameChars !== null && value.length > config.maxNameChars) {
      throw new Refusal("VALIDATION", `${name} is longer than ${config.maxNameChars} characters`);
    }
    person[name] = value;
  }
  return person;
}

export type Person = { firstName?: string; lastName?: string; email?: string };
