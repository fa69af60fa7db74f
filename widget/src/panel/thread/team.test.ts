import { expect, it } from "vitest";
import { parseTeamMember } from "./team.ts";

it("a person of the team is a name, with or without the address of a picture", () => {
  expect(parseTeamMember("Maria = https://shop.example/m.jpg?size=2")).toEqual({
    name: "Maria",
    picture: "https://shop.example/m.jpg?size=2",
  });
  expect(parseTeamMember(" Tom ")).toEqual({ name: "Tom", picture: "" });
});
