/** Faces of people who answer: of the team in the header, and of the author above a reply. */

import type { ReplyAuthor } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rareSettings } from "../../settings/rare-options.ts";
import { adoptOnce } from "../base/adopt-once.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import css from "./faces.css?inline";
import { faceIn, type PersonOfTeam } from "./team.ts";

/** Faces that the header has room for. */
const SHOWN = 3;

type FaceNeeds = Needs<"settings" | "shell">;

const teamOf = (ui: FaceNeeds): PersonOfTeam[] =>
  rareSettings(ui)
    .team.map(faceIn)
    .filter(({ name }) => name);

/**
 * Address of an author's picture, or an empty text. A reply must not make the browser fetch from a host of its own choice: its
 * picture counts only on a host of the site's, that is the page's, the relay's, or one of the team's pictures. Otherwise the
 * team's picture of that name counts.
 */
export function pictureOf(ui: FaceNeeds, { name, picture = "" }: ReplyAuthor): string {
  const team = teamOf(ui);
  const known = [location.href, ui.shell.relay, ...team.map((person) => person.picture)].map(originOf);
  return picture && known.includes(originOf(picture))
    ? picture
    : (team.find((person) => person.name === name)?.picture ?? "");
}

/** Undefined for what is no address. */
const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** A picture; without one, or where it cannot be loaded, the first letter of the name. */
const Portrait = live<PersonOfTeam & { class: string }>(() => {
  const lost = signal("");
  return ({ name, picture, class: style }) =>
    picture && lost.value !== picture ? (
      <img
        class={style}
        src={picture}
        alt=""
        referrerpolicy="no-referrer"
        onError={() => {
          lost.value = picture;
        }}
      />
    ) : (
      <span class={style} aria-hidden="true">
        {[...name][0]?.toLocaleUpperCase()}
      </span>
    );
});

export type FaceProps = { author: ReplyAuthor };

/** The author's face above a reply. */
export const Face = live<FaceProps>((ui: FaceNeeds) => {
  adoptOnce(ui.shell.root, css);
  return ({ author }) => <Portrait class="face" name={author.name} picture={pictureOf(ui, author)} />;
});

/** `usual`: the site's picture, for a list that names nobody. */
export type FacesProps = { usual: VNode };

/** The first faces of the team. Screen readers hear their names. */
export const Faces = live<FacesProps>((ui: FaceNeeds) => {
  adoptOnce(ui.shell.root, css);
  return ({ usual }) => {
    const shown = teamOf(ui).slice(0, SHOWN);
    if (!shown[0]) return usual;
    return (
      <span class="faces" role="img" aria-label={shown.map(({ name }) => name).join(", ")}>
        {shown.map((person) => (
          <Portrait key={person.name} class="avatar" {...person} />
        ))}
      </span>
    );
  };
});
