import { html } from "hono/html";
import { type Html, time } from "./html.ts";

/** A step of a journey. `at`: milliseconds since 1970; null for a step without a time. `open`: not reached yet. */
export type JourneyStep = { name: string; at: number | null; note?: Html | string; kind?: "bad" | "open" };

const item = ({ name, at, note, kind }: JourneyStep): Html =>
  html`<li class="${kind ?? ""}"><p class="step"><strong>${name}</strong>${at === null ? "" : html` ${time(at)}`}</p>${note === undefined ? "" : html`<p class="note">${note}</p>`}</li>`;

/** The steps as an ordered list, in the given order. */
export const stepList = (steps: readonly JourneyStep[]): Html => html`<ol class="journey">${steps.map(item)}</ol>`;
