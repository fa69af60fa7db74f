import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Sites } from "../records/sites.ts";
import { help } from "./help.ts";

const folder = mkdtempSync(join(tmpdir(), "help-"));
afterAll(() => rmSync(folder, { recursive: true }));

const known = ["shop", "none", "broken", "object", "huge"];
const sites = { find: (id: string) => (known.includes(id) ? { public: { id } } : undefined) } as unknown as Sites;
const app = help(sites, folder);
app.onError((error, c) => c.text(error.message, 404));
const get = async (path: string): Promise<[number, string]> => {
  const answer = await app.request(path);
  return [answer.status, await answer.text()];
};
writeFileSync(join(folder, "shop.json"), '[{"title": "Returns"}]');
writeFileSync(join(folder, "broken.json"), "[{");
writeFileSync(join(folder, "object.json"), "{}");
writeFileSync(join(folder, "huge.json"), `["${"x".repeat(600_000)}"]`);

describe("the help articles of a site", () => {
  it("come from the owner's file, for pages of every origin", async () => {
    expect(await get("/help/shop.json")).toEqual([200, '[{"title": "Returns"}]']);
    expect((await app.request("/help/shop.json")).headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  it("are an empty list without a file", async () => expect(await get("/help/none.json")).toEqual([200, "[]"]));

  it("belong to a site", async () => {
    expect((await get("/help/other.json"))[0]).toBe(404);
    expect((await get("/help/..%2Fshop.json"))[0]).toBe(404);
  });

  it.each(["broken", "object", "huge"])("report what is wrong with the file: %s", async (site) => {
    const [status, text] = await get(`/help/${site}.json`);
    expect([status, text]).toEqual([500, expect.stringMatching(/The help file/)]);
  });
});
