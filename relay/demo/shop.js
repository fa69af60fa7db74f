// The shop's own buttons open the chat. A command given before the widget has loaded waits in its queue.
function queue(...command) {
  queue.q.push(command);
}
queue.q = [];
window.Porchlight ??= queue;

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-chat]")) window.Porchlight("open");
});
