/** A form: fields with their errors below them, sent to the relay. `forms.tsx` says what each form is for. */

import { randomId } from "@porchlight/shared/id";
import { TEXT_MAX } from "@porchlight/shared/limits";
import { effect, type Signal, signal } from "@preact/signals-core";
import type { ComponentChildren } from "preact";
import type { Item } from "../../conversation/chat.ts";
import type { Refused } from "../../conversation/chat-types.ts";
import { fitting, titleOf } from "../../conversation/storage.ts";
import type { Key } from "../../text/i18n.ts";
import { live, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { roomLeft } from "../composer/composer.tsx";
import { PrivacyLine } from "../thread/empty-thread.tsx";
import { type Asked, COMPLAINTS, type Complaint, INPUTS } from "./fields.ts";

/**
 * Sends the draft. Resolves with nothing once the relay has stored it, or with what went wrong in words; then the draft
 * stays.
 */
async function sendDraft({ chat, t, part }: Needs<"t" | "chat" | "part">): Promise<string | undefined> {
  const id = chat.send(chat.draft.peek().trim());
  if (!id) return t("often");
  const item = await outcomeOf(chat, id);
  if (item?.pos !== undefined) {
    chat.draft.value = "";
    return undefined;
  }
  chat.remove(id);
  let words = t("failed");
  await part(
    () => import("../thread/failure.tsx"),
    ({ whyFailed }) => {
      words = whyFailed(t, item?.reason);
    },
  );
  return words;
}

/** Resolves once a message is stored, has failed, or is gone. */
const outcomeOf = ({ items }: Needs<"chat">["chat"], id: string): Promise<Item | undefined> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      const found = items.value.find((one) => one.id === id);
      if (found?.pos === undefined && found && found.state !== "failed") return;
      resolve(found);
      queueMicrotask(() => stop());
    });
  });

/** The direction of a field's text. An empty field follows the page: `auto` alone would begin at the left everywhere. */
const followText = ({ currentTarget: field }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void => {
  field.dir = field.value && "auto";
};

type FormProps = {
  fields: readonly Asked[];
  submit: Key;
  /** The refused form that this one corrects. */
  again?: Refused;
  /** Whether a message is asked for, too. */
  message?: boolean;
  /** Replies that come while the visitor is away go to the email address, asked for here or known. */
  reply?: boolean;
  /** Stands where a conversation would begin, so it ends with the privacy line. */
  begins?: boolean;
  done: () => void;
  skip?: () => void;
  children?: ComponentChildren;
};

type FormNeeds = Needs<"t" | "language" | "chat" | "announcer" | "part">;

/** What a form knows while it is on the page. */
type State = {
  ui: FormNeeds;
  done: () => void;
  reply: boolean | undefined;
  /** Names the form to the relay: a correction replaces what it said before. */
  id: string;
  wrong: Signal<Complaint | undefined>;
  /** Whether the form is on its way to the relay. */
  busy: Signal<boolean>;
};

/** Shows what is wrong with a field, and moves the focus there. */
function complain({ wrong }: State, form: HTMLFormElement, field: string, words: string): void {
  wrong.value = { field, words };
  form.querySelector<HTMLElement>(`[name=${field}]`)?.focus();
}

/** The first problem that can be seen before anything is sent. */
function problemOf({ t }: Needs<"t">, form: HTMLFormElement, fields: readonly Asked[]): Complaint | undefined {
  const values = valuesOf(form);
  const missing = Object.keys(values).find(
    (name) => !values[name] && !fields.some(({ field, optional }) => field === name && optional),
  );
  if (missing) return { field: missing, words: t("required") };
  if (values.email && !form.querySelector<HTMLInputElement>("[name=email]")?.validity.valid)
    return { field: "email", words: t("emailWrong") };
  const over = (values.text?.length ?? 0) - TEXT_MAX;
  return over > 0 ? { field: "text", words: t("tooLong", { n: over }) } : undefined;
}

const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

async function submit(state: State, form: HTMLFormElement, fields: readonly Asked[]): Promise<void> {
  const { ui, busy } = state;
  if (busy.peek()) return;
  const found = problemOf(ui, form, fields);
  if (found) return complain(state, form, found.field, found.words);
  const values = valuesOf(form);
  busy.value = true;
  const problem = await sendDetails(state, values);
  const refused = values.text && !problem ? await sendDraft(ui) : undefined;
  busy.value = false;
  const [field, key] = (problem && COMPLAINTS[problem]) ?? [];
  if (field && key) return complain(state, form, field, ui.t(key));
  if (problem) return complain(state, form, fields[0]?.field ?? "text", ui.t("tryLater"));
  if (refused) return complain(state, form, "text", refused);
  state.done();
}

/** Sends the contact details. Resolves with the relay's error code, or nothing. */
const sendDetails = ({ ui: { chat, language }, id, reply }: State, { name, email, phone }: Record<string, string>) =>
  chat.submit(
    {
      t: "lead",
      // The service hears of it with the next message: a contact made before would be a second one.
      chat: true,
      ...(name && { firstName: name }),
      ...(email && { email }),
      ...(phone && { phone }),
      ...(reply && (email || chat.email.peek()) && { reply }),
      ...fitting({ page: location.pathname, title: titleOf(), locale: language.peek().tag }),
    },
    id,
  );

/** A form. After a failed check the focus is on the first wrong field. */
export const Form = live<FormProps>((ui: FormNeeds, mounted, { done, again, reply }) => {
  const { t, chat, announcer } = ui;
  const wrong: Complaint | undefined = again && { field: again.field, words: t(`${again.field}Wrong`) };
  const state: State = { ui, done, reply, id: again?.id ?? randomId(), wrong: signal(wrong), busy: signal(false) };
  const { busy } = state;
  const waits = (): boolean => busy.value && chat.link.value !== "online";
  mounted(watch(() => waits() && announcer.status(t("queued"))));
  return ({ fields, submit: label, message, begins, skip, children }) => (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(state, event.currentTarget, fields);
      }}
    >
      {children}
      {fields.map((asked) => detailField(state, asked))}
      {message && messageField(state)}
      {waits() && <p class="counter">{t("queued")}</p>}
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={busy.value}>
          {t(label)}
        </button>
        {skip && (
          <button type="button" class="link" onClick={skip}>
            {t("skip")}
          </button>
        )}
      </div>
      {begins && !chat.items.value.length && <PrivacyLine />}
    </form>
  );
});

