import { describe, expect, it } from "vitest";
import { allowedType, bodyOf } from "./types.ts";

describe("the text of a message with a file", () => {
  it.each([
    ["a caption", { text: "look" }, "look"],
    ["a picture", {}, "[image] shot.png"],
    ["a video", { type: "video/mp4", name: "clip.mp4" }, "[video] clip.mp4"],
    ["a recording", { type: "audio/mpeg", name: "note.mp3" }, "[audio] note.mp3"],
    ["a document", { type: "application/pdf", name: "offer.pdf" }, "[file] offer.pdf"],
    ["a text", { type: "text/plain", name: "notes.txt" }, "[file] notes.txt"],
    ["no file", { text: "hello", type: null, name: null }, "hello"],
  ])("is the caption, otherwise the kind and the name of the file: %s", (_what, fields, expected) => {
    expect(bodyOf({ text: "", type: "image/png", name: "shot.png", ...fields })).toBe(expected);
  });
});

describe("the type of an upload", () => {
  it("is allowed from the list only, whatever its parameters", () => {
    expect(allowedType("image/png; x=y")?.type).toBe("image/png");
    const refused = [
      "image/svg+xml",
      "text/html",
      "application/xml",
      "application/zip",
      "image/PNG2",
      "constructor",
      "",
    ];
    expect(refused.flatMap((type) => allowedType(type) ?? [])).toEqual([]);
  });
});
