// Why somebody did something, back to the words that the model was given, and what came of it with the others.

import { amount, h, link, number, plural } from "./dom.js";
import { heldBack, odds, phrase } from "./life.js";
import { explained, fields, memories, options } from "./resident_panel.js";
import { actLine } from "./step_panel.js";

/** @param open The identifier of a call that is to be shown open. */
export function whyPanel(life, step, who, open) {
  const act = life.act(step, who), time = life.steps[step].time;
  const said = act.deed.kind === "say" && act.outcome !== "failed";
  return [
    h("h2", { class: life.colour(who) }, h("span", { class: "dot", "aria-hidden": "true" }), `Why ${who} ${said ? `${act.outcome === "filtered" ? "wanted to speak" : act.outcome === "inadmissible" ? "tried to speak" : "spoke"} to ${act.deed.other}` : past(act)}`, h("small", {}, `step ${time}, ${act.place}`)),
    said ? h("blockquote", { class: "words" }, act.deed.text) : null,
    h("ol", { class: "chain" },
      act.person ? link1("A person decided", h("p", {}, `${who} did what a person picked for it, who was told what ${who} perceived.`)) : null,
      act.failure ? link1("It had no answer", h("p", {}, act.failure)) : null,
      act.outcome === "filtered" ? link1("It was filtered", h("p", {}, filtered(life, step, who))) : null,
      act.outcome === "inadmissible" ? link1("It came to nothing", h("p", {}, `${who} was told: `, h("q", {}, act.result))) : null,
      act.thought ? link1("It thought", h("blockquote", {}, act.thought)) : null,
      act.goal ? link1("It wanted", goal(life, step, who)) : null,
      input(life, step, who),
      link1("It could have done", options(life, step, who) ?? h("p", { class: "note" }, "Nothing: it was filtered before it decided.")),
      link1("It felt", h("p", { class: "values" }, ["pleasure", "arousal", "dominance", "driver"].map((key) => h("span", {}, h("i", {}, key), " ", number(act[key])))), explained(act)),
      link1(act.person ? "The person was asked" : "The model was asked", calls(life, step, who, open)),
      link1("What followed", followed(life, step, who))),
  ];
}

/** "went to Public Canteen": what was done, for the title. */
function past(act) {
  if (act.outcome === "failed") return "did nothing";
  const { kind, thing, other, did } = act.deed, done = { did, go: other === "outside" ? "went outside" : `went to ${other}`, leave: `left ${other}`, use: `used ${thing}`, take: `took ${thing} from ${other}`, put: `put ${thing} on ${other}`, hand: `handed ${thing} to ${other}`, wait: "waited" }[kind];
  return act.outcome === "executed" ? done ?? phrase(act) : phrase(act);
}

function link1(title, ...parts) { return h("li", {}, h("h3", {}, title), parts); }

function filtered(life, step, who) {
  const act = life.act(step, who);
  if (act.rate === null) return "The social framework did not let it act in this step.";
  return `The odds that LTRHA lets an act through follow from resources (Eq. 18): ${who}'s were ${odds(act)}, with resources of ${amount(act.resources)}. ${heldBack(life, step, who)} of its acts so far were filtered. The others saw only that it wanted to.`;
}

function goal(life, step, who) {
  const act = life.act(step, who), since = life.goalSince(step, who), first = life.act(since, who), time = life.steps[since].time;
  const before = since > 0 ? life.act(since - 1, who) : null;
  return [
    h("p", {}, act.goal, act.plan.length ? h("small", {}, ` Plan: ${act.plan.join("; ")}`) : null),
    since === step
      ? h("p", { class: "note" }, before ? `A new goal of this step. Before: ${before.goal || "none"}${act.reached ? ", which is reached" : ""}.` : "Its first goal.")
      : h("p", { class: "note" }, "It has wanted this since ", link(`step=${time}&who=${encodeURIComponent(who)}&tab=why`, `step ${time}`), first.thought ? [", when it thought: ", h("q", {}, first.thought)] : "."),
    since !== step && first.heard.length ? h("p", { class: "note" }, "It had just heard ", first.heard.slice(-2).map((one) => [`${one.sender}: `, h("q", {}, one.text), " "])) : null,
  ];
}

