/** A form: fields with their errors below them, sent to the relay. `forms.tsx` describes the purpose of each form. */

import { randomId } from "@porchlight/shared/id";
import { TEXT_MAX } from "@porchlight/shared/limits";
import type { CustomField } from "@porchlight/shared/site";
import { effect, type Signal, signal } from "@preact/signals-core";
import type { ComponentChildren } from "preact";
import type { Item } from "../../conversation/chat.ts";
import type { Refused } from "../../conversation/chat-types.ts";
import { titleOf, withinLimits } from "../../conversation/storage.ts";
import type { Key } from "../../locales/en.types.ts";
import { type RareSettings, rareSettings } from "../../settings/rare-options.ts";
import { createExtraWords, type ExtraTranslate } from "../../text/extra-words.ts";
import { charsLeft } from "../base/chars-left.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { whyFailed } from "../base/failure-words.ts";
import { PrivacyLine } from "../base/privacy.tsx";
import {
  type AskedField,
  CUSTOM_INPUTS,
  type DetailField,
  FIELD_ERRORS,
  type FieldError,
  INPUTS,
  linesOf,
} from "./fields.ts";

/**
 * Sends a text. Resolves to undefined once the relay has stored it. If it resolves to an error message, the text was removed
 * from the conversation.
 */
async function sendText({ chat, t }: Needs<"t" | "chat">, text: string): Promise<string | undefined> {
  const id = chat.send(text);
  if (!id) return t("often");
  const item = await outcomeOf(chat, id);
  if (item?.pos !== undefined) return undefined;
  chat.remove(id);
  return whyFailed(t, item?.reason);
}

/** Resolves once a message is stored, has failed, or was removed. */
const outcomeOf = ({ items }: Needs<"chat">["chat"], id: string): Promise<Item | undefined> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      const found = items.value.find((one) => one.id === id);
      if (found?.pos === undefined && found && found.state !== "failed") return;
      resolve(found);
      queueMicrotask(() => stop());
    });
  });

