// What is said and done in a step, beside those who say and do it. Speech has its words and whom they are for; what was
// filtered is drawn as what it is: wanted, and not seen to happen.

import { fill, h, s } from "./dom.js";
import { phrase } from "./life.js";

const GAP = 10;

/** How far from its resident a bubble may stand, and the steps in which a place for it is looked for, in pixels. */
const FAR = 230, ACROSS = 22, DOWN = 14;

/** How much a bubble may hide, in square pixels; and up to which width of the stage bubbles are smaller. */
const LITTLE = 40, NARROW = 720;

/** How many can be read at once. Of more, those of whoever is chosen come first, then what is said. */
const MOST_BUBBLES = 14;

/** The bubbles of one stage. They are laid out once a step, so that they stand still to be read; one that would hide a resident, a name or another bubble is left out, and told beside the stage alone. */
export class Bubbles {
  /** @param layer The element they are put in. @param lines An SVG group for what ties them to people. */
  constructor(life, layer, lines, choose) {
    Object.assign(this, { life, layer, lines, choose });
    this.shown = [];
  }

  /** Show those of a step. @param places Where everybody is on the screen. @param radius Of a person. @param labels Boxes of the names of rooms. */
  show(step, places, eye, radius, chosen, labels) {
    const acts = this.telling(step, places, eye.size, chosen);
    this.shown = acts.map(([name, act], turn) => ({ name, turn, element: this.bubble(name, act, step) }));
    this.layer.classList.toggle("narrow", eye.size[0] < NARROW);
    fill(this.layer, this.shown.map((one) => one.element));
    const rooms = this.life.valley.areas.map(({ box }) => [...eye.screen([box[0], box[3]]), ...eye.screen([box[2], box[1]])]);
    const taken = [...places.values()].map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
    // What the chosen one holds is written below it.
    const held = places.get(chosen);
    if (held) taken.push([held[0] - 45, held[1], held[0] + 45, held[1] + radius + 24]);
    // That of whoever is chosen, then the large ones, as they find a place less easily.
    const size = new Map(this.shown.map((one) => [one, [one.element.offsetWidth, one.element.offsetHeight]])), area = (one) => size.get(one)[0] * size.get(one)[1];
    const first = (one) => (one.name === chosen ? Infinity : area(one));
    for (const one of [...this.shown].sort((one, other) => first(other) - first(one))) {
      const at = places.get(one.name), [box, hides] = free(at, size.get(one), eye.size, radius, taken, rooms, labels);
      if (hides > LITTLE && one.name !== chosen) {
        one.element.remove();
        continue;
      }
      taken.push(box);
      one.element.style.transform = `translate(${Math.round(box[0])}px, ${Math.round(box[1])}px)`;
      one.line = tie(at, box, radius);
      one.line.classList.toggle("held-back", this.life.act(step, one.name).outcome === "filtered");
    }
    this.shown = this.shown.filter((one) => one.line);
    fill(this.lines, this.shown.map((one) => one.line));
  }

  /** The acts of a step that are told on the stage, in the order of turns. */
  telling(step, places, [wide, high], chosen) {
    const acts = this.life.inTurn(step).filter(([name, act]) => {
      const [x, y] = places.get(name);
      return (act.deed.kind !== "wait" || act.outcome === "failed") && x > 0 && y > 0 && x < wide && y < high;
    });
    if (acts.length <= MOST_BUBBLES) return acts;
    const weight = ([name, act]) => (name === chosen ? 4 : act.deed.other === chosen ? 2 : 0) + (act.deed.kind === "say" && act.outcome === "executed" ? 1 : 0);
    const kept = new Set([...acts].sort((one, other) => weight(other) - weight(one)).slice(0, MOST_BUBBLES));
    return acts.filter((one) => kept.has(one));
  }

  /** How much of a step has passed, 0 to 1: who acts later is heard later. */
  reveal(part) {
    for (const one of this.shown) {
      const seen = part >= (one.turn / (this.shown.length + 2)) * 0.6;
      one.element.classList.toggle("later", !seen);
      one.line.classList.toggle("later", !seen);
    }
  }

