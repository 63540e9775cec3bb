// A thing, a word or a rumour on its way through people and time.

import { h, link, plural } from "./dom.js";
import { phrase } from "./life.js";

const MOST_TOLD = 200;

/** What is found: {hits: step → …, said: who spoke of it when, heard: who heard of it when, hands: who held it when}. */
export function trace(life, wanted) {
  const term = wanted.trim().toLowerCase(), found = { hits: new Set(), rows: [], heard: new Map(), spoke: new Map(), hands: [] };
  if (!term) return found;
  const names = (text) => text && matcher(term).test(text);
  life.steps.forEach((step, at) => {
    for (const [name, act] of life.inTurn(at)) {
      const said = act.deed.kind === "say" && names(act.deed.text), used = names(act.deed.thing), thought = names(act.thought), wanted = names(act.goal);
      for (const one of act.heard) if (names(one.text) && !found.heard.has(name)) found.heard.set(name, { at, from: one.sender });
      if (said && act.outcome === "executed" && !found.spoke.has(name)) found.spoke.set(name, at);
      const [kind, text] = said ? ["says", act.deed.text] : used ? ["does", phrase(act)] : thought ? ["thinks", act.thought] : ["has the goal", act.goal];
      if (said || used || thought || wanted) {
        found.hits.add(at);
        found.rows.push({ at, name, kind, text, act });
      }
      for (const thing of act.holds) {
        if (thing.toLowerCase() !== term) continue;
        const last = found.hands.at(-1);
        if (last?.name === name && last.to >= at - 1) last.to = at;
        else found.hands.push({ name, from: at, to: at });
      }
    }
  });
  return found;
}

/** Finds a term where it stands as a word of its own: "food 1" is not found in "food 12". */
function matcher(term) {
  const plain = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, "iu");
}

const suggested = new WeakMap();

/** What this run can be searched for: the thing most handled, and the kinds of things most spoken and thought of. */
export function suggestions(life) {
  const known = suggested.get(life);
  if (known?.count === life.count) return known.terms;
  const handled = new Map(), spoken = new Map(), kinds = [...new Set(Object.values(life.valley.things))].map((kind) => [kind, matcher(kind)]);
  const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { acts } of life.steps) {
    for (const { deed, thought, goal } of Object.values(acts)) {
      if (life.valley.things[deed.thing]) add(handled, deed.thing);
      for (const [kind, pattern] of kinds) if ([deed.text, thought, goal].some((text) => text && pattern.test(text))) add(spoken, kind);
    }
  }
  const most = (counts, least) => [...counts].sort(([, one], [, two]) => two - one).slice(0, least).map(([term]) => term);
  const terms = [...most(handled, 1), ...most(spoken, 2)];
  suggested.set(life, { count: life.count, terms });
  return terms;
}

export function findPanel(life, wanted, search) {
  const found = trace(life, wanted), time = (at) => life.steps[at].time, tried = suggestions(life);
  const input = h("input", { type: "search", id: "find", value: wanted, autocomplete: "off", spellcheck: "false", list: "things", "aria-describedby": "find-note" });
  const form = h("form", { class: "find", role: "search", on: { submit: (event) => { event.preventDefault(); search(input.value); } } },
    h("h2", {}, "Trace"), h("label", { for: "find" }, "A thing, a word, a name"), h("div", { class: "row" }, input, h("button", { type: "submit" }, "Trace")),
    h("datalist", { id: "things" }, Object.keys(life.valley.things).slice(0, 500).map((one) => h("option", { value: one }))),
    h("p", { class: "note", id: "find-note" }, "Follows it through what is said, thought, wanted, done and held.", tried.length ? [" Try ", tried.map((one, index) => [index ? ", " : "", link(`find=${encodeURIComponent(one)}&tab=find`, one)]), "."] : null));
  if (!wanted) return [form];
  const who = (name, at) => h("span", { class: life.colour(name) }, h("span", { class: "dot", "aria-hidden": "true" }), link(`step=${time(at)}&who=${encodeURIComponent(name)}&tab=why`, `${name}, step ${time(at)}`));
  const list = (map, told) => [...map].map(([name, value], index) => [index ? "; " : "", told(name, value)]);
  return [form,
    h("p", { role: "status" }, found.rows.length ? `Found in ${plural(found.hits.size, "step")}.` : "Found nowhere."),
    found.hands.length ? h("p", {}, h("b", {}, "Whose hands it was in: "), found.hands.map(({ name, from, to }, index) => [index ? " → " : "", who(name, from), to > from ? ` to ${time(to)}` : ""])) : null,
    found.spoke.size ? h("p", {}, h("b", {}, "Who spoke of it first: "), list(found.spoke, who)) : null,
    found.heard.size ? h("p", {}, h("b", {}, "Who heard of it, and from whom: "), list(found.heard, (name, { at, from }) => [who(name, at), ` from ${from}`])) : null,
    h("ul", { class: "trace" }, found.rows.slice(0, MOST_TOLD).map(({ at, name, kind, text, act }) => h("li", { class: `${life.colour(name)} ${act.outcome}` }, who(name, at), ` ${kind}${act.outcome === "filtered" ? " (filtered)" : ""}: `, marked(text, wanted.trim().toLowerCase())))),
    found.rows.length > MOST_TOLD ? h("p", { class: "note" }, `And ${found.rows.length - MOST_TOLD} more.`) : null];
}

function marked(text, term) {
  const parts = [], expression = new RegExp(matcher(term).source, "giu");
  let from = 0;
  for (const match of text.matchAll(expression)) {
    parts.push(text.slice(from, match.index), h("mark", {}, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}
