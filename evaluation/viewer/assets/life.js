// A run as the page asks about it: who did what in which step, who heard it, what is known of why.

/** What an action is in words; `mine` for "wants to", otherwise the third person. */
const VERBS = {
  go: (d) => ["go", "es", d.other === "outside" ? " outside" : ` to ${d.other}`],
  leave: (d) => ["leave", "s", ` ${d.other}`],
  use: (d) => ["use", "s", ` ${d.thing}`],
  take: (d) => ["take", "s", ` ${d.thing} from ${d.other}`],
  put: (d) => ["put", "s", ` ${d.thing} on ${d.other}`],
  hand: (d) => ["hand", "s", ` ${d.thing} to ${d.other}`],
  say: (d) => ["talk", "s", ` to ${d.other}`],
  did: (d) => [d.to, "", ""],
  wait: () => ["wait", "s", ""],
  other: (d) => ["do", "es", `: ${d.text}`],
};

/** The kinds of events that the strip marks, the most telling first, with what it is. */
export const KINDS = {
  failed: "no answer from the model",
  filtered: "filtered",
  vain: "in vain",
  gift: "gift",
  talk: "talk",
  walk: "walk to another place",
  deed: "other act",
};

export class Life {
  /** @param run What the page was given to draw. @param later A function that gives what is looked up. */
  constructor(run, later) {
    Object.assign(this, { name: run.name, facts: run.facts, status: run.status, asked: run.asked });
    this.ltrha = run.ltrha;
    this.inTurns = run.scheduling === "sequential";
    this.valley = run.valley;
    this.residents = run.residents;
    this.names = run.residents.map((one) => one.name);
    this.remembered = run.remembered;
    this.findings = run.findings ?? [];
    this.number = new Map(this.names.map((name, index) => [name, index]));
    this.steps = [];
    this.met = new Map();
    this.later = null;
    this.askLater = later;
    this.range = { topic: 0.1 };
    this.addSteps(run.steps);
  }

  get count() { return this.steps.length; }

  get details() { return (this.later ??= this.askLater()).details; }

  get calls() { return (this.later ??= this.askLater()).calls; }

  /** Take what has come since: steps, details and calls as the page was first given them. */
  add(more) {
    this.details.push(...more.details);
    Object.assign(this.calls, more.calls);
    this.addSteps(more.steps);
  }

  addSteps(steps) {
    for (const step of steps) {
      this.steps.push(step);
      step.kinds = {};
      for (const act of Object.values(step.acts)) {
        if (act.away) continue;
        if (act.deed.kind === "put" && this.number.has(act.deed.other)) act.deed.kind = "hand";
        const kind = this.kind(act);
        step.kinds[kind] = (step.kinds[kind] ?? 0) + 1;
      }
      for (const value of Object.values(step.topics)) this.range.topic = Math.max(this.range.topic, Math.abs(value));
      this.meet(step);
    }
  }

  /** Notes who is under one roof with whom for the first time; outside all would meet all. */
  meet(step) {
    const grounds = new Set(this.valley.grounds.map((one) => one.name));
    const rooms = new Map();
    for (const [name, act] of Object.entries(step.acts)) {
      if (!act.away && !grounds.has(act.place)) rooms.set(act.place, [...(rooms.get(act.place) ?? []), name]);
    }
    step.meetings = [];
    for (const [place, people] of rooms) {
      if (people.length > 30) continue;
      people.forEach((one, index) => people.slice(index + 1).forEach((other) => {
        const pair = `${one}\n${other}`;
        if (!this.met.has(pair)) {
          this.met.set(pair, step.time);
          step.meetings.push({ place, pair: [one, other] });
        }
      }));
    }
  }

  act(step, who) { return this.steps[step]?.acts[who]; }

  detail(step, who) { return this.details[step]?.[who]; }

  /** What the richest has in a step: the ring of everybody is a part of that. */
  richest(step) { return Math.max(1, ...Object.values(this.steps[step].acts).map((act) => act.resources ?? 0)); }

  colour(name) { return this.number.has(name) ? `r${this.number.get(name) % 6}` : ""; }

  display(name) { return this.residents[this.number.get(name)]?.display ?? name; }

