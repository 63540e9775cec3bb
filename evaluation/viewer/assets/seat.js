// The person who lives in the run that is shown: what the resident perceives, a button for each action, room for words.

import { fill, h } from "./dom.js";

export class Seat {
  /** @param address Where answers go. @param changed Called when others can be taken over or handed back than before. */
  constructor(address, changed) {
    this.address = address;
    this.changed = changed;
    this.number = null;
    this.free = {};
    this.element = h("section", { class: "seat", "aria-label": "Your resident", hidden: true });
  }

  /** Show the question that waits; null for none. One that is shown stays as it is, with what is typed already. */
  show(question) {
    if (question?.number === this.number) return;
    this.number = question?.number ?? null;
    this.element.hidden = !question;
    if (!question) return fill(this.element);
    const answer = (body) => this.answer({ number: question.number, ...body });
    this.told = h("p", { class: "wrong", role: "alert" });
    this.words = question.options.length ? null : h("input", { type: "text", maxlength: question.longest, "aria-label": "Your words", autocomplete: "off" });
    const asked = this.words
      ? h("form", { class: "row", on: { submit: (event) => { event.preventDefault(); answer({ words: this.words.value }); } } }, this.words, h("button", {}, "Say it"))
      : h("div", { class: "choices" }, grouped(question).map(([kind, options]) => h("div", { class: "kind", role: "group", "aria-label": kind || "or" }, h("span", { "aria-hidden": "true" }, kind || "or"),
        options.map(({ option, pick }) => h("button", { type: "button", "aria-label": option, on: { click: () => answer({ pick }) } }, option.slice(kind.length).trim())))));
    fill(this.element,
      h("h2", { tabindex: "-1" }, `You are ${question.resident}`, h("small", {}, ` in step ${question.time}. ${this.words ? "What do you say?" : "What do you do?"} Take your time: the run waits.`)),
      question.seen.split("\n").filter((line) => line && line !== `You are ${question.resident}.`).map((line) => h("p", {}, line)),
      asked, this.told, h("p", { class: "leave" }, h("button", { type: "button", on: { click: () => answer({ leave: true }) } }, "End the run here"),
        h("small", {}, question.taken ? ` When it is resumed, ${question.resident}'s own mind goes on.` : " irollan resume asks you the same again.")));
    (this.words ?? this.element.querySelector("h2")).focus({ preventScroll: true });
  }

  answer(body) { return this.send("answer", body, this.element, this.told); }

  /** Who can be taken over: name -> whether it is. */
  open(free) {
    const same = JSON.stringify(free) === JSON.stringify(this.free);
    this.free = free;
    if (!same) this.changed();
  }

  /** What a resident's panel has to take it over by or hand it back; null where neither can be done. */
  control(who) {
    if (!(who in this.free)) return null;
    const held = this.free[who], told = h("small", { role: "alert" }), element = h("p", { class: "hold" });
    const send = () => this.send("hold", { resident: who, hold: !held }, element, told);
    return fill(element, h("button", { type: "button", id: "hold", "aria-label": held ? `Hand ${who} back` : `Take over ${who}`, on: { click: send } }, held ? "Hand back" : "Take over"),
      h("small", {}, held ? ` You decide for ${who} in this run.` : ` From its next decision on you decide for ${who}, until you hand it back.`), told);
  }

  /** Send something; the buttons of an element rest meanwhile, and what is wrong with it is told. */
  async send(where, body, element, told) {
    const buttons = [...element.querySelectorAll("button")];
    const ready = (now) => buttons.forEach((one) => { one.disabled = !now; });
    ready(false);
    let wrong = "The run is not to be reached.";
    try {
      const response = await fetch(`${this.address}/${where}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      if (response.ok) return;
      wrong = (await response.json()).detail;
    } catch { /* told below */ }
    told.textContent = typeof wrong === "string" ? wrong : "That is no answer.";
    ready(true);
  }
}

/** The options of a question by kind of action, each with the number that it is picked by; those of no kind last. */
function grouped({ options, kinds }) {
  const numbered = options.map((option, pick) => ({ option: option.replace(/: \.\.\.$/, " …"), pick }));
  const kindOf = ({ option }) => kinds.find((kind) => option.startsWith(`${kind} `)) ?? "";
  return [...kinds, ""].map((kind) => [kind, numbered.filter((one) => kindOf(one) === kind)]).filter(([, some]) => some.length);
}
