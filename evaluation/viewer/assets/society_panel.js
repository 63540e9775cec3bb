// All of them together, up to now: what became of the society, how its numbers go, who turned to whom.

import { DRIVER, RESOURCES, lineChart, matrixTable, networkDrawing } from "./charts.js";
import { amount, h, link, plural } from "./dom.js";
import { callDetails } from "./why_panel.js";
import { heldBack, odds } from "./life.js";

const MOST_DRAWN = 60;

/** @param choose Called with a name when a circle is chosen. */
export function societyPanel(life, step, who, choose) {
  const colour = (name) => life.colour(name), crowded = life.names.length > MOST_DRAWN;
  const names = crowded ? life.names.slice(0, MOST_DRAWN) : life.names;
  const lines = (key) => names.map((name) => ({ name, className: colour(name), values: life.steps.map((one) => (one.acts[name]?.away ? null : one.acts[name]?.[key] ?? null)) }));
  const counts = life.turnedTo(step);
  const chart = (title, key, height) => lineChart({ title, step, height, chosen: who, lines: lines(key) });
  return [
    h("h2", {}, `Up to step ${life.steps[step].time}`), soFar(life, step, names, counts),
    h("h3", {}, "Who turned to whom"),
    crowded ? h("p", { class: "note" }, `Drawn for the first ${MOST_DRAWN} of ${life.names.length} residents.`) : null,
    networkDrawing(names, counts.slice(0, names.length).map((row) => row.slice(0, names.length)), colour, who, choose),
    h("p", { class: "note" }, "An arrow goes from one who turned to another, in the colour of the former; the wider, the more often. The larger a circle, the more often that resident was turned to."),
    crowded ? null : h("details", { class: "more" }, h("summary", {}, "As numbers (figure 8)"), h("p", { class: "note" }, "Rows turn to columns: a row has how often its resident turned to each other one."), matrixTable(names, counts)),
    life.findings.length ? [h("h3", {}, "Found in the whole run"), h("dl", { class: "found" }, life.findings.map(([subject, sentence]) => [h("dt", {}, subject), h("dd", {}, sentence)]))] : null,
    h("h3", {}, "Over time (figures 6 and 7)"),
    h("p", { class: "key" }, names.map((name) => h("span", { class: colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), name))),
    h("p", { class: "note" }, life.ltrha ? `${RESOURCES} ` : "", DRIVER),
    life.ltrha ? chart("Resources", "resources", 110) : null, chart("Driver", "driver", 90), chart("Pleasure", "pleasure", 74), chart("Arousal", "arousal", 74), chart("Dominance", "dominance", 74),
    life.ltrha ? topics(life, step) : null,
    worldCharts(life, step, names, who),
    standing(life, step, counts, names),
    matrixCalls(life, step),
  ];
}

/** Needs and variables of residents, and those of the world. */
function worldCharts(life, step, names, who) {
  const own = ["needs", "variables"].flatMap((kind) => life.numbers(kind).slice(0, MOST_CHARTS).map((title) => lineChart({ title, step, height: 90, chosen: who, lines: names.map((name) => ({ name, className: life.colour(name), values: life.steps.map((one) => one.acts[name]?.[kind]?.[title] ?? null) })) })));
  const all = life.numbers("world").slice(0, MOST_CHARTS).map((title) => lineChart({ title, step, height: 74, lines: [{ name: title, className: "s0", values: life.steps.map((one) => one.world?.variables[title] ?? null) }] }));
  return [own.length ? h("h3", {}, "Needs and variables of residents") : null, ...own, all.length ? h("h3", {}, "Variables of the world") : null, ...all];
}

/** How many needs, or variables, are drawn. */
const MOST_CHARTS = 12;

/** How many who are level are named. */
const MOST_LEVEL = 6;