/** The direction of a field's text. An empty field has the page's direction: with `auto` it would always be left to right. */
const followText = ({ currentTarget: field }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void => {
  field.dir = field.value && "auto";
};

type FormProps = {
  fields: readonly AskedField[];
  submit: Key;
  /** The refused form that this one corrects. */
  again?: Refused;
  /** Whether the form also has a message field. */
  message?: boolean;
  /** Replies to an absent visitor are mailed to the address in this form, or to the known one. */
  reply?: boolean;
  /** The form stands in place of the conversation, so the privacy line is below it. */
  begins?: boolean;
  done: () => void;
  skip?: () => void;
  children?: ComponentChildren;
};

type FormNeeds = Needs<"t" | "language" | "settings" | "shell" | "chat" | "announcer">;

/** The state of a form on the page. */
type State = {
  ui: FormNeeds;
  done: () => void;
  reply: boolean | undefined;
  /** The extra texts, once they are loaded. */
  words: () => ExtraTranslate | undefined;
  /** The values that the page prefills, by field name. */
  prefill: RareSettings["prefill"];
  /** Id of the form for the relay: a corrected form replaces the earlier one with the same id. */
  id: string;
  /** The invalid fields, in the form's order. */
  wrong: Signal<readonly FieldError[]>;
  /** Whether the form is being sent. */
  busy: Signal<boolean>;
};

/** Shows the errors of fields, and moves the focus to the first of these fields. */
function showErrors({ wrong }: State, form: HTMLFormElement, ...errors: readonly FieldError[]): void {
  wrong.value = errors;
  form.querySelector<HTMLElement>(`[name=${errors[0]?.field}]`)?.focus();
}

/** The errors that the browser can find before the form is sent, one for each invalid field. */
function problemsOf(state: State, form: HTMLFormElement, fields: readonly AskedField[]): FieldError[] {
  const values = valuesOf(form);
  const asked = fields.map((one) => ({ field: one.field, words: problemOf(state, form, one, values[one.field]) }));
  return [...asked, { field: "text", words: textProblem(state, values.text) }].flatMap(({ field, words }) =>
    words ? [{ field, words }] : [],
  );
}

function problemOf(
  { ui: { t }, words }: State,
  form: HTMLFormElement,
  { field, optional, custom }: AskedField,
  value: string | undefined,
): string | undefined {
  const input = form.querySelector<HTMLInputElement>(`[name=${field}]`);
  // This check comes first, because browsers report an invalid number or date as an empty value.
  if (input?.validity.valid === false) return custom ? (words()?.("fieldWrong") ?? t("required")) : t("emailWrong");
  return value || optional ? undefined : t("required");
}

/** @param text the message; undefined in a form without one */
function textProblem({ ui: { t } }: State, text: string | undefined): string | undefined {
  if (text === "") return t("required");
  const over = (text?.length ?? 0) - TEXT_MAX;
  return over > 0 ? t("tooLong", { n: over }) : undefined;
}

const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

async function submit(state: State, form: HTMLFormElement, fields: readonly AskedField[]): Promise<void> {
  const { ui, busy } = state;
  if (busy.peek()) return;
  const found = problemsOf(state, form, fields);
  if (found[0]) return showErrors(state, form, ...found);
  const values = valuesOf(form);
  busy.value = true;
  const problem = await sendDetails(state, values);
  // The service's interface has no fields for custom values, so they go into the conversation (R-206 lists the others).
  const lines = linesOf(fields, values, state.words()?.("yes") ?? "✓");
  const text = [values.text, lines].filter(Boolean).join("\n\n");
  const refused = text && !problem ? await sendText(ui, text) : undefined;
  if (values.text && !problem && !refused) ui.chat.draft.value = "";
  busy.value = false;
  const [field, key] = (problem && FIELD_ERRORS[problem]) ?? [];
  if (field && key) return showErrors(state, form, { field, words: ui.t(key) });
  if (problem) return showErrors(state, form, { field: fields[0]?.field ?? "text", words: ui.t("tryLater") });
  if (refused)
    return showErrors(state, form, { field: values.text ? "text" : (fields.at(-1)?.field ?? "text"), words: refused });
  state.done();
}

/** Sends the contact details, if there are any. Resolves to the relay's error code, or to undefined. */
function sendDetails({ ui: { chat, language }, id, reply }: State, { name, email, phone }: Record<string, string>) {
  if (!name && !email && !phone && !reply) return undefined;
  return chat.submit(
    {
      t: "lead",
      // The service gets the details with the next message: creating a contact earlier would create a second one.
      chat: true,
      ...(name && { firstName: name }),
      ...(email && { email }),
      ...(phone && { phone }),
      ...(reply && (email || chat.email.peek()) && { reply }),
      ...withinLimits({ page: location.pathname, title: titleOf(), locale: language.peek().tag }),
    },
    id,
  );
}

/** A form. After a failed check every invalid field says why until it is changed, and the focus is on the first one. */
export const Form = component<FormProps>((ui: FormNeeds, mounted, { done, again, reply }) => {
  const { t, chat, announcer } = ui;
  const wrong = again ? [{ field: again.field, words: t(`${again.field}Wrong`) }] : [];
  const { follow, words } = createExtraWords(ui, signal(undefined));
  mounted(watch(follow));
  const base = { ui, words, done, reply, prefill: rareSettings(ui).prefill };
  const state: State = {
    ...base,
    id: again?.id ?? randomId(),
    wrong: signal<readonly FieldError[]>(wrong),
    busy: signal(false),
  };
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
      onInput={({ target }) => {
        const { name } = target as HTMLInputElement;
        if (errorOf(state, name)) state.wrong.value = state.wrong.peek().filter(({ field }) => field !== name);
      }}
    >
      {children}
      {fields.map((asked) => (asked.custom ? customInput(state, asked, asked.custom) : detailField(state, asked)))}
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

/**
 * A field for contact details. Like the functions for the other fields, it is not a component, so that the form renders again
 * when a signal that it reads changes.
 */
const detailField = (state: State, asked: AskedField) => {
  const field = asked.field as DetailField;
  return (
    <Labelled key={field} name={field} label={labelOf(state, state.ui.t(field), asked)} state={state}>
      <input {...attributesOf(state, asked)} onInput={followText} {...INPUTS[field]} />
    </Labelled>
  );
};

const labelOf = ({ ui: { t } }: State, label: string, { optional }: AskedField): string =>
  optional ? `${label} (${t("optional")})` : label;

const errorOf = ({ wrong }: State, field: string): FieldError | undefined =>
  wrong.value.find((error) => error.field === field);

/** The attributes that all inputs of a form have. */
function attributesOf(state: State, { field, optional }: AskedField) {
  const { prefill } = state;
  const isWrong = !!errorOf(state, field);
  const value = Object.hasOwn(prefill, field) ? prefill[field] : undefined;
  return {
    id: `form-${field}`,
    name: field,
    "aria-required": !optional,
    "aria-invalid": isWrong,
    "aria-describedby": isWrong ? `form-wrong-${field}` : undefined,
    ...(value && { defaultValue: `${value}` }),
  };
}

/** A custom field of the type that the site sets. */
const customInput = (state: State, asked: AskedField, custom: CustomField) => {
  const { type = "text", label, choices = [] } = custom;
  const { defaultValue, ...attributes } = attributesOf(state, asked);
  const input =
    type === "choice" ? (
      <select {...attributes}>
        <option value="">{state.words()?.("choose")}</option>
        {choices.map((one) => (
          <option key={one} selected={one === defaultValue}>
            {one}
          </option>
        ))}
      </select>
    ) : type === "long" ? (
      <textarea {...attributes} rows={3} maxLength={500} defaultValue={defaultValue} onInput={followText} />
    ) : (
      <input
        {...attributes}
        {...(CUSTOM_INPUTS[type] ?? CUSTOM_INPUTS.text)}
        defaultValue={type === "checkbox" ? undefined : defaultValue}
        defaultChecked={type === "checkbox" && !!defaultValue}
        onInput={type === "text" ? followText : undefined}
      />
    );
  return (
    <Labelled key={asked.field} name={asked.field} label={labelOf(state, label, asked)} state={state} kind={type}>
      {input}
    </Labelled>
  );
};

/** The message field. It edits the composer's draft, so the text survives a reload and the change from form to composer. */
const messageField = (state: State) => {
  const { t, chat } = state.ui;
  const text = chat.draft.value;
  const isWrong = !!errorOf(state, "text");
  const left = !isWrong && charsLeft(t, text, TEXT_MAX);
  return (
    <Labelled name="text" label={t("message")} state={state}>
      <textarea
        id="form-text"
        name="text"
        rows={3}
        value={text}
        onInput={(event) => {
          followText(event);
          chat.draft.value = event.currentTarget.value;
        }}
        aria-required
        aria-invalid={isWrong}
        aria-describedby={isWrong ? "form-wrong-text" : left ? "form-left" : undefined}
      />
      {left && (
        <p id="form-left" class={text.length > TEXT_MAX ? "over" : ""}>
          {left}
        </p>
      )}
    </Labelled>
  );
};

type LabelledProps = {
  name: string;
  label: string;
  state: State;
  kind?: string;
  children: ComponentChildren;
};

/**
 * A field with its label above and its error below. Screen readers announce the error of the first invalid field; they read
 * the others with their fields.
 */
const Labelled = ({ name, label, state, kind = "", children }: LabelledProps) => {
  const error = errorOf(state, name);
  return (
    <div class={`labelled ${kind}`}>
      <label for={`form-${name}`}>{label}</label>
      {children}
      {error && (
        <p id={`form-wrong-${name}`} class="over" role={error === state.wrong.value[0] ? "alert" : undefined}>
          {error.words}
        </p>
      )}
    </div>
  );
};
