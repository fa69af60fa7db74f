/** A form: fields with their complaints below them, on their way to the relay. What it is for, `forms.tsx` says. */

import { randomId } from "@porchlight/shared/id";
import { TEXT_MAX } from "@porchlight/shared/limits";
import type { ErrorCode } from "@porchlight/shared/protocol";
import { effect, signal } from "@preact/signals-core";
import type { ComponentChildren } from "preact";
import type { Item } from "../../conversation/chat.ts";
import type { Refused } from "../../conversation/chat-types.ts";
import { fitting, titleOf } from "../../conversation/storage.ts";
import type { Key } from "../../text/i18n.ts";
import { live, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { roomLeft } from "../composer/composer.tsx";
import { PrivacyLine } from "../thread/empty-thread.tsx";

/** What can be asked for. A field of a setting may end in `?`: then it may stay empty. */
type Field = "name" | "email" | "phone";
export type Asked = { field: Field; optional: boolean };

const INPUTS = {
  name: { type: "text", autocomplete: "given-name", maxLength: 200 },
  email: { type: "email", autocomplete: "email", maxLength: 300 },
  phone: { type: "tel", autocomplete: "tel", maxLength: 64 },
} as const;

const COMPLAINTS: { readonly [code in ErrorCode]?: [Field, Key] } = {
  invalid_email: ["email", "emailWrong"],
  invalid_phone: ["phone", "phoneWrong"],
};

/** What a setting asks for; what it does not know is passed over. */
export const fieldsOf = (setting: readonly string[]): Asked[] =>
  setting.flatMap((entry) => {
    const [, field, mark] = /^\s*(name|email|phone)(\??)\s*$/.exec(entry) ?? [];
    return field ? [{ field: field as Field, optional: mark === "?" }] : [];
  });

/** The same without what is known already, from a form or signed (WCAG 3.3.7). */
export const stillAsked = ({ chat }: Needs<"chat">, setting: readonly string[]): Asked[] => {
  const known = { name: chat.name.value, email: chat.email.value, phone: undefined };
  return fieldsOf(setting).filter(({ field }) => !known[field]);
};

/** Sends what stands in the draft. Resolves when the relay has it, or with what is wrong, in words; then the draft stays. */
async function leave({ chat, t, part }: Needs<"t" | "chat" | "part">): Promise<string | undefined> {
  const id = chat.send(chat.draft.peek().trim());
  if (!id) return t("often");
  const item = await new Promise<Item | undefined>((resolve) => {
    const stop = effect(() => {
      const found = chat.items.value.find((one) => one.id === id);
      if (found?.pos === undefined && found && found.state !== "failed") return;
      resolve(found);
      queueMicrotask(() => stop());
    });
  });
  if (item?.pos === undefined) {
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
  chat.draft.value = "";
  return undefined;
}

/** A field without text runs as the page around it does; `auto` alone would begin at the left everywhere. */
const byText = ({ currentTarget: field }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void => {
  field.dir = field.value && "auto";
};

type FormProps = {
  fields: readonly Asked[];
  submit: Key;
  /** The form that this one mends. */
  again?: Refused;
  /** Whether a message is asked for, too. */
  message?: boolean;
  /** The address, asked for here or known, is for the replies that come while the visitor is away. */
  reply?: boolean;
  /** Stands where a conversation would begin: with what the thread says of privacy there. */
  begins?: boolean;
  done: () => void;
  skip?: () => void;
  children?: ComponentChildren;
};

type FormNeeds = Needs<"t" | "language" | "chat" | "announcer" | "part">;

/** Fields with their complaints below them, in words, and the focus on the first that is wrong. */
export const Form = live<FormProps>((ui: FormNeeds, mounted, { done, again, reply }) => {
  const { t, chat, language, announcer } = ui;
  const id = again?.id ?? randomId();
  const wrong = signal<{ field: string; words: string } | undefined>(
    again && { field: again.field, words: t(`${again.field}Wrong`) },
  );
  const busy = signal(false);
  const room = () => wrong.value?.field !== "text" && roomLeft(t, chat.draft.value);
  const waits = (): boolean => busy.value && chat.link.value !== "online";
  mounted(watch(() => waits() && announcer.status(t("queued"))));
  const complain = (form: HTMLFormElement, field: string, words: string): void => {
    wrong.value = { field, words };
    form.querySelector<HTMLElement>(`[name=${field}]`)?.focus();
  };
  const submit = async (form: HTMLFormElement, fields: readonly Asked[]): Promise<void> => {
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    const missing = Object.keys(values).find(
      (name) => !values[name] && !fields.some(({ field, optional }) => field === name && optional),
    );
    if (missing) return complain(form, missing, t("required"));
    if (values.email && !form.querySelector<HTMLInputElement>("[name=email]")?.validity.valid) {
      return complain(form, "email", t("emailWrong"));
    }
    const { name, email, phone, text = "" } = values;
    if (text.length > TEXT_MAX) return complain(form, "text", t("tooLong", { n: text.length - TEXT_MAX }));
    busy.value = true;
    const problem = await chat.submit(
      {
        t: "lead",
        // The service hears of it with the next message: a contact made before would be a second one (R-206).
        chat: true,
        ...(name && { firstName: name }),
        ...(email && { email }),
        ...(phone && { phone }),
        ...(reply && (email || chat.email.peek()) && { reply }),
        ...fitting({ page: location.pathname, title: titleOf(), locale: language.peek().tag }),
      },
      id,
    );
    const refused = text && !problem ? await leave(ui) : undefined;
    busy.value = false;
    const [field, key] = (problem && COMPLAINTS[problem]) ?? [];
    if (field && key) return complain(form, field, t(key));
    if (problem) return complain(form, fields[0]?.field ?? "text", t("tryLater"));
    if (refused) return complain(form, "text", refused);
    done();
  };
  return ({ fields, submit: label, message, begins, skip, children }) => (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy.peek()) void submit(event.currentTarget, fields);
      }}
    >
      {children}
      {fields.map(({ field, optional }) => (
        <Labelled
          key={field}
          name={field}
          label={`${t(field)}${optional ? ` (${t("optional")})` : ""}`}
          wrong={wrong.value}
        >
          <input
            id={`form-${field}`}
            name={field}
            onInput={byText}
            {...INPUTS[field]}
            aria-required={!optional}
            aria-invalid={wrong.value?.field === field}
            aria-describedby={wrong.value?.field === field ? "form-wrong" : undefined}
          />
        </Labelled>
      ))}
      {message && (
        <Labelled name="text" label={t("message")} wrong={wrong.value}>
          {/* The composer's own draft: it outlives the page, and the hour at which the composer takes this form's place. */}
          <textarea
            id="form-text"
            name="text"
            rows={3}
            value={chat.draft.value}
            onInput={(event) => {
              byText(event);
              chat.draft.value = event.currentTarget.value;
              if (wrong.peek()?.field === "text") wrong.value = undefined;
            }}
            aria-required
            aria-invalid={wrong.value?.field === "text"}
            aria-describedby={wrong.value?.field === "text" ? "form-wrong" : room() ? "form-left" : undefined}
          />
          {room() && (
            <p id="form-left" class={chat.draft.value.length > TEXT_MAX ? "over" : ""}>
              {room()}
            </p>
          )}
        </Labelled>
      )}
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

type LabelledProps = {
  name: string;
  label: string;
  wrong: { field: string; words: string } | undefined;
  children: ComponentChildren;
};
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
