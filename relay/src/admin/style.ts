import { PAGE_COLOURS } from "../base/page-colours.ts";

/** The style sheet of the admin pages: `/admin/style.css`. */
export const STYLE = `
${PAGE_COLOURS}
:root { --wait: #7a5200; --chart: #b3640f; --chart2: #2b6a8f; --chart3: #7b4fa6; }
@media (prefers-color-scheme: dark) { :root { --wait: #e8c477; --chart: #f0b26b; --chart2: #7fc1e6; --chart3: #c9a6f2; } }
* { box-sizing: border-box; }
html { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
body { margin: 0; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { overflow-wrap: anywhere; font-size: 1.6rem; line-height: 1.2; margin: 0 0 1.25rem; letter-spacing: -0.01em; }
h2 { font-size: 1.05rem; margin: 2rem 0 0.75rem; }
a.id, a:has(.id) { text-underline-offset: 4px; }
code, .id { font: 0.87em ui-monospace, monospace; overflow-wrap: anywhere; }
@media (min-width: 48rem) { .name { white-space: nowrap; } }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: 0.5rem; top: -4rem; background: var(--card); padding: 0.5rem 1rem; z-index: 2; }
.skip:focus { top: 0.5rem; }
.bar { display: flex; gap: 0.75rem; align-items: center; padding: 0.6rem max(1rem, calc(50% - 37rem)); background: var(--card); border-bottom: 1px solid var(--line); }
.brand { margin: 0; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.find { display: flex; gap: 0.4rem; flex: 1 1 0; min-width: 0; max-width: 30rem; }
.find input { flex: 1 1 0; width: 100%; min-width: 0; }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0.4rem 0.7rem; min-height: 2.4rem; }
input[type=checkbox] { min-height: 0; margin: 0.2rem 0 0; width: 1.15rem; height: 1.15rem; accent-color: var(--accent); }
button { cursor: pointer; }
a.button { display: inline-flex; align-items: center; color: inherit; text-decoration: none; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0.4rem 0.7rem; min-height: 2.4rem; }
button.main { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); }
button.plain { border: 0; background: none; color: var(--accent); padding: 0.4rem 0.75rem; text-align: left; width: 100%; }
main { padding: 1.5rem 1rem 3rem; max-width: 76rem; margin: 0 auto; outline: none; }
nav { background: var(--card); border-bottom: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0 max(0.4rem, calc(50% - 37.6rem)); display: flex; overflow-x: auto; }
nav a { display: block; padding: 0.55rem 0.6rem; color: var(--soft); text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; }
nav a:focus-visible { outline-offset: -3px; }
nav a:hover { color: var(--ink); border-color: var(--line); }
nav a[aria-current] { color: var(--ink); border-color: var(--accent); }
.menu { margin-left: auto; position: relative; }
.menu summary { cursor: pointer; padding: 0.4rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; }
.menu div { position: absolute; right: 0; top: 110%; min-width: 13rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.5rem; z-index: 1; box-shadow: 0 8px 30px rgb(0 0 0 / 0.18); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, calc(50% - 0.375rem)), 1fr)); gap: 0.75rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1rem; }
.card:has(a) { position: relative; }
.card a::after { content: ""; position: absolute; inset: 0; border-radius: 10px; }
.card:hover:has(a) { border-color: var(--accent); }
.card p { margin: 0; color: var(--soft); font-size: 0.87rem; }
.card p.value { color: var(--ink); font-size: 1.55rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.card.bad p.value { color: var(--bad); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0.75rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.9rem 1rem; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-weight: 600; margin-bottom: 0.4rem; }
.legend { font-weight: 400; color: var(--soft); font-size: 0.87rem; }
.legend span { display: inline-block; white-space: nowrap; }
.legend span::before { content: ""; display: inline-block; width: 0.8em; height: 0.2em; margin: 0 0.4em 0.25em 0.8em; background: var(--chart); }
.legend span:nth-child(2)::before { background: var(--chart2); }
.legend span:nth-child(3)::before { background: var(--soft); }
.legend span:nth-child(4)::before { background: var(--bad); }
.legend span:nth-child(5)::before { background: var(--chart3); }
.nothing { display: grid; place-items: center; min-height: 9rem; margin: 0; padding: 0 1.5rem; color: var(--soft); text-align: center; text-wrap: balance; border-bottom: 1px solid var(--line); }
svg.plot { width: 100%; height: auto; display: block; overflow: visible; }
svg.plot .grid { stroke: var(--line); stroke-width: 1; }
svg.plot text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg.plot polyline { fill: none; stroke-width: 2; stroke-linejoin: round; stroke: var(--of, var(--chart)); }
svg.plot circle { fill: var(--of, var(--chart)); }
svg.plot polyline.begun { stroke-dasharray: 2 3; }
svg.plot .s1 { --of: var(--chart2); }
svg.plot .s2 { --of: var(--soft); }
svg.plot .s3 { --of: var(--bad); }
svg.plot .s4 { --of: var(--chart3); }
.tabs { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: 0.35rem 0.8rem; border: 1px solid var(--line); border-radius: 999px; color: inherit; text-decoration: none; }
.tabs a[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.filter { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; margin: 0 0 1rem; }
.filter label { display: grid; gap: 0.2rem; color: var(--soft); font-size: 0.87rem; }
.filter label.wide { flex: 1 1 14rem; }
.filter select { max-width: 11rem; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.55rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
th { font-weight: 600; font-size: 0.87rem; color: var(--soft); white-space: nowrap; }
td .id, td .line { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td .id { max-width: 10rem; line-height: 1.72; }
td:first-child .line { max-width: 12rem; }
td:last-child .line { max-width: 8rem; }
td .whole { display: block; min-width: 9rem; max-width: 18rem; overflow-wrap: anywhere; }
td.long { min-width: 11rem; overflow-wrap: anywhere; }
td time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.tries summary { cursor: pointer; color: var(--accent); width: fit-content; font-size: 0.87rem; }
.tries ol { list-style: none; margin: 0.3rem 0 0; padding: 0 0 0 0.7rem; border-left: 2px solid var(--line); display: grid; gap: 0.3rem; font-size: 0.87rem; color: var(--soft); }
.tries li { overflow-wrap: anywhere; }
.empty { background: var(--card); border: 1px dashed var(--line); border-radius: 10px; padding: 1.5rem; color: var(--soft); }
.badge { display: inline-block; padding: 0 0.55em; border: 1px solid currentColor; border-radius: 999px; font-size: 0.85rem; color: var(--soft); white-space: nowrap; }
.badge.delivered, .badge.done, .badge.ok { color: var(--good); }
.badge.failed, .badge.refused, .badge.unknown { color: var(--bad); }
.badge.waiting, .badge.sent, .badge.open { color: var(--wait); }
.facts { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin: 0 0 1.5rem; }
.facts dt { color: var(--soft); font-size: 0.87rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.thread { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.6rem; }
.thread li { max-width: min(42rem, 92%); width: fit-content; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.6rem 0.9rem; }
.thread li.visitor { margin-left: auto; background: color-mix(in srgb, var(--accent) 10%, var(--card)); }
.thread p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.file a { overflow-wrap: anywhere; }
.file img { display: block; height: auto; max-width: min(20rem, 100%); max-height: 15rem; object-fit: contain; object-position: 0 0; margin-bottom: 0.3rem; border-radius: 6px; }
.thread footer { color: var(--soft); font-size: 0.87rem; }
.journey { list-style: none; margin: 0; padding: 0 0 0 1.1rem; border-left: 2px solid var(--line); display: grid; gap: 1rem; }
.journey li { position: relative; }
.journey li::before { content: ""; position: absolute; left: -1.5rem; top: 0.4rem; box-sizing: border-box; width: 0.7rem; height: 0.7rem; border-radius: 50%; background: var(--good); }
.journey li.bad::before { background: var(--bad); }
.journey li.open::before { background: var(--card); border: 2px solid var(--wait); }
.text { font: inherit; }
h2 .note { font-weight: 400; }
.journey + form { margin-top: 1.5rem; }
.journey p { margin: 0; }
.journey .step { display: flex; flex-wrap: wrap; gap: 0 0.6rem; }
.journey time { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); }
.journey .note { color: var(--soft); }
.login { max-width: 24rem; margin: 12vh auto 0; padding: 0 1rem; }
.login form { display: grid; gap: 0.75rem; }
.login label { display: grid; gap: 0.3rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.bulk { position: sticky; bottom: 0; margin: 1rem 0 0; padding: 0.6rem 0; background: var(--ground); border-top: 1px solid var(--line); }
.pages { margin: 0.75rem 0 0; gap: 1rem; }
.note { color: var(--soft); font-size: 0.87rem; max-width: 46rem; }
.menu .note { margin: 0; padding: 0.2rem 0.75rem 0.5rem; }
form + .scroll { margin-top: 1.5rem; }
.consequences { max-width: 46rem; margin: 0 0 1rem; }
.ask { font-size: 1.15rem; font-weight: 600; margin: 0 0 0.4rem; }
.done { color: var(--good); }
th.number { text-align: right; }
td .number { display: block; text-align: right; font-variant-numeric: tabular-nums; }
.decide { display: flex; flex-wrap: wrap; gap: 0.4rem; min-width: 11rem; }
.decide input { flex: 1 1 100%; min-width: 0; }
.problems { border: 1px solid var(--bad); border-radius: 10px; background: var(--card); padding: 0.8rem 1rem; margin: 0 0 1.25rem; }
.problems h2 { margin: 0 0 0.3rem; color: var(--bad); }
.problems ul { display: grid; gap: 0.5rem; margin: 0 0 0.6rem; padding-left: 1.2rem; }
.problems p { margin: 0; }
.stale:empty { display: none; }
.stale { border: 1px solid var(--wait); border-radius: 10px; background: var(--card); color: var(--wait); padding: 0.6rem 1rem; margin: 0 0 1.25rem; }
section.site { margin: 0 0 2rem; }
section.site pre { margin: 0 0 0.5rem; }
.copy { margin: 0 0 0.5rem; }
.copy button { margin-right: 0.6rem; }
.preview summary { cursor: pointer; padding: 0.4rem 0; color: var(--accent); }
.preview iframe { width: 100%; max-width: 24rem; height: 34rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.error { color: var(--bad); }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1rem; margin: 0 0 1rem; }
@media (min-width: 40.01rem) {
  td:not(:first-child, :last-child):has(.line) { width: 34%; max-width: 0; }
  td:not(:first-child, :last-child) .line { max-width: none; }
}
@media (max-width: 40rem) {
  input, select, button, a.button { min-height: 44px; }
  input[type=checkbox] { width: 1.6rem; height: 1.6rem; }
  nav a, .menu summary { padding-block: 0.7rem; }
  .tabs a { padding-block: 0.6rem; }
  svg.plot text { font-size: 18px; }
  .scroll:has(td) { border: 0; background: none; overflow-x: visible; }
  table, tbody, tr { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.4rem 0; margin: 0 0 0.6rem; }
  td, tbody tr:last-child td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 0.75rem; padding: 0.25rem 0.9rem; border: 0; overflow-wrap: anywhere; }
  tbody tr td.none { display: none; }
  td::before { content: attr(data-label); color: var(--soft); font-size: 0.87rem; }
  td > * { grid-column: 2; }
  td .id, .badge { white-space: normal; justify-self: start; }
  tr td .id, tr td .whole, tr td:nth-child(n) .line { min-width: 0; max-width: none; }
  td .line { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
  .filter { display: grid; grid-template-columns: 1fr 1fr; }
  .filter .wide, .filter button { grid-column: 1 / -1; }
  .filter select, .filter input { width: 100%; max-width: none; min-width: 0; }
  td .number { text-align: left; }
  .decide { min-width: 0; }
}
@media (max-width: 26rem) {
  .bar { flex-wrap: wrap; }
  .find { order: 1; flex: 1 0 100%; max-width: none; }
  .bulk { display: grid; grid-template-columns: 1fr 1fr; }
  .bulk button, .bulk .button { justify-content: center; padding: 0.4rem; font-size: 0.87rem; }
}
@media (max-width: 22rem) {
  svg.plot text { font-size: 20px; }
  td, tbody tr:last-child td { grid-template-columns: 5.2rem minmax(0, 1fr); }
}
`;
