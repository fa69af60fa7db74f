/**
 * Portraits of the people who answer: the team in the header, the author beside a reply. Fetched with the first of them.
 */

import type { ReplyAuthor } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rareSettings } from "../../settings/rare-options.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./faces.css?inline";
import { parseTeamMember, type TeamMember } from "./team.ts";

/** Shadow roots that already have the style sheet. */
const styled = new WeakSet<ShadowRoot>();
function addStyle({ shell: { root } }: FaceNeeds): void {
  if (!styled.has(root)) adopt(root, css);
  styled.add(root);
}

/** Most faces in the header. */
const FACES_MAX = 3;

type FaceNeeds = Needs<"settings" | "shell">;

const teamOf = (ui: FaceNeeds): TeamMember[] =>
  rareSettings(ui)
    .team.map(parseTeamMember)
    .filter(({ name }) => name);

/**
 * Address of an author's picture, or an empty text. A reply must not make the browser fetch from any host: its own
 * picture is used only if it is on the origin of the page, of the relay or of a team picture. Otherwise the team's
 * picture of that name is used.
 */
export function pictureOf(ui: FaceNeeds, { name, picture = "" }: ReplyAuthor): string {
  const team = teamOf(ui);
  const known = [location.href, ui.shell.relay, ...team.map((person) => person.picture)].map(originOf);
  return picture && known.includes(originOf(picture))
    ? picture
    : (team.find((person) => person.name === name)?.picture ?? "");
}

/** Undefined if it is not an absolute URL. */
const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** A picture, or the first letter of the name if there is none or it cannot be loaded. */
const Portrait = component<TeamMember & { class: string }>(() => {
  const failedUrl = signal("");
  return ({ name, picture, class: style }) =>
    picture && failedUrl.value !== picture ? (
      <img
        class={style}
        src={picture}
        alt=""
        referrerpolicy="no-referrer"
        onError={() => {
          failedUrl.value = picture;
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
export const Face = component<FaceProps>((ui: FaceNeeds) => {
  addStyle(ui);
  return ({ author }) => <Portrait class="face" name={author.name} picture={pictureOf(ui, author)} />;
});

/** `usual`: the site's picture, shown if the team is empty. */
export type FacesProps = { usual: VNode };

/** The first faces of the team. Screen readers read their names. */
export const Faces = component<FacesProps>((ui: FaceNeeds) => {
  addStyle(ui);
  return ({ usual }) => {
    const shown = teamOf(ui).slice(0, FACES_MAX);
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
