// Saves every answer at once, and tries again until the server has it. Without this file the form's buttons save.
"use strict";

const base = document.querySelector("main").dataset.item;
const form = document.getElementById("ratings");
const saved = document.getElementById("saved");
const RETRY_MS = 2000;
const TYPING_MS = 800;
const READING_MS = 1000;

// What has yet to be saved, by address; a later answer takes the place of an earlier one to the same question.
const waiting = new Map();
const timers = new Map();
let sending = false;
let leaving = false;

function say(text, state) {
  saved.textContent = text;
  saved.dataset.state = state;
}

async function put(address, body) {
  const headers = { "Content-Type": "application/json" };
  return fetch(address, { method: "PUT", headers, body: JSON.stringify(body), keepalive: true });
}

async function send() {
  if (sending) return;
  sending = true;
  while (waiting.size) {
    const [address, body] = waiting.entries().next().value;
    say("Saving …", "busy");
    try {
      const response = await put(address, body);
      if (response.status >= 500) throw new Error(String(response.status));
      if (waiting.get(address) === body) waiting.delete(address);
      if (!response.ok) {
        say("Not saved: " + ((await response.json()).detail || response.status), "bad");
        break;
      }
      if (!waiting.size) say("Saved", "good");
    } catch {
      say("Not saved yet; trying again …", "bad");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  sending = false;
}

function save(question, value) {
  waiting.set(`${base}/answers/${question}`, { value });
  send();
}

form.addEventListener("change", (event) => {
  const field = event.target;
  if (field.type === "radio") {
    save(field.name, Number(field.value));
    field.closest("fieldset").classList.remove("missing");
  } else if (field.tagName === "TEXTAREA") {
    clearTimeout(timers.get(field.name));
    save(field.name, field.value);
  }
});

form.addEventListener("input", (event) => {
  const field = event.target;
  if (field.tagName !== "TEXTAREA") return;
  clearTimeout(timers.get(field.name));
  timers.set(field.name, setTimeout(() => save(field.name, field.value), TYPING_MS));
});

// The form has everything in it, so that leaving by its buttons loses nothing.
form.addEventListener("submit", () => { leaving = true; });
window.addEventListener("beforeunload", (event) => {
  if (waiting.size && !leaving) event.preventDefault();
});

// Where the steps are being read, for coming back to it: watched from the first movement on, since a page that was just
// opened stands at its top. A bookmark that is not saved is no loss.
let reached = 0;
let marked = 0;
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) reached = Number(entry.target.closest(".step").dataset.step);
  }
});
function watch() {
  for (const end of document.querySelectorAll(".step details")) seen.observe(end);
}
for (const movement of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  window.addEventListener(movement, watch, { once: true, passive: true });
}
setInterval(() => {
  if (reached === marked) return;
  marked = reached;
  put(`${base}/place`, { step: reached }).catch(() => {});
}, READING_MS);

const unfold = document.getElementById("unfold");
unfold.hidden = false;
unfold.addEventListener("click", () => {
  const open = unfold.getAttribute("aria-pressed") !== "true";
  unfold.setAttribute("aria-pressed", String(open));
  for (const details of document.querySelectorAll(".step details")) details.open = open;
});
