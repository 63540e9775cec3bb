// The valley from above on a canvas, for hundreds of people and many towns: from far people are dots, from near they are
// drawn as everywhere.

import { h, initials } from "./dom.js";
import { phrase } from "./life.js";
import { AROUND, Eye, Whereabouts, footprint } from "./stage.js";

/** From how many people on the valley is drawn on a canvas. */
export const CROWD = 300;


/** A stage on which a run of many is seen; as `Valley`, but for bubbles. */
export class Crowd {
  constructor(life, choose) {
    Object.assign(this, { life, choose });
    this.eye = new Eye(life.valley);
    this.where = new Whereabouts(life);
    this.canvas = h("canvas", { class: "valley", role: "img", tabindex: "0" });
    this.words = h("div", { class: "bubbles crowd-words", "aria-hidden": "true" });
    this.element = h("div", { class: "stage" }, this.canvas, this.words);
    this.pen = this.canvas.getContext("2d");
    this.boxes = new Map([...life.valley.grounds, ...life.valley.areas].map((one) => [one.name, one.box]));
    this.pieces = life.valley.furniture.map((piece) => footprint(piece, this.boxes.get(piece.place)));
    this.canvas.addEventListener("click", (event) => this.pick(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colours = null; });
  }

  get small() { return this.eye.size[0] < 560; }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.eye.size = [width, height];
    this.canvas.width = width * this.ratio;
    this.canvas.height = height * this.ratio;
    this.look();
  }

  look() { this.eye.look(this.eye.centre); }

  draw(time, view) {
    const step = Math.min(Math.floor(time + 1e-9), this.life.count - 1), { pen, eye } = this, [wide, high] = eye.size;
    if (step < 0) return;
    this.colours ??= themed(this.canvas);
    const { paper, ink, muted, edge, card, people } = this.colours;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = paper;
    pen.fillRect(0, 0, wide, high);
    const { topics, acts } = this.life.steps[step];
    const rectangle = ([west, south, east, north]) => {
      const [x, y] = eye.screen([west, north]);
      return [x, y, (east - west) * eye.scale, (north - south) * eye.scale];
    };
    const seen = ([x, y, width, height]) => x < wide && y < high && x + width > 0 && y + height > 0;
    pen.lineWidth = 1;
    for (const { gates } of this.life.valley.roads) {
      pen.strokeStyle = edge;
      pen.beginPath();
      pen.moveTo(...eye.screen(gates[0]));
      pen.lineTo(...eye.screen(gates[1]));
      pen.stroke();
    }
    for (const one of this.life.valley.grounds) {
      pen.fillStyle = card;
      pen.fillRect(...rectangle(one.box));
    }
    for (const one of this.life.valley.areas) {
      const box = rectangle(one.box);
      if (!seen(box)) continue;
      pen.fillStyle = paper;
      pen.fillRect(...box);
      const mood = view.rooms === "mood" ? (topics[one.name] ?? 0) / this.life.range.topic : 0;
      pen.globalAlpha = Math.min(0.42, Math.abs(mood) * 0.42);
      pen.fillStyle = mood < 0 ? people[0] : people[4];
      pen.fillRect(...box);
      pen.globalAlpha = 1;
      pen.strokeStyle = edge;
      pen.strokeRect(...box);
    }
    if (eye.scale > 9) {
      pen.strokeStyle = edge;
      for (const [x, y, width, height] of this.pieces) {
        const box = rectangle([x, y, x + width, y + height]);
        if (seen(box)) pen.strokeRect(...box);
      }
    }
    const radius = Math.max(2, Math.min(15, eye.scale * 0.75)), near = radius > 8;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `600 ${Math.round(radius * 0.8)}px system-ui, sans-serif`;
    const top = this.life.richest(step);
    for (const [index, name] of this.life.names.entries()) {
      if (acts[name].away) continue;
      const [x, y] = eye.screen(this.where.at(time, name));
      if (x < -20 || y < -20 || x > wide + 20 || y > high + 20) continue;
      const act = acts[name], chosen = name === view.who;
      pen.fillStyle = near ? paper : people[index % 6];
      pen.globalAlpha = act.outcome === "filtered" && !near ? 0.4 : 1;
      pen.beginPath();
      pen.arc(x, y, chosen ? radius + 2 : radius, 0, AROUND);
      pen.fill();
      if (near || chosen) {
        pen.strokeStyle = chosen ? ink : people[index % 6];
        pen.lineWidth = 3;
        pen.beginPath();
        const part = act.resources === null ? 1 : Math.max(0, act.resources / top);
        pen.arc(x, y, radius + 1, -AROUND / 4, -AROUND / 4 + AROUND * (chosen ? 1 : part));
        pen.stroke();
      }
      pen.globalAlpha = 1;
      if (near) {
        pen.fillStyle = ink;
        pen.fillText(initials(name), x, y + 0.5);
      }
      if (act.deed.kind === "say" && act.outcome === "executed" && time - step < 0.6) {
        pen.strokeStyle = people[index % 6];
        pen.lineWidth = 1.2;
        pen.beginPath();
        pen.arc(x, y, radius + 3 + radius * ((time * 3) % 1), 0, AROUND);
        pen.stroke();
      }
    }
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = muted;
    for (const one of this.life.valley.grounds.length > 1 && eye.scale < 9 ? this.life.valley.grounds : this.life.valley.areas) {
      const [x, y, width] = rectangle(one.box);
      if (width > 70) pen.fillText(one.name, x + width / 2, y - 8);
    }
    if (this.told !== `${step} ${view.who}`) {
      this.told = `${step} ${view.who}`;
      const act = view.who ? acts[view.who] : null;
      this.words.replaceChildren(act ? h("div", { class: `bubble ${this.life.colour(view.who)} ${act.outcome}` }, h("span", { class: "head" }, h("b", {}, view.who)), h("span", { class: "text" }, act.deed.kind === "say" ? act.deed.text : phrase(act))) : "");
      this.canvas.setAttribute("aria-label", `The valley from above, with ${this.life.names.length} people, at step ${this.life.steps[step].time}`);
    }
  }

  pick(event) {
    const box = this.canvas.getBoundingClientRect(), at = [event.clientX - box.left, event.clientY - box.top];
    let best = null, least = 18;
    for (const name of this.life.names) {
      const [x, y] = this.eye.screen(this.where.at(this.life.shownAt ?? 0, name)), far = Math.hypot(x - at[0], y - at[1]);
      if (far < least) [best, least] = [name, far];
    }
    if (best) this.choose(best, "resident");
  }
}

/** The page's colours as the canvas takes them. */
function themed(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(name).trim();
  return { paper: of("--paper"), ink: of("--ink"), muted: of("--muted"), edge: of("--edge"), card: of("--card"), people: [0, 1, 2, 3, 4, 5].map((index) => of(`--c${index}`)) };
}
