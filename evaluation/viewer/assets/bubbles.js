// What is said and done in a step, beside those who say and do it. Speech has its words and whom they are for; what was
// held back is drawn as what it is: wanted, and not seen to happen.

import { fill, h, s } from "./dom.js";
import { phrase } from "./life.js";

const GAP = 10;

/** The bubbles of one stage. They are laid out once a step, so that they stand still to be read. */
export class Bubbles {
  /** @param layer The element they are put in. @param lines An SVG group for what ties them to people. */
  constructor(life, layer, lines, choose) {
    Object.assign(this, { life, layer, lines, choose });
    this.shown = [];
  }

  /** Show those of a step. @param places Where everybody is on the screen. @param radius Of a person. */
  show(step, places, eye, radius) {
    const acts = this.life.inTurn(step).filter(([, act]) => act.deed.kind !== "wait" || act.outcome === "failed");
    this.shown = acts.map(([name, act], turn) => ({ name, turn, element: this.bubble(name, act, step) }));
    fill(this.layer, this.shown.map((one) => one.element));
    const rooms = this.life.valley.areas.map(({ box }) => [...eye.screen([box[0], box[3]]), ...eye.screen([box[2], box[1]])]);
    const taken = [...places.values()].map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
    fill(this.lines, this.shown.map((one) => {
      const [x, y] = places.get(one.name);
      const box = free([x, y], [one.element.offsetWidth, one.element.offsetHeight], eye.size, radius, taken, rooms);
      taken.push(box);
      one.element.style.transform = `translate(${Math.round(box[0])}px, ${Math.round(box[1])}px)`;
      one.line = tie([x, y], box, radius);
      one.line.classList.toggle("held-back", this.life.act(step, one.name).outcome === "filtered");
      return one.line;
    }));
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
    const kind = act.outcome === "filtered" ? "held back" : act.outcome === "inadmissible" ? "in vain" : null;
    return h("button", {
      class: `bubble ${this.life.colour(name)} ${act.outcome} ${said ? "said" : "done"}`,
      type: "button",
      tabindex: "-1",
      on: { click: () => this.choose(name, "why", step) },
    }, h("span", { class: "head" }, h("b", {}, name), to, kind ? h("i", {}, kind) : null),
    h("span", { class: "text" }, said ? act.deed.text : phrase(act)));
  }
}

/** A place for a box near a point, where it hides as little as can be: [left, top, right, bottom]. */
function free([x, y], [width, height], [wide, high], radius, taken, rooms) {
  let best = null, least = Infinity;
  for (const away of [GAP, 34, 70, 120, 180].map((one) => radius + one)) {
    for (const turn of [0, 1, -1, 2, -2, 3, -3, 4]) {
      const angle = -Math.PI / 2 + (turn * Math.PI) / 4;
      const middle = [x + Math.cos(angle) * (away + width / 2), y + Math.sin(angle) * (away + height / 2)];
      const left = Math.min(Math.max(middle[0] - width / 2, 4), Math.max(4, wide - width - 4));
      const top = Math.min(Math.max(middle[1] - height / 2, 4), Math.max(4, high - height - 4));
      const box = [left, top, left + width, top + height];
      const cost = taken.reduce((sum, other) => sum + overlap(box, other), 0) * 4 + rooms.reduce((sum, other) => sum + overlap(box, other), 0) * 0.06 + away * 12 + Math.abs(turn) * 30;
      if (cost < least) [best, least] = [box, cost];
    }
  }
  return best;
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
