/**
 * `POST /send_custom_channel_message` (interface 4.4; BEHAVIOUR 4.6). Not idempotent: the same request sent twice makes two
 * messages.
 */

import {
  checkBodyLength,
  checkFromIdLength,
  objectField,
  onlyFields,
  optionalText,
  personFields,
  requiredText,
} from "../fields.ts";
import type { OutgoingMessage } from "../messages.ts";
import type { Service } from "../service.ts";
import type { Endpoint } from "./call.ts";

const FIELDS = ["fromId", "customChannel", "body", "campaignId", "firstName", "lastName", "email"];

/** Creates contact and conversation of a new `fromId`. Whether a callback follows is an option. */
export const send: Endpoint = async (service, { body }) => {
  const { config, contacts, messages, replies, campaigns } = service;
  onlyFields(body, ["customData"], config);
  const data = objectField(body, "customData");
  onlyFields(data, FIELDS, config);
  const fromId = requiredText(data, "fromId", config);
  const channel = requiredText(data, "customChannel", config);
  const text = requiredText(data, "body", config);
  const campaignId = optionalText(data, "campaignId", config);
  const person = personFields(data, config);
  checkFromIdLength(fromId, config);
  checkBodyLength(text, config);
  campaigns.check(campaignId);

  const contact = contacts.ofSender(fromId, person);
  const conversation = messages.open(fromId, contact.id);
  conversation.channel = channel;
  const message = replies.write(conversation, {
    body: text,
    origin: "api",
    ...(campaignId === undefined ? {} : { campaignId }),
  });
  const answer = {
    status: 200,
    body: { success: true, messageId: message.messageId, contactId: contact.id, message: "Message sent" },
  };
  if (config.sendTriggersCallback === "before") await service.callbacks.deliver(message);
  return { ...answer, after: () => void callBack(service, message) };
};

/** Delivers a callback for a sent message if the options say so. The interface allows both readings. */
async function callBack({ config, callbacks, newId, changes }: Service, message: OutgoingMessage): Promise<void> {
  if (config.sendTriggersCallback === "sameId") await callbacks.deliver(message);
  if (config.sendTriggersCallback !== "otherId") return;
  const { messageId } = message;
  const copy = { ...message, messageId: newId() };
  await callbacks.deliver(copy);
  // The outcome of the callback is the state of the message, also when the callback has another id (BEHAVIOUR 4.9).
  Object.assign(message, copy, { messageId });
  changes.touch();
}
