// One resident as it is in the step that is shown: what it wants, thinks, feels, has, knows and remembers.

import { DRIVER, RESOURCES, fieldDrawing, lineChart } from "./charts.js";
import { amount, h, link, number, plural } from "./dom.js";
import { sign } from "./icons.js";
import { phrase } from "./life.js";
import { actLine } from "./step_panel.js";

/** @param hold By what it is taken over in a run that goes on, or null. */
export function residentPanel(life, step, who, hold) {
  const act = life.act(step, who), since = life.goalSince(step, who), time = (at) => life.steps[at].time;
  const series = (key) => life.steps.map((one) => (one.acts[who]?.away ? null : one.acts[who]?.[key] ?? null));
  const chart = (title, key, note) => lineChart({ title: [h("b", {}, title), ` ${number(act[key])}`], note, step, height: 52, lines: [{ name: who, className: life.colour(who), values: series(key) }] });
  return [
    h("h2", { class: life.colour(who) }, h("span", { class: "dot", "aria-hidden": "true" }), who, life.display(who) === who ? null : h("small", {}, life.display(who))),
    h("p", { class: "where" }, act.away ? "away" : act.place, act.holds.length ? h("span", {}, `, holding ${act.holds.join(", ")}`) : null),
    hold,
    act.thought ? h("blockquote", {}, act.thought) : null,
    act.away ? null : h("ul", { class: "acts" }, actLine(life, step, who)),
    h("dl", {},
      act.goal ? [h("dt", {}, "Goal"), h("dd", {}, act.goal, " ", since === step ? h("small", {}, "new") : h("small", {}, "since ", link(`step=${time(since)}&who=${encodeURIComponent(who)}&tab=why`, `step ${time(since)}`)), act.reached ? h("small", { class: "reached" }, " ", sign("star"), " the one before is reached") : null)] : null,
      act.plan.length ? [h("dt", {}, "Plan"), h("dd", {}, act.plan.join("; "))] : null),
    h("h3", {}, "Feelings so far"),
    h("div", { class: "charts" }, chart("Pleasure", "pleasure"), chart("Arousal", "arousal"), chart("Dominance", "dominance"), chart("Driver", "driver"), act.resources === null ? null : chart("Resources", "resources", rank(life, step, who))),
    h("p", { class: "note" }, DRIVER, act.resources === null ? "" : ` ${RESOURCES}`),
    explained(act),
    ownNumbers(life, step, who),
    h("h3", {}, "Knows"), knows(life, step, who),
    act.away ? null : [h("h3", {}, "Fields"), ...fields(life, step, who)],
    act.away ? null : memories(life, step, who),
    act.away ? null : options(life, step, who),
  ];
}

/** What it needs and the world counts of it, over time. */
function ownNumbers(life, step, who) {
  const charts = ["needs", "variables"].flatMap((kind) => life.numbers(kind).map((name) => {
    const values = life.steps.map((one) => one.acts[who]?.[kind]?.[name] ?? null);
    return values.some((value) => value !== null) ? lineChart({ title: [h("b", {}, name), ` ${number(values[step])}`], step, height: 52, lines: [{ name: who, className: life.colour(who), values }] }) : null;
  })).filter(Boolean);
  return charts.length ? [h("h3", {}, "Needs and variables"), h("div", { class: "charts" }, charts)] : null;
}

function rank(life, step, who) {
  const all = Object.values(life.steps[step].acts).map((one) => one.resources), own = life.act(step, who).resources;
  const place = 1 + all.filter((one) => one > own).length;
  return `rank ${place} of ${all.length}`;
}

/** What made it feel better and worse in this step. */
export function explained(act) {
  const terms = Object.entries(act.explanation).filter(([, value]) => Math.abs(value) >= 0.005);
  if (!terms.length) return null;
  return h("details", { class: "more" }, h("summary", {}, "What made up the pleasure"), h("ul", { class: "terms" }, terms.map(([term, value]) => h("li", {}, h("span", { class: value < 0 ? "minus" : "plus" }, `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`), " ", term))));
}

function knows(life, step, who) {
  const people = new Map();
  for (let at = 0; at <= step; at += 1) {
    for (const [name, act] of Object.entries(life.steps[at].acts)) {
      const [from, to] = [name, act.deed.other];
      if (act.outcome !== "executed" || !["say", "hand"].includes(act.deed.kind) || (from !== who && to !== who)) continue;
      const other = from === who ? to : from, known = people.get(other) ?? { out: 0, back: 0 };
      known[from === who ? "out" : "back"] += 1;
      Object.assign(known, { last: act, at, from });
      people.set(other, known);
    }
  }
  if (!people.size) return h("p", { class: "note" }, "Nobody yet.");
  const rows = [...people].sort(([, one], [, two]) => two.out + two.back - one.out - one.back).slice(0, 20);
  return h("ul", { class: "known" }, rows.map(([name, { out, back, last, at, from }]) => h("li", { class: life.colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), h("b", {}, name),
    `: ${who} turned to ${name} ${plural(out, "time")}, ${name} to ${who} ${plural(back, "time")}. `, link(`step=${life.steps[at].time}&who=${encodeURIComponent(from)}&tab=why`, `Step ${life.steps[at].time}`), `, ${from} ${last.deed.kind === "say" ? "" : phrase(last)}`, last.deed.kind === "say" ? h("q", {}, last.deed.text) : null)));
}

