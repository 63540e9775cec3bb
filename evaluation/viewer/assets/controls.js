// The buttons under the valley, and the keys that do the same.

import { h } from "./dom.js";
import { SPEEDS } from "./clock.js";
import { icon } from "./icons.js";

const KEYS = [
  ["Space", "play or pause"], ["← →", "a step back or on"], ["Shift ← →", "five steps"], ["Home End", "the first step, the last"], ["[ ]", "slower, faster"],
  ["1 to 9", "choose a resident"], ["F", "follow it"], ["W", "why it did that"], ["S", "the story of the step"], ["T", "all together"], ["/", "trace a word or a thing"],
  ["+ −", "nearer, farther"], ["0", "the whole valley"],
];

/** @param act What each button does: play, by, first, last, speed, zoom, whole, rooms, follow. */
export function makeControls(act) {
  const button = (label, title, run, className = "") => h("button", { type: "button", class: className, "aria-label": title, title, on: { click: run } }, label);
  const play = button(icon("play"), "Play", () => act.play(), "play");
  const speed = h("select", { "aria-label": "Speed", on: { change: (event) => act.speed(Number(event.target.value)) } }, SPEEDS.map((one) => h("option", { value: one, selected: one === 1 }, `${one}×`)));
  const rooms = h("select", { "aria-label": "What the colour of rooms shows", on: { change: (event) => act.rooms(event.target.value) } },
    h("option", { value: "mood" }, "rooms: mood"), h("option", { value: "time" }, "rooms: time spent"), h("option", { value: "none" }, "rooms: plain"));
  const now = h("output", { class: "moment-shown", "aria-live": "off" });
  const follow = button("Follow", "Follow the chosen resident", () => act.follow(), "follow");
  const element = h("div", { class: "controls", role: "toolbar", "aria-label": "Time" },
    button(icon("first"), "To the first step", () => act.first(), "far"), button(icon("back"), "A step back", () => act.by(-1)), play, button(icon("on"), "A step on", () => act.by(1)), button(icon("last"), "To the last step", () => act.last(), "far"),
    speed, now, h("span", { class: "gap" }), rooms, follow, button(icon("farther"), "Farther", () => act.zoom(1 / 1.4), "zoom"), button(icon("nearer"), "Nearer", () => act.zoom(1.4), "zoom"), button(icon("whole"), "The whole valley", () => act.whole(), "zoom"));
  const help = h("details", { class: "more keys" }, h("summary", {}, "Keys"), h("dl", {}, KEYS.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))));
  return { element, play, speed, now, follow, rooms, help };
}

/** Which keys do what; those that somebody types into a field are left alone. */
export function listenToKeys(act) {
  const typed = {
    " ": () => act.play(), ArrowLeft: (event) => act.by(event.shiftKey ? -5 : -1), ArrowRight: (event) => act.by(event.shiftKey ? 5 : 1), Home: () => act.first(), End: () => act.last(),
    "[": () => act.faster(-1), "]": () => act.faster(1), f: () => act.follow(), w: () => act.tab("why"), s: () => act.tab("step"), t: () => act.tab("society"), r: () => act.tab("resident"), "/": () => act.tab("find"),
    "+": () => act.zoom(1.4), "=": () => act.zoom(1.4), "-": () => act.zoom(1 / 1.4), 0: () => act.whole(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === " " && event.target.closest("button, summary, a, [role=button]")) return;
    if (event.key.startsWith("Arrow") && event.target.closest("[role=tab], .scroll")) return;
    const does = typed[event.key] ?? (/^[1-9]$/.test(event.key) ? () => act.resident(Number(event.key) - 1) : null);
    if (!does) return;
    event.preventDefault();
    does(event);
  });
}
