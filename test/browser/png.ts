/** Pictures for uploads: one pixel, or any size. */

import { crc32, deflateSync } from "node:zlib";

/** A PNG of one pixel, 70 bytes. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function chunk(type: string, data: Buffer): Buffer {
  const box = Buffer.alloc(12 + data.length);
  box.writeUInt32BE(data.length, 0);
  box.write(type, 4, "latin1");
  data.copy(box, 8);
  box.writeUInt32BE(crc32(box.subarray(4, 8 + data.length)), 8 + data.length);
  return box;
}

/** A PNG of one shade of grey (8 bits, no filter; W3C PNG, 5.3 and 11.2.1). */
export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const rows = Buffer.alloc((width + 1) * height, 120);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