  clear() {
    this.shown = [];
    fill(this.layer);
    fill(this.lines);
  }

  bubble(name, act, step) {
    const said = act.deed.kind === "say" && act.outcome !== "failed";
    const to = said ? h("b", { class: "to" }, ` → ${act.deed.other}`) : null;
    const kind = act.outcome === "filtered" ? "filtered" : act.outcome === "inadmissible" ? "in vain" : null;
    return h("button", {
      class: `bubble ${this.life.colour(name)} ${act.outcome} ${said ? "said" : "done"}`,
      type: "button",
      tabindex: "-1",
      on: { click: () => this.choose(name, "why", step) },
    }, h("span", { class: "head" }, h("b", {}, name), to, kind ? h("i", {}, kind) : null),
    h("span", { class: "text" }, said ? act.deed.text : phrase(act)));
  }
}

/** A place for a box near a point, where it hides as little as can be: [left, top, right, bottom], and how much it hides. */
function free([x, y], [width, height], [wide, high], radius, taken, rooms, labels) {
  let best = null, hides = 0, least = Infinity;
  const [right, bottom] = [Math.max(4, wide - width - 4), Math.max(4, high - height - 4)];
  for (const across of reach(x - width / 2, FAR + width / 2, ACROSS)) {
    for (const down of reach(y - height / 2, FAR + height / 2, DOWN)) {
      const left = Math.min(Math.max(across, 4), right), top = Math.min(Math.max(down, 4), bottom);
      const box = [left, top, left + width, top + height], away = Math.hypot(beside(x, box[0], box[2]), beside(y, box[1], box[3]));
      let cost = Math.max(0, away - radius - GAP) * 10 + Math.abs(left + width / 2 - x) + Math.abs(top + height / 2 - y) * 0.5;
      if (cost >= least) continue;
      const over = hidden(box, taken) + hidden(box, labels);
      cost += over * 12 + hidden(box, rooms) * 0.06;
      if (cost >= least) continue;
      cost += crossed([x, y], [left + width / 2, top + height / 2], radius, taken) * 160;
      if (cost < least) [best, hides, least] = [box, over, cost];
    }
  }
  return [best, hides];
}

/** Places from the nearest to the farthest on both sides of a middle. */
function reach(middle, far, step) {
  const found = [middle];
  for (let away = step; away <= far; away += step) found.push(middle - away, middle + away);
  return found;
}

/** How far a coordinate is from a range. */
function beside(at, low, high) { return Math.max(low - at, 0, at - high); }

/** How much of other boxes a box hides. */
function hidden(box, others) { return others.reduce((sum, other) => sum + overlap(box, other), 0); }

/** How much of the way from a person to its bubble others hide. */
function crossed([x, y], middle, radius, taken) {
  let count = 0;
  const far = Math.hypot(middle[0] - x, middle[1] - y) || 1;
  for (let at = radius + 6; at < far; at += 14) {
    const point = [x + ((middle[0] - x) * at) / far, y + ((middle[1] - y) * at) / far];
    if (taken.some((box) => point[0] > box[0] && point[0] < box[2] && point[1] > box[1] && point[1] < box[3])) count += 1;
  }
  return count;
}

function overlap(a, b) {
  const across = Math.min(a[2], b[2]) - Math.max(a[0], b[0]) + 4, down = Math.min(a[3], b[3]) - Math.max(a[1], b[1]) + 4;
  return across > 0 && down > 0 ? across * down : 0;
}

/** The line from a person to the nearest point of a box. */
function tie([x, y], box, radius) {
  const end = [Math.min(Math.max(x, box[0] + 8), box[2] - 8), Math.min(Math.max(y, box[1]), box[3])];
  const length = Math.hypot(end[0] - x, end[1] - y) || 1;
  const start = [x + ((end[0] - x) / length) * radius, y + ((end[1] - y) / length) * radius];
  return s("line", { class: "tie", x1: start[0], y1: start[1], x2: end[0], y2: end[1] });
}
