/** `POST /incoming_custom_channel_message` (interface 4.5; BEHAVIOUR 4.7). 200 means queued, not processed. */

import type { Fields } from "@porchlight/shared/json-fields";
import { Refusal } from "../answers.ts";
import {
  checkBodyLength,
  checkFromIdLength,
  isBlank,
  objectField,
  onlyFields,
  optionalText,
  personFields,
  requiredText,
} from "../fields.ts";
import type { Queued } from "../intake.ts";
import { fetchMedia, readMedia } from "../media.ts";
import type { Media } from "../messages.ts";
import type { SandboxConfig } from "../options.ts";
import type { Service } from "../service.ts";
import type { Call, Endpoint, Result } from "./call.ts";

/** The fields of `customData`. */
const FIELDS = [
  ...["messageSid", "id", "fromId", "toId", "body", "status", "channel", "campaignId"],
  ...["firstName", "lastName", "email", "mediaUrl", "mediaContentType"],
];

const invalid = (message: string) => new Refusal("VALIDATION", message);

/** Answers 200 once the fields are valid; contact, message and the bot's answer follow after the answer is written. */
export const incoming: Endpoint = async (service, call) => {
  const { config, sids, newId, clock } = service;
  const data = customDataOf(call, config);
  const media = await checkedMedia(service, data);
  const queued = messageOf(call.body, data, media, config);
  service.campaigns.check(queued.campaignId);
  const { messageSid, fromId, body } = queued;

  const seen = sids.find(messageSid, fromId);
  if (seen !== undefined) return duplicate(service, call, queued, seen);
  const messageId = config.messageIdEqualsSid ? messageSid : newId();
  sids.take(messageSid, fromId, { messageId, at: clock.now(), body });
  const message = { ...queued, messageId, at: clock.now(), warnings: call.warnings };
  return { status: 200, body: { success: true, messageId }, after: () => service.intake.add(message) };
};

function customDataOf(call: Call, config: SandboxConfig): Fields {
  onlyFields(call.body, ["customData", "messageType"], config);
  const data = objectField(call.body, "customData");
  onlyFields(data, FIELDS, config);
  if (data.messageType !== undefined) call.warnings.push("messageType inside customData is ignored (R-242)");
  return data;
}

/** The checked media. Fetches it at once only if an unreachable link must be refused. @throws Refusal */
async function checkedMedia({ config, poster }: Service, data: Fields): Promise<Media | undefined> {
  // A message without a file waits for no I/O, so such messages keep the order of their arrival.
  if (data.mediaUrl === undefined || data.mediaUrl === null) return undefined;
  const media = await readMedia(data, config);
  if (media === undefined || media.bytes !== undefined || config.mediaFailure === "ignore") return media;
  await fetchMedia(media, poster, config);
  if (media.error !== undefined) throw invalid(`mediaUrl could not be fetched: ${media.error}`);
  return media;
}

/** The valid message of a request, without its id and time. @throws Refusal */
function messageOf(
  outer: Fields,
  data: Fields,
  media: Media | undefined,
  config: SandboxConfig,
): Omit<Queued, "warnings"> {
  const messageSid = optionalText(data, "messageSid", config) ?? optionalText(data, "id", config);
  if (messageSid === undefined) throw invalid("messageSid or id is required");
  const fromId = requiredText(data, "fromId", config);
  checkFromIdLength(fromId, config);
  const toId = requiredText(data, "toId", config);
  const messageType = typeOf(outer, config);
  const body = bodyOf(data, messageType, media !== undefined, config);
  const status = optionalText(data, "status", config) ?? "received";
  const channel = optionalText(data, "channel", config);
  const campaignId = optionalText(data, "campaignId", config);
  return {
    direction: "in",
    messageId: "",
    at: 0,
    messageSid,
    fromId,
    toId,
    body,
    status,
    messageType,
    person: personFields(data, config),
    ...(channel === undefined ? {} : { channel }),
    ...(campaignId === undefined ? {} : { campaignId }),
    ...(media === undefined ? {} : { media }),
  };
}

function typeOf(outer: Fields, config: SandboxConfig): "text" | "reaction" {
  const given = optionalText(outer, "messageType", config) ?? "text";
  if (given === "text" || given === "reaction") return given;
  if (config.unknownMessageType === "text") return "text";
  throw invalid("messageType must be text or reaction");
}

function bodyOf(data: Fields, type: "text" | "reaction", hasMedia: boolean, config: SandboxConfig): string {
  const body = data.body ?? "";
  const text = config.coerceTypes && typeof body === "number" ? String(body) : body;
  if (typeof text !== "string") throw invalid("body must be a string");
  if (isBlank(text) && !(hasMedia && config.bodyOptionalWithMedia)) {
    throw invalid("body is required and must not be empty");
  }
  checkBodyLength(text, config);
  if (type === "reaction" && config.reactionValidation === "emoji" && !/^\p{RGI_Emoji}$/v.test(text)) {
    throw invalid("body of a reaction must be an emoji");
  }
  return text;
}

/** The answer for a known messageSid. The message is not processed again. */
function duplicate(
  { config, newId }: Service,
  { warnings }: Call,
  { body, messageSid }: Pick<Queued, "body" | "messageSid">,
  seen: { messageId: string; body: string },
): Result {
  if (seen.body !== body) warnings.push(`messageSid ${messageSid} was sent again with other content`);
  if (config.duplicateAnswer === 409) throw new Refusal("ALREADY_EXISTS", "Duplicate messageSid");
  if (config.duplicateAnswer === 400) throw new Refusal("DUPLICATE", "Duplicate messageSid: already processed");
  const messageId = config.duplicateAnswer === "same200" ? seen.messageId : newId();
  return { status: 200, body: { success: true, messageId } };
}
