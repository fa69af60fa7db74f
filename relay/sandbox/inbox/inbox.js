/**
 * Keeps the inbox current. The server renders every page. After each change this script fetches the page again and copies
 * only the differences, so that drafts, focus, selection and scroll position stay.
 */

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const drafts = new Map();

const main = () => document.querySelector("main");
const log = () => document.querySelector(".log");
const draft = () => document.querySelector(".composer textarea");
const current = () => main().dataset.to;
const atEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 48;

/** Whether the newest message is in sight and should stay so, also when a picture above it loads late. */
let following = true;
let lastTop = 0;
const watched = new ResizeObserver(() => following && log()?.scrollTo({ top: log().scrollHeight }));

function toEnd() {
  following = true;
  log()?.scrollTo({ top: log().scrollHeight });
}

/** Makes `from` equal to `to`, touching only what differs. Returns the elements that are new. */
function morph(from, to, added = []) {
  if (from.isEqualNode(to)) return added;
  if (from.nodeName !== to.nodeName || from.nodeType !== Node.ELEMENT_NODE) {
    from.replaceWith(to);
    added.push(to);
    return added;
  }
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  const wanted = [...to.childNodes];
  const existing = [...from.childNodes];
  for (const [index, node] of wanted.entries()) {
    const old = existing[index];
    if (old !== undefined) morph(old, node, added);
    else {
      from.append(node);
      added.push(node);
    }
  }
  for (const old of existing.slice(wanted.length)) old.remove();
  return added;
}

function animateIn(nodes) {
  if (reducedMotion.matches) return;
  for (const node of nodes) {
    if (!(node instanceof Element) || !node.matches(".bubble, .group")) continue;
    const from = { opacity: 0, transform: "translateY(6px)" };
    node.animate([from, { opacity: 1, transform: "none" }], { duration: 160, easing: "cubic-bezier(.2,.8,.2,1)" });
  }
}

async function fetched(to, peek) {
  const query = new URLSearchParams({ ...(to ? { to } : {}), ...(peek ? { peek: "1" } : {}) });
  const answer = await fetch(`/?${query}`, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

function updateTitle() {
  const unread = Number(document.querySelector(".entries")?.dataset.unread ?? 0);
  document.title = unread > 0 ? `(${unread}) Inbox · Sandbox` : "Inbox · Sandbox";
}

/** Copies the changes into the page of the same conversation. */
function update(fresh) {
  const box = log();
  const height = box?.scrollHeight;
  for (const part of [".list-view", ".list-foot", ".thread-view", ".details", ".welcome"]) {
    const [from, to] = [document.querySelector(part), fresh.querySelector(part)];
    if (from === null || to === null) continue;
    const added = morph(from, to);
    if (part === ".thread-view" && following) animateIn(added);
  }
  if (following) toEnd();
  else if (box !== null && box.scrollHeight > height) document.querySelector(".newer").hidden = false;
  updateTitle();
}

/** Shows another conversation, or none. */
function show(fresh) {
  if (draft() !== null) drafts.set(current(), draft().value);
  for (const part of [".list-view", ".list-foot"]) morph(document.querySelector(part), fresh.querySelector(part));
  document.body.className = fresh.body.className;
  document.querySelector(".details")?.remove();
  main().replaceWith(...fresh.querySelectorAll("main, .details"));
  afterShow();
}

/** Runs after the page shows another conversation. */
function afterShow() {
  updateTitle();
  toEnd();
  watched.disconnect();
  if (log() !== null) watched.observe(document.querySelector(".log-inner"));
  const field = draft();
  if (field === null) return;
  field.value = drafts.get(current()) ?? "";
  grow(field);
  if (matchMedia("(hover: hover)").matches) field.focus();
}

async function go(to, push = true) {
  const fresh = await fetched(to, false);
  if (push) history.pushState(null, "", to ? `/?to=${encodeURIComponent(to)}` : "/");
  show(fresh);
}

let busy = false;
let again = false;

/** Fetches the page again. All calls during a fetch lead to one more fetch. */
async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const to = current();
    const fresh = await fetched(to, document.hidden);
    if (to === current()) update(fresh);
  } finally {
    busy = false;
    if (again) {
      again = false;
      void refresh();
    }
  }
}

/** The field grows to six lines. */
function grow(field) {
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight, 152)}px`;
  field.form.classList.toggle("ready", field.value.trim() !== "");
}

async function post(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  await fetch(form.getAttribute("action"), { method: "POST", body, redirect: "manual" });
  await refresh();
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const field = form.querySelector("textarea");
  if (field !== null && field.value.trim() === "") return;
  toEnd();
  void post(form, event.submitter);
  if (field === null) return;
  field.value = "";
  drafts.delete(current());
  grow(field);
  field.focus();
});

document.addEventListener("input", (event) => {
  if (event.target.matches(".composer textarea")) grow(event.target);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches?.(".composer textarea"))
    return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

document.addEventListener("click", (event) => {
  if (event.target.closest(".newer") !== null) toEnd();
  const link = event.target.closest("a.entry, a.back");
  if (link === null || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  void go(link.dataset.to ?? "");
});

document.addEventListener(
  "scroll",
  (event) => {
    if (event.target !== log()) return;
    // Only scrolling up stops following: growing content also sends scroll events, before the new end is reached.
    if (atEnd(log())) following = true;
    else if (log().scrollTop < lastTop) following = false;
    lastTop = log().scrollTop;
    if (following) document.querySelector(".newer").hidden = true;
  },
  true,
);

addEventListener("popstate", () => void go(new URLSearchParams(location.search).get("to") ?? "", false));
document.addEventListener("visibilitychange", () => void refresh());

const events = new EventSource("/inbox/events");
events.addEventListener("change", () => void refresh());
// EventSource reconnects by itself. Until then the page says that it is not being updated.
events.addEventListener("error", () => document.body.classList.add("offline"));
events.addEventListener("open", () => document.body.classList.remove("offline"));
addEventListener("pagehide", () => events.close());

afterShow();
