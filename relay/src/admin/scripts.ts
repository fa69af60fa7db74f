/**
 * `/admin/live.js`: updates the parts of a page with `data-live` while its tab is visible. The first `data-live` gives the seconds
 * between two updates. A part that has the focus stays as it is. When the page cannot be updated, `#stale` says since when and why.
 */
export const LIVE_SCRIPT = `
let renewed = new Date();
let renewing = false;
function showStale(why, link) {
  const place = document.getElementById("stale");
  if (place.dataset.why === why) return;
  place.dataset.why = why;
  const text = "Not updated since " + renewed.toISOString().slice(11, 19) + " UTC: " + why + " ";
  place.replaceChildren(...(why === "" ? [] : [text, link ?? ""]));
}
function signIn(address) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = "Sign in";
  return link;
}
async function load() {
  const answer = await fetch(location.href, { credentials: "same-origin", signal: AbortSignal.timeout(10000) });
  if (answer.redirected) return showStale("your session has ended.", signIn(answer.url));
  if (!answer.ok) return showStale("the relay answered " + answer.status + ".");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(part.id);
    // Screen readers announce the problems again when they are replaced.
    if (!next || part.contains(document.activeElement)) continue;
    part.dataset.live = next.dataset.live;
    if (next.innerHTML !== part.innerHTML) part.replaceChildren(...document.adoptNode(next).childNodes);
  }
  renewed = new Date();
  showStale("");
}
async function renew() {
  if (document.hidden || renewing) return;
  renewing = true;
  await load().catch(() => showStale("the relay does not answer."));
  renewing = false;
  later();
}
let timer;
function later() {
  clearTimeout(timer);
  timer = setTimeout(renew, 1000 * document.querySelector("[data-live]").dataset.live);
}
later();
document.addEventListener("visibilitychange", renew);
`;

/**
 * `/admin/page.js`, on every page: scrolls a navigation that is too wide to the current page, and adds a copy button below each
 * element with `data-copy`.
 */
export const PAGE_SCRIPT = `
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
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