function input(life, step, who) {
  const act = life.act(step, who), heard = act.heard.map((one) => h("li", { class: life.colour(one.sender) }, origin(life, one.time, one.sender), ` to ${one.addressee === who ? "it" : one.addressee}: `, h("q", {}, one.text)));
  const seen = act.seen.map((one) => h("li", { class: life.colour(one.actor) }, origin(life, one.time, one.actor), " ", one.told));
  return [
    heard.length || seen.length ? link1("It heard and saw", h("ul", { class: "input" }, heard, seen)) : null,
    h("li", {}, memories(life, step, who) ?? [h("h3", {}, "Came to mind"), h("p", { class: "note" }, "No memory.")], h("details", { class: "more" }, h("summary", {}, "What it saw, as fields"), fields(life, step, who))),
  ];
}

function origin(life, time, name) {
  if (!life.number.has(name)) return [h("b", {}, name), ` (step ${time})`];
  return [h("span", { class: "dot", "aria-hidden": "true" }), link(`step=${time}&who=${encodeURIComponent(name)}&tab=why`, h("b", {}, name), ` (step ${time})`)];
}

function calls(life, step, who, open) {
  const own = life.callsOf(life.act(step, who));
  if (!own.length) return h("p", { class: "note" }, life.act(step, who).calls.length ? "Its calls are not in the transcript of this run." : "It was not: the mind decided by itself.");
  const tokens = own.reduce((sum, [, call]) => sum + call.tokens[0] + call.tokens[2], 0), dollars = own.map(([, call]) => call.dollars);
  return [
    h("p", { class: "cost" }, h("b", {}, `${plural(own.length, "call")}, ${plural(tokens, "token")}`), `, ${number(own.reduce((sum, [, call]) => sum + call.seconds, 0), 1)} s`, dollars.every((one) => one !== null) ? `, ${cost(dollars)}` : ", no price: this run was given none (irollan run --prices FILE)"),
    own.map(([id, call]) => callDetails(id, call, String(id) === open)),
  ];
}

function cost(dollars) {
  const sum = dollars.reduce((before, one) => before + one, 0);
  return sum ? `$${sum.toPrecision(2)}` : "which cost nothing";
}

/** One call, word for word. */
export function callDetails(id, call, open = false) {
  const [asked, cached, written] = call.tokens;
  return h("details", { class: "call", open, id: `call-${id}`, "data-call": id },
    h("summary", {}, h("b", {}, call.module), ` call ${id}: ${asked.toLocaleString("en")} tokens asked${cached ? `, ${cached.toLocaleString("en")} of them cached` : ""}, ${written.toLocaleString("en")} written, ${number(call.seconds, 1)} s${call.attempts ? `, ${plural(call.attempts, "attempt")} in vain` : ""}`),
    h("h4", {}, "Answer"), h("pre", { class: "answer", tabindex: "0" }, readable(call.answer)),
    h("h4", {}, "Prompt"), h("pre", { tabindex: "0" }, call.prompt),
    h("details", { class: "more" }, h("summary", {}, "Settings"), h("pre", { tabindex: "0" }, `${call.method} by ${call.model}\n${JSON.stringify(call.asked, null, 1)}`)));
}

/** An answer in JSON with its keys on lines of their own; any other as it is. */
function readable(answer) {
  if (typeof answer !== "string") return JSON.stringify(answer, null, 1);
  try {
    return JSON.stringify(JSON.parse(answer), null, 1);
  } catch {
    return answer;
  }
}

/** What came of an act that was carried out; the world says it to whoever acts: "You use the book 7. The book 7 is now read." */
function outcome(act, who) {
  const rest = act.deed.kind === "say" ? "" : act.result.replace(/^You .*?\.(?= |$)/, "");
  return `${who} ${phrase(act)}.${rest}`;
}

function followed(life, step, who) {
  const act = life.act(step, who), seen = life.witnesses(step, who);
  return [
    act.result && act.outcome === "executed" ? h("p", { class: "note" }, outcome(act, who)) : null,
    seen.length ? [h("p", {}, act.deed.kind === "say" && act.outcome === "executed" ? "Who heard it, and what they did then:" : "Who saw it, and what they did then:"), h("ul", { class: "acts" }, seen.slice(0, 20).map(([name, at]) => actLine(life, at, name, at === step ? null : h("small", {}, ` step ${life.steps[at].time}`))))]
      : h("p", { class: "note" }, act.deed.kind === "wait" ? "It did nothing that others could see." : "Nobody was there to hear or see it."),
  ];
}
