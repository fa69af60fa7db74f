import { describe, expect, it } from "vitest";
import type { SandboxConfig } from "../options.ts";
import { setUp } from "../sandbox.fixture.ts";

const valid = { fromId: "v_ada", customChannel: "web", body: "Your order is on its way" };

const bench = async (config: Partial<SandboxConfig> = {}) => {
  const all = await setUp(config);
  const post = (body: unknown) => all.call("POST", "/send_custom_channel_message", { body });
  return { ...all, post, send: (data: object = {}) => post({ customData: { ...valid, ...data } }) };
};

describe("POST /send_custom_channel_message (BEHAVIOUR 4.6)", () => {
  it("R-454 sends to a known fromId and returns both ids", async () => {
    const { send, incoming, sandbox } = await bench({ botActive: false });
    await incoming();
    await sandbox.until(({ messages }) => messages().length === 1);
    const { status, body } = await send();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        messageId: expect.any(String),
        contactId: sandbox.messages()[0]?.contactId,
        message: expect.any(String),
      },
    });
    expect(sandbox.outgoing()).toMatchObject([{ body: valid.body, origin: "api", status: null, channel: "web" }]);
  });

  it("R-455 creates the contact and conversation of a new fromId with its names", async () => {
    const { send, sandbox } = await bench();
    const { body } = await send({ firstName: "Ada", lastName: "King", email: "a@b.example" });
    expect(sandbox.state().contacts).toMatchObject([
      {
        id: (body as { contactId: string }).contactId,
        firstName: "Ada",
        lastName: "King",
        email: "a@b.example",
      },
    ]);
    await expect(sandbox.humanReply({ fromId: "v_ada", body: "hi" })).resolves.toMatchObject({ channel: "web" });
  });

  it("R-101 ignores names of a known contact", async () => {
    const { send, sandbox } = await bench();
    await send({ firstName: "Ada" });
    await send({ firstName: "Grace" });
    expect(sandbox.state().contacts).toMatchObject([{ firstName: "Ada" }]);
  });

  it("R-456 puts the visitor's answer into the same conversation", async () => {
    const { send, incoming, sandbox } = await bench();
    const { body } = await send();
    await incoming();
    await sandbox.until(({ messages }) => messages().length === 1);
    expect(sandbox.messages()[0]?.contactId).toBe((body as { contactId: string }).contactId);
  });

  it("R-501 refuses a missing customData in the general shape", async () => {
    const { post } = await bench();
    for (const body of [{}, { customData: null }, { customData: [] }, { customData: "x" }]) {
      const answer = await post(body);
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: { code: "VALIDATION", message: expect.any(String) } },
      ]);
    }
  });

  it.each(["fromId", "customChannel", "body"])("R-453 refuses a missing or blank %s and names it", async (field) => {
    const { send } = await bench();
    for (const value of [undefined, "", " \u00a0\n", "\u200b\ufeff", 7]) {
      const { status, body } = await send({ [field]: value });
      expect({ value, status }).toEqual({ value, status: 400 });
      expect(body).toEqual({ error: { code: "VALIDATION", message: expect.stringContaining(field) } });
    }
  });

  it("R-452 makes two messages from the same request sent twice", async () => {
    const { send, sandbox } = await bench();
    const ids = [await send(), await send()].map(({ body }) => (body as { messageId: string }).messageId);
    expect(new Set(ids).size).toBe(2);
    expect(sandbox.outgoing()).toHaveLength(2);
  });

  it("R-457 stores the campaign, and ignores media", async () => {
    const { send, sandbox } = await bench();
    sandbox.configure({ rejectUnknownFields: false });
    expect((await send({ campaignId: "spring", mediaUrl: "https://x.example/a.png" })).status).toBe(200);
    expect(sandbox.outgoing()).toMatchObject([{ campaignId: "spring" }]);
  });

  it("R-451 sends no callback, one with the same id, or one with another id, as sendTriggersCallback says", async () => {
    const { send, sandbox, client } = await bench();
    await send();
    sandbox.configure({ sendTriggersCallback: "sameId" });
    const same = await send();
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    expect(client.bodies()).toMatchObject([
      { messageId: (same.body as { messageId: string }).messageId, toId: "v_ada" },
    ]);
    expect(sandbox.outgoing().at(-1)?.status).toBe("Sent");
    sandbox.configure({ sendTriggersCallback: "otherId" });
    const other = await send();
    await sandbox.until(({ callbacks }) => callbacks().length === 2);
    expect(client.bodies()[1]).toMatchObject({ body: valid.body, toId: "v_ada", channel: "web" });
    expect(client.bodies()[1]?.messageId).not.toBe((other.body as { messageId: string }).messageId);
    await sandbox.until(({ outgoing }) => outgoing()[2]?.status === "Sent");
    expect(sandbox.outgoing()[2]?.messageId).toBe((other.body as { messageId: string }).messageId);
  });

  it("R-451 sends the callback before the answer when sendTriggersCallback is before", async () => {
    const { send, client } = await bench({ sendTriggersCallback: "before" });
    const order: string[] = [];
    client.answer = () => {
      order.push("callback");
      return { status: 200 };
    };
    const { body } = await send();
    order.push("answer");
    expect(order).toEqual(["callback", "answer"]);
    expect(client.bodies()[0]?.messageId).toBe((body as { messageId: string }).messageId);
  });

  it("R-105 refuses an unknown campaign only when the option says so", async () => {
    const { send, sandbox } = await bench({ unknownCampaign: 404, knownCampaigns: ["spring"] });
    sandbox.seed({ campaigns: { pricing: "echo" } });
    expect((await send({ campaignId: "spring" })).status).toBe(200);
    expect((await send({ campaignId: "pricing" })).status).toBe(200);
    expect((await send({ campaignId: "autumn" })).status).toBe(404);
  });

  it("R-209 R-225 refuses fields that are longer than the options allow", async () => {
    const { send } = await bench({ maxBodyChars: 30, fromIdMaxLen: 10 });
    expect((await send()).status).toBe(200);
    expect((await send({ body: "x".repeat(31) })).status).toBe(400);
    expect((await send({ fromId: "x".repeat(11) })).status).toBe(400);
  });
});
