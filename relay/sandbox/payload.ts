import { numericIds } from "./answers.ts";
import type { OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";

/** The body of a callback. */
export type Payload = Record<string, unknown>;

/** Characters of an oversized reply: more than the megabyte that a client may refuse. */
const HUGE = 1_100_000;

/** The payload of a reply callback, as the options shape it (interface 4.7). */
export function payloadOf(
  message: Pick<OutgoingMessage, "contactId" | "messageId" | "body" | "fromId" | "channel" | "mediaUrl">,
  config: SandboxConfig,
): Payload {
  const { contactId, messageId, body, fromId, channel, mediaUrl } = message;
  let fields: Payload = {
    contactId,
    messageId,
    userId: config.userId,
    body: config.hugeBody ? body.padEnd(HUGE, " and more") : body,
    toId: fromId,
    channel: config.callbackChannel === "last" ? (channel ?? "custom") : "custom",
  };
  if (config.callbackChannel === "omit") delete fields.channel;
  if (mediaUrl !== undefined && config.humanAttachment === "mediaUrlField") fields.mediaUrl = mediaUrl;
  if (config.numericIds) fields = numericIds(fields);
  for (const name of config.callbackOmit) delete fields[name];
  Object.assign(fields, config.callbackExtras);
  return config.callbackWrap === "none" ? fields : { [config.callbackWrap]: fields };
}
