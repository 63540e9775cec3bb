// What happens in the step that is shown, told in the order of turns.

import { h, link, plural } from "./dom.js";
import { heldBack, odds, phrase } from "./life.js";

/** How many are named in a sentence. */
const MOST_NAMED = 12;

/** How many changes of the world are listed. */
const MOST_CHANGES = 30;

/** One act as a line of the story, with a way to ask why. */
export function actLine(life, step, name, extra = null) {
  const act = life.act(step, name), said = act.deed.kind === "say" && act.outcome !== "failed";
  const state = act.outcome === "filtered" ? h("i", { class: "held" }, "filtered") : act.outcome === "inadmissible" ? h("i", { class: "held" }, "in vain") : null;
  const what = said
    ? [h("span", { class: "to" }, act.outcome === "filtered" ? `wanted to say to ${act.deed.other}: ` : `to ${act.deed.other}: `), h("q", {}, act.deed.text)]
    : [phrase(act)];
  return h("li", { class: `${life.colour(name)} act ${act.outcome}` },
    link(`step=${life.steps[step].time}&who=${encodeURIComponent(name)}&tab=resident`, h("span", { class: "dot", "aria-hidden": "true" }), h("b", {}, name)), " ", what, " ", state, act.person ? h("i", { class: "held" }, "by a person") : null, " ",
    link(`step=${life.steps[step].time}&who=${encodeURIComponent(name)}&tab=why`, h("span", { class: "why" }, "Why?", h("span", { class: "hidden" }, ` ${name}, step ${life.steps[step].time}`))), extra);
}

/** The story of a step, place by place. */
export function stepPanel(life, step, other) {
  const here = life.steps[step], places = new Map();
  for (const [name, act] of life.inTurn(step)) places.set(act.place, [...(places.get(act.place) ?? []), name]);
  const crowded = life.names.length > 60;
  const shown = [...places].sort(([, one], [, two]) => two.length - one.length).slice(0, crowded ? 20 : undefined);
  return [
    step === 0 ? h("p", { class: "note" }, "Press Space to play, the right arrow for the next step. Choose somebody in the valley to see what it thinks and feels, or Why? to see what made it act.") : null,
    here.meetings.length ? h("p", { class: "note" }, "For the first time under one roof: ", here.meetings.slice(0, 12).map(({ pair, place }) => `${pair[0]} and ${pair[1]} (${place})`).join(", "), ".") : null,
    life.inTurns ? order(shown) : null,
    shown.map(([place, people]) => h("section", {}, h("h3", {}, place, h("small", {}, topicOf(here, place))), h("ul", { class: "acts" }, people.map((name) => actLine(life, step, name, differs(life, other, step, name)))))),
    inTheWorld(here.world),
    whyFiltered(life, step),
    places.size > shown.length ? h("p", { class: "note" }, `And ${plural(places.size - shown.length, "place")} more, with fewer people.`) : null,
    whoIsWho(life),
  ];
}

/** What mechanics and people from outside did in the step. */
function inTheWorld(world) {
  if (!world?.changes.length) return null;
  const shown = world.changes.slice(0, MOST_CHANGES);
  return h("section", {}, h("h3", {}, "In the world"), h("ul", { class: "changes" }, shown.map((one) => h("li", {}, one))),
    world.changes.length > shown.length ? h("p", { class: "note" }, `And ${plural(world.changes.length - shown.length, "change")} more.`) : null);
}

/** Whom the letters on the map stand for, where they stand for a name. */
function whoIsWho(life) {
  const named = life.names.filter((name) => life.display(name) !== name).slice(0, MOST_NAMED);
  return named.length ? [h("h3", {}, "Who is who"), h("p", { class: "key" }, named.map((name) => h("span", { class: life.colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), h("b", {}, name), ` ${life.display(name)}`)))] : null;
}

/** Who acts after whom: in each place somebody at a time, and the places side by side. */
function order(places) {
  const shared = places.filter(([, people]) => people.length > 1);
  if (!shared.length) return null;
  return h("p", { class: "note" }, `They act one after another: ${shared.map(([place, people]) => `${people.slice(0, MOST_NAMED).join(", ")}${people.length > MOST_NAMED ? ", …" : ""} (${place})`).join("; ")}.`);
}

/** Why not all that was wanted was done. */
function whyFiltered(life, step) {
  const held = life.inTurn(step).filter(([, act]) => act.outcome === "filtered" && act.rate !== null);
  if (!held.length) return null;
  const told = held.slice(0, MOST_NAMED).map(([name, act], index) => `${name}'s ${index ? "" : "were "}${odds(act)} (${heldBack(life, step, name)} filtered so far)`);
  return h("p", { class: "note" }, `Filtered: the odds that LTRHA lets an act through follow from resources: ${told.join(", ")}.`);
}

function topicOf(step, place) {
  const topic = step.topics[place];
  if (!topic) return "";
  return topic > 0.25 ? "friendly" : topic > 0.05 ? "pleasant" : topic < -0.25 ? "hostile" : topic < -0.05 ? "cool" : "neutral";
}

/** What the same resident does at the same time in the other run, where that differs. */
function differs(life, other, step, name) {
  const [act, twin] = [life.act(step, name), other?.act(step, name)];
  if (!twin || sameAct(act, twin)) return null;
  return h("span", { class: "differs" }, `there: ${phrase(twin)}${twin.deed.text && twin.outcome !== "failed" ? `, "${twin.deed.text}"` : ""}${twin.outcome === "filtered" ? ", filtered" : ""}`);
}

/** Whether two acts are one and the same to see and to hear. */
export function sameAct(one, two) {
  return one.outcome === two.outcome && one.place === two.place && JSON.stringify(one.deed) === JSON.stringify(two.deed);
}

/** Names of those who do something else in the other run. */
export function differing(life, other, step) {
  if (!other || !life.steps[step] || !other.steps[step]) return new Set();
  return new Set(life.names.filter((name) => other.act(step, name) && !sameAct(life.act(step, name), other.act(step, name))));
}