/** What is seen, what is remembered, what came of blending the two, what was expected, what came. */
export function fields(life, step, who) {
  const detail = life.detail(step, who), next = life.detail(step + 1, who), act = life.act(step, who), colour = (name) => life.colour(name);
  const chosen = detail.options.find(([action]) => matches(action, act));
  const past = rememberedStep(life, step, who), seen = past === null ? null : life.detail(past, who);
  return [h("div", { class: "fields" },
    fieldDrawing("Seen", detail.field, act.place, colour),
    seen ? fieldDrawing("Remembered", seen.field, `${life.act(past, who).place}, step ${life.steps[past].time}`, colour) : null,
    detail.blended ? fieldDrawing("Imagined", detail.blended, blending(detail.blended), colour) : null,
    next ? fieldDrawing("What came", next.field, life.act(step + 1, who).place, colour) : null),
  chosen?.[2] ? h("p", { class: "expected" }, h("b", {}, "Expected: "), chosen[2]) : null];
}

/** How much of what is imagined is seen, and how much remembered: a memory is blended into the present (Eq. 5). */
function blending(rows) {
  const seen = rows.filter((row) => row[4] === "seen").length;
  return `blended: ${seen} seen, ${rows.length - seen} remembered`;
}

/** Whether an option's text is that of an act; what is said is not part of an option. */
function matches(action, act) {
  const { kind, thing, other, text } = act.deed;
  return action === { did: text, go: `go to ${other}`, leave: `leave ${other}`, use: `use ${thing}`, take: `take ${thing} from ${other}`, put: `put ${thing} in/on ${other}`, hand: `put ${thing} in/on ${other}`, say: `chat with ${other}: ...` }[kind];
}

/** The step that the strongest memory is of, as far as the run says; null otherwise. */
function rememberedStep(life, step, who) {
  const [first] = life.act(step, who).memories, kept = life.remembered[who]?.[first], told = life.detail(step, who).came_to_mind[0];
  const time = kept ? kept.last_time : Number(told?.match(/^steps? (?:\d+ to )?(\d+)/i)?.[1] ?? NaN);
  const at = life.steps.findIndex((one) => one.time === time);
  return at < 0 || at >= step ? null : at;
}

/** The memories that came to mind. */
export function memories(life, step, who) {
  const act = life.act(step, who), told = life.detail(step, who).came_to_mind;
  const kept = act.memories.map((id) => life.remembered[who]?.[id]).filter(Boolean);
  const lines = told.length ? told : kept.map((one) => `${one.last_time < 0 ? "Before the valley" : `Steps ${one.first_time} to ${one.last_time}, ${one.place}`}: ${[...one.actions, ...one.said, ...one.witnessed].join("; ")}`);
  if (!lines.length && !act.memories.length) return null;
  return [h("h3", {}, "Came to mind"), lines.length ? h("ul", { class: "memories" }, lines.map((line) => h("li", {}, line))) : h("p", { class: "note" }, `Number ${act.memories.join(", ")}. The files of this run do not say what is remembered.`)];
}

/** What could be done, how it was scored, and what elimination took. */
export function options(life, step, who) {
  const { options: rows, threshold } = life.detail(step, who), act = life.act(step, who);
  if (!rows.length) return null;
  const left = rows.filter(([, , expected]) => expected !== null).length, taken = rows.length - left;
  const title = `${plural(rows.length, "option")}${threshold && taken ? `, ${taken} eliminated` : ""}`;
  return h("details", { class: "more options" }, h("summary", {}, title), threshold ? h("p", { class: "note" }, `What scores below ${amount(threshold)} of 5 for the goal is eliminated, but for what is always kept.`) : null,
    h("ul", {}, rows.map(([action, score, expected]) => h("li", { class: `${expected === null ? "gone" : ""} ${matches(action, act) ? "taken" : ""}` },
      score === null || score === undefined ? null : h("span", { class: "bar", style: { "--part": `${((score - 1) / 4) * 100}%` } }, h("span", {}, number(score, 1))),
      h("span", { class: "what" }, action, matches(action, act) ? h("b", {}, " chosen") : null, expected ? h("small", {}, expected) : threshold ? h("small", {}, "eliminated") : null)))));
}