  /** Which kind of event an act is; null for waiting. */
  kind(act) {
    if (act.outcome === "failed") return "failed";
    if (act.outcome === "filtered") return "filtered";
    if (act.outcome === "inadmissible") return "vain";
    return { say: "talk", hand: "gift", go: "walk" }[act.deed.kind] ?? (act.deed.kind === "wait" ? null : "deed");
  }

  /** Everyone's acts of a step, in the order of turns as far as it is seen. */
  inTurn(step) {
    return Object.entries(this.steps[step].acts).filter(([, act]) => !act.away).sort(([, one], [, other]) => one.turn - other.turn);
  }

  /** Who saw or heard an act, and what each did next: [name, step of that act]. */
  witnesses(step, who) {
    const act = this.act(step, who), found = [];
    if (act.deed.kind === "wait" || act.outcome === "failed" || act.outcome === "inadmissible") return found;
    const time = this.steps[step].time;
    for (const later of [step, step + 1]) {
      for (const [name, other] of Object.entries(this.steps[later]?.acts ?? {})) {
        if (other.away) continue;
        if (name === who || found.some(([known]) => known === name)) continue;
        const heard = other.heard.some((one) => one.time === time && one.sender === who);
        if (heard || other.seen.some((one) => one.time === time && one.actor === who)) found.push([name, later]);
      }
    }
    return found;
  }

  /** The step since which somebody has had the goal that it has. */
  goalSince(step, who) {
    const goal = this.act(step, who).goal;
    let since = step;
    while (since > 0 && this.act(since - 1, who)?.goal === goal) since -= 1;
    return since;
  }

  /** How often each turned to each other one up to a step, as the paper's figure 8 counts it. */
  turnedTo(step) {
    const counts = this.names.map(() => this.names.map(() => 0));
    for (let at = 0; at <= step; at += 1) {
      for (const [name, act] of Object.entries(this.steps[at].acts)) {
        const other = this.number.get(act.deed.other);
        if (act.outcome === "executed" && other !== undefined && act.deed.kind !== "leave" && this.names[other] !== name) counts[this.number.get(name)][other] += 1;
      }
    }
    return counts;
  }

  /** How many steps each place has been lived in up to a step, all residents together. */
  timeSpent(step) {
    const spent = {};
    for (let at = 0; at <= step; at += 1) {
      for (const act of Object.values(this.steps[at].acts)) if (!act.away) spent[act.place] = (spent[act.place] ?? 0) + 1;
    }
    return spent;
  }

  /** Names of what residents feel ("needs") or of their further numbers ("variables"), and of the world's numbers ("world"). */
  numbers(kind) {
    const of = (step) => (kind === "world" ? [step.world?.variables ?? {}] : Object.values(step.acts).map((act) => act[kind] ?? {}));
    return [...new Set(this.steps.flatMap((step) => of(step).flatMap(Object.keys)))];
  }

  /** The calls of an act, with their identifiers. */
  callsOf(act) { return act.calls.filter((id) => this.calls[id]).map((id) => [id, this.calls[id]]); }

  /** The calls of a step that belong to nobody: those of the matrix. */
  callsOfAll(step) {
    const time = this.steps[step].time;
    return Object.entries(this.calls).filter(([, call]) => call.time === time && call.module === "matrix");
  }
}

/** "takes food 5 from table 2", "wanted to go to AY's Home". */
export function phrase(act) {
  if (act.outcome === "failed") return "has no answer from the model, and waits";
  const [verb, ending, rest] = (VERBS[act.deed.kind] ?? VERBS.other)(act.deed);
  if (act.outcome === "filtered") return `wanted to ${verb}${rest}`;
  if (act.outcome === "inadmissible") return `tries to ${verb}${rest}`;
  return act.deed.does ?? `${verb}${ending}${rest}`;
}

/** How many of its acts up to a step LTRHA held back: "3 of 12"; waiting is no act. */
export function heldBack(life, step, who) {
  const acts = life.steps.slice(0, step + 1).map((one) => one.acts[who]).filter((act) => act && (act.outcome === "filtered" || (act.outcome !== "failed" && act.deed.kind !== "wait")));
  return `${acts.filter((act) => act.outcome === "filtered").length} of ${acts.length}`;
}

/** How likely an act was to go through: "72 %". */
export function odds(act) { return `${Math.round(act.rate * 100)}\u00a0%`; }
