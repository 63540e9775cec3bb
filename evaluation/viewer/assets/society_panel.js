// All of them together, up to now: what became of the society, how its numbers go, who turned to whom.

import { lineChart, matrixTable, networkDrawing } from "./charts.js";
import { amount, h, link, plural } from "./dom.js";
import { callDetails } from "./why_panel.js";

const MOST_DRAWN = 60;

export function societyPanel(life, step, who) {
  const colour = (name) => life.colour(name), crowded = life.names.length > MOST_DRAWN;
  const names = crowded ? life.names.slice(0, MOST_DRAWN) : life.names;
  const lines = (key) => names.map((name) => ({ name, className: colour(name), values: life.steps.map((one) => one.acts[name]?.[key] ?? null) }));
  const counts = life.turnedTo(step);
  const chart = (title, key, height) => lineChart({ title, step, height, chosen: who, lines: lines(key) });
  return [
    h("h2", {}, `Up to step ${life.steps[step].time}`), soFar(life, step, names, counts),
    h("h3", {}, "Who turned to whom"),
    crowded ? h("p", { class: "note" }, `Drawn for the first ${MOST_DRAWN} of ${life.names.length} residents.`) : null,
    networkDrawing(names, counts.slice(0, names.length).map((row) => row.slice(0, names.length)), colour, who),
    crowded ? null : h("details", { class: "more" }, h("summary", {}, "As numbers (figure 8)"), matrixTable(names, counts)),
    life.findings.length ? [h("h3", {}, "Found in the whole run"), h("dl", { class: "found" }, life.findings.map(([subject, sentence]) => [h("dt", {}, subject), h("dd", {}, sentence)]))] : null,
    h("h3", {}, "Over time (figures 6 and 7)"),
    h("p", { class: "key" }, names.map((name) => h("span", { class: colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), name))),
    life.ltrha ? chart("Resources", "resources", 110) : null, chart("Driver", "driver", 90), chart("Pleasure", "pleasure", 74), chart("Arousal", "arousal", 74), chart("Dominance", "dominance", 74),
    life.ltrha ? topics(life, step) : null,
    standing(life, step, counts, names),
    matrixCalls(life, step),
  ];
}

/** Who is ahead and who is behind, in sentences. */
function soFar(life, step, names, counts) {
  const here = life.steps[step], received = new Map(names.map((name, to) => [name, counts.reduce((sum, row) => sum + row[to], 0)]));
  const held = new Map(names.map((name) => [name, life.steps.slice(0, step + 1).filter((one) => one.acts[name]?.outcome === "filtered").length]));
  const alone = new Map(names.map((name) => [name, life.steps.slice(0, step + 1).filter((one) => !Object.entries(one.acts).some(([other, act]) => other !== name && act.place === one.acts[name]?.place)).length]));
  const ends = (values) => {
    const sorted = [...values].sort(([, one], [, two]) => two - one);
    return [sorted[0], sorted.at(-1)];
  };
  const who = (name) => h("b", { class: life.colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), name);
  const sentences = [];
  if (life.ltrha && names.length > 1) {
    const [most, least] = ends(names.map((name) => [name, here.acts[name].resources]));
    if (most[1] !== least[1]) sentences.push([who(most[0]), ` has the most resources (${amount(most[1])}), `, who(least[0]), ` the fewest (${amount(least[1])}).`]);
  }
  const [sought, left] = ends(received);
  if (sought?.[1]) sentences.push([who(sought[0]), ` was turned to most (${plural(sought[1], "time")}), `, who(left[0]), ` least (${plural(left[1], "time")}).`]);
  const [lonely] = ends(alone), [stopped] = ends(held);
  if (lonely?.[1]) sentences.push([who(lonely[0]), ` was alone most (${plural(lonely[1], "step")}).`]);
  if (stopped?.[1]) sentences.push([who(stopped[0]), ` was held back most (${plural(stopped[1], "time")}).`]);
  return sentences.length ? h("ul", { class: "findings" }, sentences.map((one) => h("li", {}, one))) : h("p", { class: "note" }, "Nobody has turned to anybody yet.");
}

function topics(life, step) {
  const places = [...life.valley.areas, ...life.valley.grounds].map((one) => one.name).slice(0, MOST_DRAWN), owners = new Map(life.residents.map((one) => [one.home, one.name]));
  let shared = 0;
  const lines = places.map((name) => ({ name, className: owners.has(name) ? life.colour(owners.get(name)) : `s${shared++ % 3}`, values: life.steps.map((one) => one.topics[name] || null) }));
  return [lineChart({ title: "Topic of each place", step, height: 110, lines }), h("p", { class: "key" }, lines.filter((one) => one.values[step]).map(({ name, className }) => h("span", { class: className }, h("span", { class: "dot", "aria-hidden": "true" }), name)))];
}

function standing(life, step, counts, names) {
  const received = names.map((_, to) => counts.reduce((sum, row) => sum + row[to], 0)), sent = names.map((_, from) => counts[from].reduce((sum, one) => sum + one, 0));
  const held = names.map((name) => life.steps.slice(0, step + 1).filter((one) => one.acts[name]?.outcome === "filtered").length);
  const rows = names.map((name, index) => ({ name, received: received[index], sent: sent[index], held: held[index], resources: life.act(step, name).resources }));
  rows.sort((one, two) => (two.resources ?? two.received) - (one.resources ?? one.received));
  return [h("h3", {}, `Standing at step ${life.steps[step].time}`), h("div", { class: "scroll" }, h("table", { class: "standing" },
    h("thead", {}, h("tr", {}, ["Resident", life.ltrha ? "Resources" : null, "Was turned to", "Turned to others", life.ltrha ? "Held back" : null].filter(Boolean).map((one, index) => h("th", { scope: "col", class: index ? "n" : "" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", { class: life.colour(row.name) }, h("th", { scope: "row" }, h("span", { class: "dot", "aria-hidden": "true" }), link(`step=${life.steps[step].time}&who=${encodeURIComponent(row.name)}&tab=resident`, row.name)),
      life.ltrha ? h("td", { class: "n" }, row.resources === null ? "–" : Number(row.resources.toFixed(2))) : null, h("td", { class: "n" }, row.received), h("td", { class: "n" }, row.sent), life.ltrha ? h("td", { class: "n" }, row.held) : null)))))];
}

function matrixCalls(life, step) {
  const calls = life.callsOfAll(step);
  return calls.length ? [h("h3", {}, "Who ranked them at the end of this step"), h("p", { class: "note" }, `The matrix, in ${plural(calls.length, "call")}.`), calls.map(([id, call]) => callDetails(id, call))] : null;
}
