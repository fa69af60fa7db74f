/** `POST /contacts` and `GET /contacts` (interface 4.1, 4.2; BEHAVIOUR 4.3, 4.4). */

import { numericIds, Refusal } from "../answers.ts";
import { type Contact, checkEmail, checkPhone } from "../contacts.ts";
import { isBlank, onlyFields, optionalText, personFields } from "../fields.ts";
import type { SandboxConfig } from "../options.ts";
import type { Service } from "../service.ts";
import type { Call, Endpoint, Result } from "./call.ts";

const FIELDS = ["firstName", "lastName", "phone", "email"] as const;
const PLACEHOLDERS: Record<(typeof FIELDS)[number], string | undefined> = {
  firstName: "Unknown",
  lastName: "Unknown",
  email: "unknown@unknown.com",
  phone: undefined,
};

/** A contact as the interface shows it: absent fields are left out, unless options fill them. */
function view(contact: Contact, config: SandboxConfig): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: contact.id };
  for (const name of FIELDS) {
    const value = contact[name] ?? (config.placeholders ? PLACEHOLDERS[name] : undefined);
    if (value !== undefined) shown[name] = value;
    else if (config.nullsForMissing) shown[name] = null;
  }
  shown.createdAt = contact.createdAt;
  return config.numericIds ? numericIds(shown) : shown;
}

/** `POST /contacts`. A known phone gives the existing contact; so does a known email where `dedupeByEmail` is on. */
export const createContact: Endpoint = ({ config, contacts }, { body }) => {
  onlyFields(body, FIELDS, config);
  const person = personFields(body, config);
  const phone = optionalText(body, "phone", config);
  if (phone === undefined && person.email === undefined) {
    throw new Refusal("VALIDATION", "phone or email is required");
  }
  const checked = phone === undefined ? undefined : checkPhone(phone, config);
  if (person.email !== undefined) checkEmail(person.email, config);
  const { contact, created } = contacts.create(person, checked);
  return created ? createdResult(contact, config) : existingResult(contact, config);
};

const createdResult = (contact: Contact, config: SandboxConfig): Result => ({
  status: config.createStatus,
  body: createBody(contact, config),
});

function existingResult(contact: Contact, config: SandboxConfig): Result {
  const message = "Contact already exists";
  const status = config.existingStatus;
  if (status === 409) throw new Refusal("ALREADY_EXISTS", message, { also: { contactId: contact.id } });
  if (status === "soft409") {
    return { status: 200, body: { success: false, error_code: 409, message, contactId: contact.id } };
  }
  return { status, body: createBody(contact, config) };
}

function createBody(contact: Contact, config: SandboxConfig): unknown {
  const shown = view(contact, config);
  if (config.createShape === "wrapped") return { success: true, data: shown };
  if (config.createShape === "idOnly") return { success: true, contactId: contact.id };
  if (config.createShape === "renamed") {
    const { id, ...rest } = shown;
    return { contact_id: id, ...rest };
  }
  return shown;
}

/** A query parameter; blank is absent. */
function parameter(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || isBlank(value) ? undefined : value;
}

/** `GET /contacts`. With both parameters, the phone decides. */
export const findContact: Endpoint = ({ config, contacts }, { query }) => {
  const phone = parameter(query, "phoneNumber");
  const email = parameter(query, "email");
  if (phone === undefined && email === undefined) {
    throw new Refusal("VALIDATION", "phoneNumber or email is required");
  }
  const found =
    phone === undefined ? contacts.byEmail((email ?? "").trim()) : contacts.byPhone(queriedPhone(phone, config));
  return found === undefined ? notFound(config) : { status: 200, body: lookupBody(found, config) };
};

/** A raw `+` arrives as a space. Trimming would hide this mistake of the client, so it is refused first. */
function queriedPhone(phone: string, config: SandboxConfig): string {
  if (!phone.startsWith(" ")) return checkPhone(phone, config);
  if (config.rawPlusOk) return checkPhone(`+${phone.trim()}`, config);
  throw new Refusal("INVALID_PHONE", "Phone number must include the country code with a leading + (encoded as %2B)");
}

function notFound(config: SandboxConfig): Result {
  if (config.lookupNotFound === "200null") return { status: 200, body: null };
  if (config.lookupNotFound === "200empty") return { status: 200, body: {} };
  if (config.lookupNotFound === "200false") {
    return { status: 200, body: { success: false, message: "Contact not found" } };
  }
  throw new Refusal("NOT_FOUND", "Contact not found");
}

function lookupBody(contact: Contact, config: SandboxConfig): unknown {
  const shown = view(contact, config);
  if (config.lookupShape === "wrapped") return { success: true, data: shown };
  if (config.lookupShape === "idOnly") return { success: true, contactId: contact.id };
  if (config.lookupShape === "array") return [shown];
  if (config.lookupShape === "observed") {
    const { phone, ...rest } = shown;
    const renamed = phone === undefined ? rest : { ...rest, phoneNumber: phone };
    return { success: true, contactId: contact.id, contact: renamed };
  }
  return shown;
}

/** `POST /lists/{listId}/contacts` (interface 4.3; BEHAVIOUR 4.5). */
export const addToList: Endpoint = ({ config, contacts, lists }: Service, { body, listId }: Call) => {
  onlyFields(body, ["contactId"], config);
  const contactId = optionalText(body, "contactId", config);
  if (contactId === undefined) throw new Refusal("VALIDATION", "contactId is required");
  if (!lists.has(listId)) throw new Refusal("NOT_FOUND", "List not found");
  if (contacts.get(contactId) === undefined) throw new Refusal("NOT_FOUND", "Contact not found");
  if (!lists.add(listId, contactId) && config.listDuplicate !== 200) {
    const code = config.listDuplicate === 409 ? "ALREADY_EXISTS" : "DUPLICATE";
    throw new Refusal(code, "Contact is already on this list");
  }
  return config.listAddStatus === 204 ? { status: 204 } : { status: config.listAddStatus, body: { success: true } };
};
