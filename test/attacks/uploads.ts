import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gif } from "../../relay/src/files/samples.fixture.ts";
import { corpus } from "../corpora.ts";
import { upload } from "../uploads.ts";
import type { Result } from "./attack.ts";
import type { Testbed } from "./testbed.ts";
import { naughtyStrings } from "./wire.ts";

const SCRIPT = `<script>parent.postMessage("XSS","*");alert(1)</script>`;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** Additional examples besides those of the corpus. */
const OWN: [string, Buffer][] = [
  ["gif.gif", Buffer.concat([gif(1, 1), Buffer.from(SCRIPT)])],
  ["pdf.pdf", Buffer.from(`%PDF-1.4\n%${SCRIPT}\n%%EOF`)],
  ["page.html", Buffer.from(`<!doctype html>${SCRIPT}`)],
  ["picture.svg", Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)],
];

/** Files that would run a script if a server delivered them without protection. */
export function hostileFiles(): [name: string, bytes: Buffer][] {
  const folder = corpus("uploads-hostile/own");
  if (!existsSync(folder)) return OWN;
  const names = readdirSync(folder).filter((name) => name !== "LICENSE");
  return [...OWN, ...names.map((name): [string, Buffer] => [name, readFileSync(join(folder, name))])];
}

/** Names and types under which each file is sent, besides its own. */
const DISGUISES = [
  { name: "photo.png", type: "image/png" },
  { name: "page.html", type: "text/html" },
  { name: "a.svg", type: "image/svg+xml" },
  { name: "notes.txt", type: "text/plain" },
  { name: "x.pdf.html", type: "application/pdf" },
] as const;

const SAFE =
  /^(image\/(png|jpeg|gif|webp|avif|heic|heif|bmp)|video\/|audio\/|text\/plain|application\/(pdf|octet-stream|zip|vnd\.|msword))/;

/** A17: hostile files under six names and types. Succeeds with an answer that a browser could run. */
export async function hostileUploads(testbed: Testbed): Promise<Result> {
  const { harness } = testbed;
  const { visitor } = await testbed.knownVisitor("words of A17");
  const tries = testbed.sample(
    hostileFiles().flatMap(([name, bytes]) =>
      [{ name, type: "application/octet-stream" }, ...DISGUISES].map((disguise) => ({ bytes, disguise })),
    ),
  );
  let stored = 0;
  let succeeded = 0;
  for (const { bytes, disguise } of tries) {
    const { status, answer } = await upload(harness, visitor, new Uint8Array(bytes), {
      name: disguise.name,
      headers: { "Content-Type": disguise.type },
    });
    if (status >= 500) succeeded++;
    if (status !== 201) continue;
    stored++;
    const { headers } = await fetch(harness.url + answer.url, { method: "HEAD" });
    const policy = headers.get("content-security-policy") ?? "";
    const guarded = policy.includes("sandbox") && headers.get("x-content-type-options") === "nosniff";
    if (!guarded || !SAFE.test(headers.get("content-type") ?? "")) succeeded++;
  }
  const plain = await upload(harness, visitor, new Uint8Array(PNG), { name: "photo.png" });
  return {
    tried: tries.length,
    succeeded,
    control: `${stored} files were stored as data; the upload of a real picture answers ${plain.status}`,
  };
}

/** A PNG whose header states this size. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A18: pictures that unpack to gigabytes, and archives. Succeeds when one is stored as a picture. */
export async function bombs(testbed: Testbed): Promise<Result> {
  const { harness } = testbed;
  const { visitor } = await testbed.knownVisitor("words of A18");
  const sides = [6_400, 10_000, 30_000, 65_535];
  const vast = [100_000, 1_000_000, 2 ** 31 - 1, 2 ** 32 - 1];
  const zip = Buffer.concat([Buffer.from("PK\x03\x04\x14\x00\x00\x00\x08\x00", "latin1"), Buffer.alloc(20_000, 0xff)]);
  const gz = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(20_000)]);
  const tries: [string, Buffer][] = [
    ...[...sides, ...vast].flatMap((side): [string, Buffer][] => [
      ["a.png", png(side, side)],
      ["b.png", png(side, 2 ** 31 - 1)],
    ]),
    ...sides.flatMap((side): [string, Buffer][] => [
      ["a.gif", gif(side, side)],
      ["b.gif", gif(1, 1, [side, side])],
    ]),
    ...["a.zip", "a.png", "a.svgz"].flatMap((name): [string, Buffer][] => [
      [name, zip],
      [name, gz],
    ]),
  ];
  let succeeded = 0;
  for (const [name, bytes] of tries) {
    const { status, answer } = await upload(harness, visitor, new Uint8Array(bytes), { name });
    if (status >= 500 || (status === 201 && (answer.type.startsWith("image/") || (answer.width ?? 0) > 0))) succeeded++;
  }
  const small = await upload(harness, visitor, new Uint8Array(PNG), { name: "small.png" });
  return {
    tried: tries.length,
    succeeded,
    control: `the upload of a picture of one pixel answers ${small.status}, width ${small.answer.width}`,
  };
}

/**
 * A19: hostile file names. Succeeds with a name that contains a path, a broken header, or a stored file with an unexpected
 * name.
 */
export async function hostileNames(testbed: Testbed): Promise<Result> {
  const { harness } = testbed;
  const file = corpus("filenames/hostile-filenames.json");
  const listed = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as string[])
    : ["../../etc/passwd", "a\0.html", "..\\x", "CON.png"];
  const { visitor } = await testbed.knownVisitor("words of A19");
  const tries = [...testbed.sample(listed), ...testbed.sample(naughtyStrings())];
  let succeeded = 0;
  for (const name of tries) {
    const { status, answer } = await upload(harness, visitor, new Uint8Array(PNG), { name: name.slice(0, 500) });
    if (status >= 500) succeeded++;
    if (status !== 201) continue;
    if (/[<>:"|?*/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(answer.name) || !/\.png$/i.test(answer.name)) succeeded++;
    const { headers } = await fetch(harness.url + answer.url, { method: "HEAD" });
    if (
      !/^(inline|attachment); filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.!~*'()%-]+)?$/.test(
        headers.get("content-disposition") ?? "",
      )
    )
      succeeded++;
  }
  const stray = readdirSync(harness.dataDir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes("media") && !/^[\w-]+(\.\w+)*$/.test(entry.name),
  );
  const { answer } = await upload(harness, visitor, new Uint8Array(PNG), { name: "holiday photo.png" });
  return {
    tried: tries.length,
    succeeded: succeeded + stray.length,
    control: `a harmless name is kept: ${answer.name}`,
  };
}
