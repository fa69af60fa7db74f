/**
 * Forms: before the first message, after it, and outside business hours. Fetched only if the site uses one. Each question is
 * asked once, and optional ones can be skipped.
 */

import { type Signal, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import type { Refused } from "../../conversation/chat-types.ts";
import { rare } from "../../locales/en.rare.ts";
import { rareSettings } from "../../settings/rare-options.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isRemembered, remember } from "../base/remembered.ts";
import { adopt } from "../base/style.ts";
import { fieldsOf, unansweredFields } from "./fields.ts";
import { Form } from "./form.tsx";
import css from "./forms.css?inline";
import { followHours } from "./reply-time.tsx";

export { Consent } from "./consent.tsx";
export { ReplyTime, Status } from "./reply-time.tsx";

addEnglish(rare);

type FootNeeds = Needs<
  "t" | "language" | "settings" | "chat" | "consent" | "shell" | "focusComposer" | "announcer" | "now" | "asking"
>;

/** Puts the form in the place of the text field, or takes it away. */
function ask({ asking, shell, focusComposer }: FootNeeds, isAsking: boolean): void {
  const wasWriting = shell.root.activeElement?.id === "message";
  asking.value = isAsking;
  // The text field is removed while it has the focus.
  if (wasWriting && isAsking) setTimeout(focusComposer);
}

/** The form outside business hours; once it is sent, thanks. `opens`: when somebody will be there, as a sentence. */
function awayForm(ui: FootNeeds, opens: string | undefined, isSent: Signal<boolean>): VNode {
  const { t, announcer } = ui;
  const title = <h3>{opens ?? t("closedTitle")}</h3>;
  const done = (): void => {
    isSent.value = true;
    announcer.status(t("closedSent"));
  };
  return isSent.value ? (
    <div class="form said">
      {title}
      <p>{t("closedSent")}</p>
    </div>
  ) : (
    <Form fields={unansweredFields(ui, ["name?", "email"])} submit="closedSend" message reply begins done={done}>
      {title}
      <p>{t("closedBody")}</p>
    </Form>
  );
}

/** The form in place of the composer: before the first message, or outside business hours. */
export const Foot = component((ui: FootNeeds, mounted) => {
  const { t, settings, chat, focusComposer, shell } = ui;
  const { isClosed, opens } = followHours(ui, mounted);
  const filled = signal(isRemembered(ui, "prechat"));
  const isSent = signal(false);
  const fields = () => unansweredFields(ui, settings.value.prechat, rareSettings(ui).customFields);
  const asks = (): boolean => fields().length > 0 && !filled.value && chat.items.value.length === 0;
  mounted(() => adopt(shell.root, css));
  mounted(
    watch(() => {
      ask(ui, isClosed() || asks());
    }),
  );
  mounted(
    watch(() => {
      // The former visitor has logged out, and their stored answers are deleted.
      if (chat.ready.value) return;
      filled.value = isRemembered(ui, "prechat");
      isSent.value = false;
    }),
  );
  return () => {
    if (isClosed()) return awayForm(ui, opens(), isSent);
    if (!asks()) return null;
    return (
      <Form
        fields={fields()}
        submit="formStart"
        begins
        done={() => {
          remember(ui, "prechat", true);
          filled.value = true;
          setTimeout(focusComposer);
        }}
      >
        <h3>{t("formTitle")}</h3>
      </Form>
    );
  };
});

/** The form in the thread after the visitor's first message: one field, with its purpose and a button to decline. */
export const Card = component((ui: Needs<"settings" | "chat">) => () => {
  const refused = ui.chat.refused.value;
  if (refused) return <Again key={refused.id} refused={refused} />;
  const { capture } = ui.settings.value;
  const wrote = ui.chat.items.value.some(({ from, pos }) => from === "visitor" && pos !== undefined);
  return wrote && capture[0] && <Ask setting={capture} />;
});

/** `again`: show the form also to a visitor who declined before. */
export type OfferProps = { again?: boolean };

/** The same form after a long wait: it offers to mail the answer. Visitors who were asked before do not see it. */
export const Offer = component<OfferProps>(
  ({ settings }: Needs<"settings">) =>
    ({ again }) =>
      !settings.value.capture[0] && <Ask setting={EMAIL} again={again} />,
);

const EMAIL = ["email"];

type AgainNeeds = Needs<"t" | "chat" | "shell" | "focusComposer">;

/** A form with the field that the service refused after the form was closed. */
const Again = component<{ refused: Refused }>(({ t, chat, focusComposer, shell }: AgainNeeds, mounted, { refused }) => {
  mounted(() => adopt(shell.root, css));
  const close = (): void => {
    chat.refused.value = undefined;
    setTimeout(focusComposer);
  };
  return () => (
    <div class="form-card">
      <Form
        fields={fieldsOf([refused.field])}
        again={refused}
        submit={refused.field === "email" ? "emailSave" : "save"}
        done={close}
        skip={close}
      >
        <h3>{t(`${refused.field}Ask`)}</h3>
      </Form>
    </div>
  );
});
type AskNeeds = Needs<"t" | "settings" | "chat" | "consent" | "shell" | "focusComposer" | "announcer">;

/** One card of the thread: the form, thanks once it is sent, or nothing for a visitor who has declined. */
const Ask = component<{ setting: readonly string[]; again?: boolean | undefined }>((ui: AskNeeds, mounted) => {
  const { t, announcer, focusComposer, shell } = ui;
  const asked = signal(isRemembered(ui, "capture"));
  const thanks = signal(false);
  const close = (): void => {
    asked.value = true;
    remember(ui, "capture", true);
    // The pressed button is removed, so move the focus.
    setTimeout(focusComposer);
  };
  const bringBack = (): void => {
    asked.value = false;
    remember(ui, "capture", false);
    // The pressed button is removed, so move the focus.
    setTimeout(() => shell.root.querySelector<HTMLElement>("#form-email")?.focus());
  };
  mounted(() => adopt(shell.root, css));
  return ({ setting, again }) => {
    if (thanks.value) return <p class="form-card said">{t("saved")}</p>;
    const fields = unansweredFields(ui, setting, rareSettings(ui).customFields);
    const asks = (name: string): boolean => fields.some(({ field }) => field === name);
    const mail = asks("email");
    const title = mail ? "emailAsk" : asks("phone") && "phoneAsk";
    if (!fields[0]) return null;
    if (asked.value)
      return again ? (
        <p class="meta">
          <button type="button" class="link" onClick={bringBack}>
            {t("emailAsk")}
          </button>
        </p>
      ) : null;
    return (
      <div class="form-card">
        <Form
          fields={fields}
          submit={mail ? "emailSave" : "save"}
          reply={mail}
          done={() => {
            thanks.value = true;
            announcer.status(t("saved"));
            close();
          }}
          skip={close}
        >
          {title && <h3>{t(title)}</h3>}
        </Form>
      </div>
    );
  };
});
