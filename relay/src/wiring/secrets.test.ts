import { expect, it } from "vitest";
import type { Settings } from "../base/config.ts";
import { secretsIn } from "./secrets.ts";

it("finds every secret of the settings, and the mail password also decoded", () => {
  const settings = {
    sites: [
      {
        webhook: { secret: "webhook-secret" },
        guard: { secret: "guard-secret" },
        identity: { secret: "signing-secret" },
      },
      { identity: { jwks: "https://shop.example/jwks" } },
    ],
    accounts: [{ credits: { billing: { secret: "billing-secret" } } }, {}],
    uploads: { bucket: { secret: "bucket-secret" } },
    forwardCallbacks: "https://other.example/secret",
    mail: { url: "smtp://user:p%40ss@mail.example" },
  };
  expect(secretsIn(settings as unknown as Settings).toSorted()).toEqual(
    [
      ...["webhook-secret", "guard-secret", "signing-secret", "billing-secret", "bucket-secret"],
      ...["https://other.example/secret", "p%40ss", "p@ss"],
    ].toSorted(),
  );
});
