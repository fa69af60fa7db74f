/**
 * Forms: before the first message, after it, and outside business hours. Fetched only where a site has asked for one.
 * What is asked for is asked once, and what is not required can be skipped.
 */

import { randomId } from "@porchlight/shared/id";
import { PAGE_MAX } from "@porchlight/shared/limits";
import type { ErrorCode } from "@porchlight/shared/protocol";
import { signal } from "@preact/signals-core";
import type { ComponentChildren } from "preact";
import type { Refused } from "../conversation.ts";
import type { Key } from "../i18n.ts";
import { addEnglish } from "../i18n.ts";
import { rare } from "../locales/en.rare.ts";
import css from "./forms.css?inline";
import { isKept, keep } from "./kept.ts";
import { live, watch } from "./live.ts";
import { followHours } from "./status.tsx";
import { adopt } from "./style.ts";

export { Consent } from "./consent.tsx";
export { ReplyTime, Status } from "./status.tsx";

addEnglish(rare);

/** What can be asked for. A field of a setting may end in `?`: then it may stay empty. */
type Field = "name" | "email" | "phone";
type Asked = { field: Field; optional: boolean };

const INPUTS = {
  name: { type: "text", autocomplete: "given-name" },
  email: { type: "email", autocomplete: "email" },
  phone: { type: "tel", autocomplete: "tel" },
} as const;

const COMPLAINTS: { readonly [code in ErrorCode]?: [Field, Key] } = {
  invalid_email: ["email", "emailWrong"],
  invalid_phone: ["phone", "phoneWrong"],
};

const fieldsOf = (setting: readonly string[]): Asked[] =>
  setting.flatMap((entry) => {
    const [, field, mark] = /^\s*(name|email|phone)(\??)\s*$/.exec(entry) ?? [];
    return field ? [{ field: field as Field, optional: mark === "?" }] : [];
  });

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
  /** The address is asked for the replies that come while the visitor is away. */
  reply?: boolean;
  done: () => void;
  skip?: () => void;
  children?: ComponentChildren;
};

/** Fields with their complaints below them, in words, and the focus on the first that is wrong. */
const Form = live<FormProps>((ui, _mounted, { done, again, reply }) => {
  const { t, chat, language } = ui;
  const id = again?.id ?? randomId();
  const wrong = signal<{ field: string; words: string } | undefined>(
    again && { field: again.field, words: t(`${again.field}Wrong`) },
  );
  const busy = signal(false);
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
    busy.value = true;
    const { name, email, phone } = values;
    const problem = await chat.submit(
      {
        t: "lead",
        // The service hears of it with the next message: a contact made before would be a second one (R-206).
        chat: true,
        ...(name && { firstName: name }),
        ...(email && { email }),
        ...(phone && { phone }),
        ...(email && reply && { reply, page: location.pathname.slice(0, PAGE_MAX), locale: language.peek().tag }),
      },
      id,
    );
    busy.value = false;
    const [field, key] = (problem && COMPLAINTS[problem]) ?? [];
    if (field && key) return complain(form, field, t(key));
    if (problem) return complain(form, fields[0]?.field ?? "", t("tryLater"));
    if (email) keep(ui, "mail", true);
    const text = values.text;
    if (text) chat.send(text);
    done();
  };
  return ({ fields, submit: label, message, skip, children }) => (
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
          <textarea id="form-text" name="text" rows={3} onInput={byText} aria-required />
        </Labelled>
      )}
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

/** Stands where the composer would, while it asks: a form first, or instead, where the site wants it. */
export const Foot = live((ui, mounted) => {
  const { t, settings, chat, language, announcer, focusComposer, shell, asking } = ui;
  const { isClosed, opens } = followHours(ui, mounted);
  const filled = signal(isKept(ui, "prechat"));
  const left = signal(false);
  const fields = (): Asked[] => fieldsOf(settings.value.prechat);
  const asks = (): boolean => fields().length > 0 && !filled.value && chat.items.value.length === 0;
  mounted(() => adopt(shell.root, css));
  mounted(
    watch(() => {
      asking.value = isClosed() || asks();
    }),
  );
  return () => {
    if (isClosed()) {
      const next = opens();
      const format = { weekday: "long", hour: "numeric", minute: "2-digit" } as const;
      const when = next && new Intl.DateTimeFormat(language.value.region, format).format(next);
      return left.value ? (
        <p class="form said">{t("closedSent")}</p>
      ) : (
        <Form
          fields={fieldsOf(["name?", "email"])}
          submit="closedSend"
          message
          reply
          done={() => {
            left.value = true;
            announcer.status(t("closedSent"));
          }}
        >
          <h3>{t("closedTitle")}</h3>
          <p>{when ? t("closedUntil", { when }) : t("closedBody")}</p>
        </Form>
      );
    }
    if (!asks()) return null;
    return (
      <Form
        fields={fields()}
        submit="formStart"
        done={() => {
          keep(ui, "prechat", true);
          filled.value = true;
          setTimeout(focusComposer);
        }}
      >
        <h3>{t("formTitle")}</h3>
      </Form>
    );
  };
});

/** In the thread after the visitor's first message: one field, said what for, easily declined. */
export const Card = live((ui) => () => {
  const refused = ui.chat.refused.value;
  if (refused) return <Again key={refused.id} refused={refused} />;
  const fields = fieldsOf(ui.settings.value.capture);
  const wrote = ui.chat.items.value.some(({ from, pos }) => from === "visitor" && pos !== undefined);
  return wrote && fields[0] && <Ask fields={fields} />;
});

/** For those who have waited long: the way to an answer without waiting. Nobody is asked who was asked already, or is known. */
export const Offer = live(
  ({ settings, chat }) =>
    () =>
      !settings.value.capture[0] && !chat.name.value && <Ask fields={EMAIL} />,
);

const EMAIL = fieldsOf(["email"]);

/** A field of a form that the service refused when the form was gone already. */
const Again = live<{ refused: Refused }>(({ t, chat, focusComposer, shell }, mounted, { refused }) => {
  mounted(() => adopt(shell.root, css));
  const close = (): void => {
    chat.refused.value = undefined;
    setTimeout(focusComposer);
  };
  return () => (
    <div class="card">
      <Form fields={fieldsOf([refused.field])} again={refused} submit="save" done={close} skip={close}>
        <h3>{t(`${refused.field}Ask`)}</h3>
      </Form>
    </div>
  );
});

const Ask = live<{ fields: readonly Asked[] }>((ui, mounted) => {
  const { t, announcer, focusComposer, shell } = ui;
  const asked = signal(isKept(ui, "capture"));
  const thanks = signal(false);
  const close = (): void => {
    asked.value = true;
    keep(ui, "capture", true);
    // The pressed button goes away.
    setTimeout(focusComposer);
  };
  mounted(() => adopt(shell.root, css));
  return ({ fields }) => {
    if (thanks.value) return <p class="card said">{t("saved")}</p>;
    if (asked.value) return null;
    return (
      <div class="card">
        <Form
          fields={fields}
          submit="save"
          reply
          done={() => {
            thanks.value = true;
            announcer.status(t("saved"));
            close();
          }}
          skip={close}
        >
          <h3>{t(fields.some(({ field }) => field === "email") ? "emailAsk" : "phoneAsk")}</h3>
        </Form>
      </div>
    );
  };
});