/** Who is ahead and who is behind, in sentences; those who are level are named together. Of one step alone nothing is counted. */
function soFar(life, step, names, counts) {
  const past = life.steps.slice(0, step + 1), by = (count) => names.map((name, index) => [name, count(name, index)]), steps = (holds) => by((name) => past.filter((one) => holds(one, name)).length);
  const alone = (one, name) => !Object.entries(one.acts).some(([other, act]) => other !== name && act.place === one.acts[name]?.place);
  const times = (unit) => (value) => plural(value, unit);
  const sentences = [life.ltrha ? ahead(life, by((name) => Number(life.act(step, name).resources.toFixed(2))), ["has the most resources", "have the most resources", "the fewest"], amount) : null];
  if (step) {
    sentences.push(ahead(life, by((_, to) => counts.reduce((sum, row) => sum + row[to], 0)), ["was turned to most", "were turned to most", "least"], times("time")),
      ahead(life, steps(alone), ["was alone most", "were alone most"], times("step")), ahead(life, steps((one, name) => one.acts[name]?.outcome === "filtered"), ["was filtered most", "were filtered most"], times("time")));
  }
  const told = sentences.filter(Boolean);
  return told.length ? h("ul", { class: "findings" }, told.map((one) => h("li", {}, one))) : h("p", { class: "note" }, "So far nobody stands out.");
}

/** "LL and WL were turned to most (21 times each), SG least (10 times)."; null where all are level. */
function ahead(life, values, [singular, several, least], unit) {
  const all = values.map(([, value]) => value), level = (end) => values.filter(([, value]) => value === end).map(([name]) => name);
  const [low, high] = [Math.min(...all), Math.max(...all)], [first, last] = [level(high), level(low)];
  if (low === high) return null;
  const told = (names, words, value) => [...together(life, names), ` ${words} (${unit(value)}${names.length > 1 ? " each" : ""})`];
  return [told(first, first.length > 1 ? several : singular, high), least ? [", ", told(last, least, low)] : null, "."];
}

/** "LL", "LL and WL", "LL, WL and 40 others". */
function together(life, names) {
  const shown = (names.length > MOST_LEVEL ? names.slice(0, MOST_LEVEL - 1) : names).map((name) => h("b", { class: life.colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), name));
  if (names.length > MOST_LEVEL) shown.push(`${names.length - shown.length} others`);
  return shown.flatMap((one, index) => [index === 0 ? "" : index === shown.length - 1 ? " and " : ", ", one]);
}

function topics(life, step) {
  const places = [...life.valley.areas, ...life.valley.grounds].map((one) => one.name).slice(0, MOST_DRAWN), owners = new Map(life.residents.map((one) => [one.home, one.name]));
  let shared = 0;
  const lines = places.map((name) => ({ name, className: owners.has(name) ? life.colour(owners.get(name)) : `s${shared++ % 3}`, values: life.steps.map((one) => one.topics[name] || null) }));
  return [lineChart({ title: "Topic of each place", step, height: 110, lines }), h("p", { class: "key" }, lines.filter((one) => one.values[step]).map(({ name, className }) => h("span", { class: className }, h("span", { class: "dot", "aria-hidden": "true" }), name)))];
}

function standing(life, step, counts, names) {
  const received = names.map((_, to) => counts.reduce((sum, row) => sum + row[to], 0)), sent = names.map((_, from) => counts[from].reduce((sum, one) => sum + one, 0));
  const rows = names.map((name, index) => ({ name, received: received[index], sent: sent[index], held: heldBack(life, step, name), act: life.act(step, name), resources: life.act(step, name).resources }));
  rows.sort((one, two) => (two.resources ?? two.received) - (one.resources ?? one.received));
  return [h("h3", {}, `Standing at step ${life.steps[step].time}`), h("div", { class: "scroll" }, h("table", { class: "standing" },
    h("thead", {}, h("tr", {}, ["Resident", ...(life.ltrha ? ["Resources", "Odds to act", "Filtered"] : []), "Was turned to", "Turned to others"].map((one, index) => h("th", { scope: "col", class: index ? "n" : "" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", { class: life.colour(row.name) }, h("th", { scope: "row" }, h("span", { class: "dot", "aria-hidden": "true" }), link(`step=${life.steps[step].time}&who=${encodeURIComponent(row.name)}&tab=resident`, row.name)),
      life.ltrha ? [amount(row.resources), row.act.rate === null ? "–" : odds(row.act), row.held].map((one) => h("td", { class: "n" }, one)) : null, h("td", { class: "n" }, row.received), h("td", { class: "n" }, row.sent))))))];
}

function matrixCalls(life, step) {
  const calls = life.callsOfAll(step);
  return calls.length ? [h("h3", {}, "Who ranked them at the end of this step"), h("p", { class: "note" }, `The matrix, in ${plural(calls.length, "call")}.`), calls.map(([id, call]) => callDetails(id, call))] : null;
}
