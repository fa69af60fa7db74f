import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Sites } from "../records/sites.ts";
import { help } from "./help.ts";

const folder = mkdtempSync(join(tmpdir(), "help-"));
afterAll(() => rmSync(folder, { recursive: true }));

const known = ["shop", "none", "changed", "broken", "object", "huge"];
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

  it("are checked once after each change of the file, and are the new ones from the next request on (A24)", async () => {
    const path = join(folder, "changed.json");
    writeFileSync(path, '[{"title": "Old"}]');
    const parse = vi.spyOn(JSON, "parse");
    // Other code of this process may parse JSON meanwhile.
    const checks = () => parse.mock.calls.filter(([text]) => /"(Old|New)"/.test(text)).length;
    for (let n = 0; n < 10; n++) expect((await get("/help/changed.json"))[1]).toContain("Old");
    expect(checks()).toBe(1);
    writeFileSync(path, '[{"title": "New"}]');
    utimesSync(path, 1, 2);
    expect((await get("/help/changed.json"))[1]).toContain("New");
    expect(checks()).toBe(2);
    parse.mockRestore();
  });

  it("belong to a site", async () => {
    expect((await get("/help/other.json"))[0]).toBe(404);
    expect((await get("/help/..%2Fshop.json"))[0]).toBe(404);
  });

  it.each(["broken", "object", "huge"])(
    "are replaced by an error that describes the problem of the file: %s",
    async (site) => {
      const [status, text] = await get(`/help/${site}.json`);
      expect([status, text]).toEqual([500, expect.stringMatching(/The help file/)]);
    },
  );
});
