import { html } from "hono/html";
import { type Html, time } from "./html.ts";

/** A step of a journey. `at`: milliseconds since 1970; null for a step without a time. `open`: not reached yet. */
export type Stage = { name: string; at: number | null; note?: Html | string; kind?: "bad" | "open" };

const item = ({ name, at, note, kind }: Stage): Html =>
  html`<li class="${kind ?? ""}"><p class="step"><strong>${name}</strong>${at === null ? "" : html` ${time(at)}`}</p>${note === undefined ? "" : html`<p class="note">${note}</p>`}</li>`;

/** The list of a journey's steps. */
export const stageList = (stages: readonly Stage[]): Html => html`<ol class="journey">${stages.map(item)}</ol>`;
