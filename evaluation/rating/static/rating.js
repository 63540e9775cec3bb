// Saves every answer at once, and tries again until the server has it. Without this file the form's buttons save.
"use strict";

const base = document.querySelector("main").dataset.item;
const form = document.getElementById("ratings");
const saved = document.getElementById("saved");
const RETRY_MS = 2000;
const TYPING_MS = 800;
const READING_MS = 1000;

// What has yet to be saved, by question; a later answer takes the place of an earlier one.
const waiting = new Map();
const typing = new Map();
// What the server did not take, as of a rater who has yet to agree to a changed text; the next save tries it again.
const refused = new Map();
let sending = false;
let leaving = false;
let pressed = null;

function say(text, state) {
  saved.textContent = text;
  saved.dataset.state = state;
}

async function put(address, body) {
  const headers = { "Content-Type": "application/json" };
  return fetch(address, { method: "PUT", headers, body: JSON.stringify(body), keepalive: true });
}

// The same body until there is an answer: a save of which the answer was lost is repeated, and not taken for another one.
async function putUntilAnswered(address, body) {
  for (;;) {
    say("Saving …", "busy");
    try {
      const response = await put(address, body);
      if (response.status < 500) return { ok: response.ok, ...(await response.json()) };
    } catch {
      // The server cannot be reached.
    }
    say("Not saved yet; trying again …", "bad");
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function send() {
  if (sending) return;
  sending = true;
  for (const [question, value] of refused) {
    if (!waiting.has(question)) waiting.set(question, value);
  }
  let reason = "";
  let differs = "";
  while (waiting.size) {
    const [question, value] = waiting.entries().next().value;
    const seen = form.elements[`${question}.seen`];
    const told = await putUntilAnswered(`${base}/answers/${question}`, { value, seen: Number(seen.value) });
    if (waiting.get(question) === value) waiting.delete(question);
    if (told.version !== undefined) seen.value = told.version;
    if (told.ok || told.conflict) refused.delete(question);
    if (told.conflict) differs = question;
    else if (!told.ok) {
      refused.set(question, value);
      reason = typeof told.detail === "string" ? told.detail : "the server refused it";
    }
    if (!waiting.size && differs) flush();
  }
  sending = false;
  if (refused.size) say(`Not saved: ${reason}`, "bad");
  else if (undecided()) say("Not saved yet: press a button below", "bad");
  else say("Saved", "good");
  if (differs) show(differs);
  else if (pressed && !refused.size) leave();
  pressed = null;
}

// Whether one of two answers was chosen, which only the buttons save.
function undecided() {
  return form.querySelector(".conflict :checked") !== null;
}

// The page anew, with both answers to a question: the one that another page has saved, and the one that was given here.
function show(question) {
  leaving = true;
  const version = form.elements[`${question}.seen`].value;
  location.replace(`${base}?differs=${version}-${Date.now()}#${question}-conflict`);
}

function leave() {
  leaving = true;
  form.requestSubmit(pressed);
}

function save(question, value) {
  waiting.set(question, value);
  send();
}

function flush() {
  for (const [field, timer] of typing) {
    clearTimeout(timer);
    waiting.set(field.name, field.value);
  }
  typing.clear();
}

form.addEventListener("change", (event) => {
  const field = event.target;
  if (field.name.endsWith(".settle")) {
    say("Not saved yet: press a button below", "bad");
  } else if (field.type === "radio") {
    save(field.name, Number(field.value));
    field.closest("fieldset").classList.remove("missing");
  } else if (field.tagName === "TEXTAREA") {
    clearTimeout(typing.get(field));
    typing.delete(field);
    save(field.name, field.value);
  }
});

form.addEventListener("input", (event) => {
  const field = event.target;
  if (field.tagName !== "TEXTAREA") return;
  clearTimeout(typing.get(field));
  typing.set(field, setTimeout(() => {
    typing.delete(field);
    save(field.name, field.value);
  }, TYPING_MS));
});

// The form goes when all that was on its way is saved, so that it does not meet its own answers.
form.addEventListener("submit", (event) => {
  if (leaving) return;
  flush();
  if (!sending && !waiting.size && !refused.size) {
    leaving = true;
    return;
  }
  event.preventDefault();
  pressed = event.submitter;
  send();
});
window.addEventListener("beforeunload", (event) => {
  if ((waiting.size || typing.size || refused.size || undecided()) && !leaving) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden || !typing.size) return;
  flush();
  send();
});
// A page that the browser kept and shows again.
window.addEventListener("pageshow", (event) => {
  if (event.persisted && !waiting.size) location.reload();
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
