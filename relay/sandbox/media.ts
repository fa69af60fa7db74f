/** Files of incoming messages: links that are fetched, and data URIs that are decoded. */

import type { Fields } from "@porchlight/shared/json-fields";
import { isLoopback } from "@porchlight/shared/loopback";
import { fileTypeFromBuffer, supportedMimeTypes } from "file-type";
import { Refusal } from "./answers.ts";
import { nullableText } from "./fields.ts";
import type { Media } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import type { Poster } from "./poster.ts";

const DATA_URI = /^data:([^;,]*);base64,([A-Za-z0-9+/]*={0,2})$/;
const MIME = /^[\w.+-]+\/[\w.+-]+$/;

const invalid = (message: string) => new Refusal("VALIDATION", message);

/** The media of `customData`, checked but not fetched. @throws Refusal VALIDATION */
export async function readMedia(data: Fields, config: SandboxConfig): Promise<Media | undefined> {
  const url = nullableText(data, "mediaUrl", config);
  const type = nullableText(data, "mediaContentType", config)?.toLowerCase();
  if (url === undefined) return undefined;
  if (type === undefined) throw invalid("mediaContentType is required when mediaUrl is given");
  if (!MIME.test(type)) throw invalid("mediaContentType is not a MIME type");
  if (url.startsWith("data:")) return embedded(url, type, config);
  checkLink(url, config);
  return { url, type };
}

function checkLink(url: string, config: SandboxConfig): void {
  const link = URL.parse(url);
  if (link?.protocol === "https:") return;
  if (link?.protocol === "http:" && config.allowHttpMedia && isLoopback(link.hostname)) return;
  throw invalid("mediaUrl must be an https link or a data URI");
}

async function embedded(uri: string, type: string, config: SandboxConfig): Promise<Media> {
  const [, stated, encoded] = DATA_URI.exec(uri) ?? [];
  if (stated === undefined || encoded === undefined || encoded === "")
    throw invalid("mediaUrl is not a base64 data URI");
  if (stated.toLowerCase() !== type) throw invalid("mediaContentType does not match the data URI");
  const bytes = Buffer.from(encoded, "base64");
  // Buffer ignores invalid characters. Only a canonical encoding gives the same text again (RFC 4648 section 3.5).
  if (bytes.toString("base64") !== encoded) throw invalid("mediaUrl is not valid base64");
  if (config.sniffBytes) {
    const found = await fileTypeFromBuffer(bytes);
    if (found !== undefined && found.mime !== type) throw invalid(`The file is ${found.mime}, not ${type}`);
  }
  return { url: "", type, bytes };
}

/**
 * Whether a file with these bytes may be declared as `stated`. Bytes do not identify text and unknown containers.
 * @param sniffed the type that the bytes show; undefined: none
 */
const sameKind = (sniffed: string | undefined, stated: string): boolean =>
  sniffed === undefined
    ? !supportedMimeTypes.has(stated)
    : sniffed === stated ||
      (/^(audio|video)\//.test(sniffed) && /^(audio|video)\//.test(stated)) ||
      /zip|cfb/.test(sniffed);

/** Fetches a link and stores the copy or the error. Never throws. */
export async function fetchMedia(media: Media, poster: Poster, config: SandboxConfig): Promise<void> {
  try {
    const { status, contentType, body } = await poster.request({
      method: "GET",
      url: media.url,
      timeoutMs: config.mediaFetchTimeoutMs,
      maxBytes: config.maxRequestBytes,
    });
    const found = contentType.split(";")[0]?.trim().toLowerCase();
    if (status !== 200) media.error = `the link answered ${status}`;
    else if (found !== media.type) media.error = `the link gave ${found || "no type"} instead of ${media.type}`;
    else {
      const sniffed = (await fileTypeFromBuffer(body))?.mime;
      if (!sameKind(sniffed, media.type))
        media.error = `the file is ${sniffed ?? "of an unknown type"}, not ${media.type}`;
      else media.bytes = body;
    }
  } catch (error) {
    media.error = error instanceof Error ? error.message : String(error);
  }
}
