/** Uploads one file, with progress. Uses XMLHttpRequest, because `fetch` does not report upload progress. */

import type { Media } from "@porchlight/shared/protocol";

/** A finished upload: the relay's key for it, and what to show. */
export type Uploaded = { key: string; media: Media };
export type UploadFailure = { code: string };
export type Upload = {
  /** Rejects with an `UploadFailure`: the relay's code, `network` or `aborted`. */
  done: Promise<Uploaded>;
  cancel(): void;
};

export type UploadOptions = {
  relay: string;
  /** The visitor's token. */
  token: string;
  file: File;
  /** Part of the file that was sent, 0 to 1. */
  onProgress(part: number): void;
};

/** Uploads a file. `done` rejects with an `UploadFailure`. */
export function upload({ relay, token, file, onProgress }: UploadOptions): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Uploaded>((resolve, reject) => {
    const fail = (code: string) => () => reject({ code } satisfies UploadFailure);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onerror = fail("network");
    request.onabort = fail("aborted");
    request.onload = () => {
      const answer = read(request.responseText);
      if (request.status === 201 && answer.key) resolve({ key: answer.key, media: mediaOf(answer) });
      else fail(answer.code ?? "network")();
    };
    request.open("POST", `${relay}/media`);
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}

type Answer = Partial<Media> & { key?: string; code?: string };

function read(text: string): Answer {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const mediaOf = ({ url = "", type = "", name = "", size = 0, width, height }: Answer): Media => ({
  url,
  type,
  name,
  size,
  ...(width && height ? { width, height } : {}),
});
