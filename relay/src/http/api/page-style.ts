import { PAGE_COLOURS } from "../../base/page-colours.ts";

/** The style of the page of the API. */
export const STYLE = `
${PAGE_COLOURS}
:root { --get: var(--good); --post: #1f5a86; --delete: var(--bad); }
@media (prefers-color-scheme: dark) { :root { --post: #7fc1e6; } }
* { box-sizing: border-box; }
html { font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground); scroll-padding-top: 1rem; }
body { margin: 0; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: 0.5rem; top: -4rem; background: var(--card); padding: 0.5rem 1rem; z-index: 2; }
.skip:focus { top: 0.5rem; }
.page { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 84rem; margin: 0 auto; padding: 0 1.25rem; gap: 0 2.5rem; }
nav { padding: 1.5rem 0 0; }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; }
nav a { display: block; padding: 0.3rem 0.7rem; border: 1px solid var(--line); border-radius: 999px; color: inherit; text-decoration: none; }
main { padding: 1.5rem 0 4rem; min-width: 0; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 0.75rem; letter-spacing: -0.01em; }
h2 { font-size: 1.25rem; margin: 3rem 0 0.75rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
h3 { font-size: 0.87rem; color: var(--soft); margin: 1.1rem 0 0.3rem; font-weight: 600; }
p, main > ul { max-width: 62rem; }
code, pre { font: 0.87em/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
td code { overflow-wrap: break-word; }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1rem; margin: 0.4rem 0; }
.note { color: var(--soft); font-size: 0.87rem; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 0.6rem; }
summary { position: relative; cursor: pointer; padding: 0.65rem 2.6rem 0.65rem 1rem; display: grid; grid-template-columns: 4.2rem minmax(0, 1fr); gap: 0 0.75rem; align-items: baseline; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; position: absolute; right: 1.15rem; top: 1rem; width: 0.5rem; height: 0.5rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(45deg); }
details[open] > summary::after { top: 1.25rem; transform: rotate(-135deg); }
summary:hover { background: color-mix(in srgb, var(--accent) 6%, transparent); border-radius: 10px; }
summary span { grid-column: 2; color: var(--soft); }
.method { font: 600 0.8rem ui-monospace, monospace; text-transform: uppercase; color: var(--get); }
.method.post { color: var(--post); }
.method.delete { color: var(--delete); }
.body { padding: 0 1rem 1rem; border-top: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { font-size: 0.87rem; color: var(--soft); font-weight: 600; }
tbody tr:last-child td { border-bottom: 0; }
@media (min-width: 64rem) {
  .page { grid-template-columns: 11rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; align-self: start; padding-top: 2rem; }
  nav ul { display: grid; gap: 0; }
  nav a { border: 0; padding: 0.25rem 0; color: var(--soft); }
  nav a:hover { color: var(--accent); }
  .body { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.5rem; }
}
@media (max-width: 30rem) { summary { grid-template-columns: minmax(0, 1fr); } summary span { grid-column: 1; } }
`;