/** Not components, like `messageField`: the form draws them, so that it is drawn again when a signal changes that they read. */
const detailField = ({ ui: { t }, wrong }: State, { field, optional }: Asked) => {
  const isWrong = wrong.value?.field === field;
  return (
    <Labelled
      key={field}
      name={field}
      label={optional ? `${t(field)} (${t("optional")})` : t(field)}
      wrong={wrong.value}
    >
      <input
        id={`form-${field}`}
        name={field}
        onInput={followText}
        {...INPUTS[field]}
        aria-required={!optional}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? "form-wrong" : undefined}
      />
    </Labelled>
  );
};

/** The message. It is the composer's draft: it outlives the page, and the hour at which the composer takes the form's place. */
const messageField = ({ ui: { t, chat }, wrong }: State) => {
  const text = chat.draft.value;
  const isWrong = wrong.value?.field === "text";
  const room = !isWrong && roomLeft(t, text);
  return (
    <Labelled name="text" label={t("message")} wrong={wrong.value}>
      <textarea
        id="form-text"
        name="text"
        rows={3}
        value={text}
        onInput={(event) => {
          followText(event);
          chat.draft.value = event.currentTarget.value;
          if (wrong.peek()?.field === "text") wrong.value = undefined;
        }}
        aria-required
        aria-invalid={isWrong}
        aria-describedby={isWrong ? "form-wrong" : room ? "form-left" : undefined}
      />
      {room && (
        <p id="form-left" class={text.length > TEXT_MAX ? "over" : ""}>
          {room}
        </p>
      )}
    </Labelled>
  );
};

type LabelledProps = { name: string; label: string; wrong: Complaint | undefined; children: ComponentChildren };

/** A field with its label above, and below it what is wrong with it. */
const Labelled = ({ name, label, wrong, children }: LabelledProps) => (
  <div class="labelled">
    <label for={`form-${name}`}>{label}</label>
    {children}
    {wrong?.field === name && (
      <p id="form-wrong" class="over" role="alert">
        {wrong.words}
      </p>
    )}
  </div>
);
