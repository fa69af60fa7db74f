import { expect, it, vi } from "vitest";
import { serverApi } from "./index.ts";

/** The API of a relay with this address. */
const apiAt = (address: () => string) =>
  serverApi({ flows: {}, relay: "", address } as unknown as Parameters<typeof serverApi>[0]);

it("the page of the API shows the relay's own address, which no request chooses", async () => {
  const answer = await apiAt(() => "https://chat.example").request("/api", { headers: { Host: "evil.example" } });
  const text = await answer.text();
  expect([text.includes("https://chat.example"), text.includes("evil.example")]).toEqual([true, false]);
});

it("the page of the API is made once for each address of the relay, because it takes long (A24)", async () => {
  let address = "https://one.example";
  const app = apiAt(() => address);
  const text = async (): Promise<string> => (await app.request("/api")).text();
  // The page groups the operations once each time it is made.
  const made = vi.spyOn(Map, "groupBy");
  const first = await text();
  for (let n = 0; n < 10; n++) expect(await text()).toBe(first);
  expect(made).toHaveBeenCalledTimes(1);
  address = "https://two.example";
  expect(await text()).toContain("https://two.example");
  expect(made).toHaveBeenCalledTimes(2);
  made.mockRestore();
});
