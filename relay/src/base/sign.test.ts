import { describe, expect, it } from "vitest";
import {
  anySecret,
  identifiedVisitorId,
  isVisitorId,
  newVisitorId,
  seal,
  signSession,
  unseal,
  verifySession,
} from "./sign.ts";

const KEY = "a key of this deployment";
const NOW = Date.UTC(2026, 10, 23);

describe("a visitor's id", () => {
  it("has 20 to 50 letters, digits and underscores, and is unique", () => {
    const ids = Array.from({ length: 1_000 }, () => newVisitorId(KEY, NOW));
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_]{20,50}$/);
    expect(new Set(ids).size).toBe(1_000);
  });

  it("sorts after the ids of earlier minutes, so that rows of new visitors lie together", () => {
    const times = [0, 1, 30, 32, 60 * 24, 60 * 24 * 365].map((minutes) => NOW + minutes * 60_000);
    const ids = times.map((now) => newVisitorId(KEY, now));
    expect(ids.toSorted()).toEqual(ids);
    const [one = "", same = ""] = [newVisitorId(KEY, NOW), newVisitorId(KEY, NOW + 59_000)];
    expect(same.slice(0, 7)).toBe(one.slice(0, 7));
    expect(same.slice(7, 12)).not.toBe(one.slice(7, 12));
  });

  it("is accepted by the relay that made it, and by no other", () => {
    const id = newVisitorId(KEY, NOW);
    expect(isVisitorId(KEY, id)).toBe(true);
    expect(isVisitorId("another deployment", id)).toBe(false);
  });

  it("is refused when any one character is changed", () => {
    const id = newVisitorId(KEY, NOW);
    for (let i = 0; i < id.length; i++) {
      const other = id[i] === "7" ? "8" : "7";
      expect(isVisitorId(KEY, id.slice(0, i) + other + id.slice(i + 1))).toBe(false);
    }
  });

  it("is the same on every device for an identified user, and differs between sites", () => {
    const id = identifiedVisitorId(KEY, "shop", "user-1");
    expect(identifiedVisitorId(KEY, "shop", "user-1")).toBe(id);
    expect(identifiedVisitorId(KEY, "blog", "user-1")).not.toBe(id);
    expect(isVisitorId(KEY, id)).toBe(true);
  });
});

describe("a session token", () => {
  const session = {
    visitor: newVisitorId(KEY, NOW),
    site: "shop",
    generation: 2,
    expires: 2_000,
    id: "login-1",
    rotation: 3,
  };

  it("begins with the visitor's id, so that the widget recognises a replaced token (widget/src/conversation/token.ts)", () => {
    const [payload = ""] = signSession(KEY, session).split(".");
    expect(JSON.parse(Buffer.from(payload, "base64url").toString())[0]).toBe(session.visitor);
  });

  it("returns the signed content", () => {
    expect(verifySession(KEY, signSession(KEY, session), 1_000)).toEqual(session);
  });

  it("is invalid after it expires", () => {
    expect(verifySession(KEY, signSession(KEY, session), 2_000)).toBeUndefined();
  });

  it("is refused when forged, cut, extended, empty or signed elsewhere", () => {
    const token = signSession(KEY, session);
    const [payload = "", mac = ""] = token.split(".");
    const other = Buffer.from(JSON.stringify(["v_x", "shop", 2, 9e12])).toString("base64url");
    const forged = [`${other}.${mac}`, payload, `${payload}.`, `.${mac}`, "", `${token}.x`, `${payload}.${payload}`];
    forged.push(signSession("another key", session), token.slice(0, -1));
    for (const text of forged) expect(verifySession(KEY, text, 1_000)).toBeUndefined();
  });
});

it("accepts either of two secrets, whatever their lengths", () => {
  expect(anySecret("new-secret", ["old", "new-secret"])).toBe(true);
  expect(anySecret("old", ["old", "new-secret"])).toBe(true);
  for (const wrong of ["", "new-secre", "new-secret ", "new-secreT", "nld"])
    expect(anySecret(wrong, ["old", "new-secret"]), wrong).toBe(false);
  expect(anySecret("sécret", ["sécret"])).toBe(true);
});

describe("a sealed link", () => {
  const sealed = seal(KEY, "mail", "shop");

  it("returns its text for the purpose that it was sealed for", () => {
    expect(unseal(KEY, "mail", sealed)).toBe("shop");
  });

  it("is refused when forged, cut, extended, of another relay or for another purpose", () => {
    const [payload = "", signature = ""] = sealed.split(".");
    const forged = `${Buffer.from("blog").toString("base64url")}.${signature}`;
    for (const link of [forged, payload, `${payload}.`, `${sealed}.x`, `${sealed}x`, ""])
      expect(unseal(KEY, "mail", link)).toBeUndefined();
    expect(unseal("another key", "mail", sealed)).toBeUndefined();
    expect(unseal(KEY, "media", sealed)).toBeUndefined();
  });
});
