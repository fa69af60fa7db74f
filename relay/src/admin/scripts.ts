/** `/admin/live.js`: renews the overview every 15 seconds while its tab is visible. */
export const LIVE = `
const area = () => document.getElementById("live");
async function renew() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.getElementById("live");
  if (next && !area().contains(document.activeElement)) area().replaceWith(document.adoptNode(next));
}
setInterval(() => renew().catch(() => {}), 15000);
`;

/**
 * `/admin/page.js`, on every page: scrolls a navigation that is too wide to the current page, adds a copy button below each
 * element with `data-copy`, and asks before a button with `data-confirm` acts.
 */
export const PAGE = `
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
for (const button of document.querySelectorAll("[data-confirm]"))
  button.addEventListener("click", (event) => confirm(button.dataset.confirm) || event.preventDefault());
function select(element) {
  const selection = getSelection();
  selection.selectAllChildren(element);
}
async function copy(element) {
  // Browsers offer the clipboard to pages over https and on this machine only.
  if (navigator.clipboard) return navigator.clipboard.writeText(element.textContent);
  select(element);
  if (!document.execCommand("copy")) throw new Error("not allowed");
}
for (const element of document.querySelectorAll("[data-copy]")) {
  const place = document.createElement("p");
  const button = document.createElement("button");
  const outcome = document.createElement("span");
  place.className = "copy";
  outcome.setAttribute("role", "status");
  button.type = "button";
  button.textContent = element.dataset.copy;
  button.addEventListener("click", async () => {
    outcome.textContent = "";
    try {
      await copy(element);
      outcome.textContent = "Copied.";
    } catch {
      select(element);
      outcome.textContent = "Selected: press Ctrl+C or Command+C.";
    }
  });
  place.append(button, outcome);
  element.after(place);
}
`;
