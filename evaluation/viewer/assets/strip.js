// The strip under the valley: what happened when, one row a resident (one row a kind of event where there are many), and
// the moment that is shown. It is a slider for whoever uses a keyboard.

import { fill, h, s } from "./dom.js";
import { KINDS } from "./life.js";

const ROW = 15;
const MOST_ROWS = 12;
const LEFT = 34;

export class Strip {
  /** @param go Called with a step. @param choose Called with a name. */
  constructor(life, go, choose) {
    Object.assign(this, { life, go, choose });
    this.people = life.names.length <= MOST_ROWS;
    this.svg = s("svg", { class: "strip", "aria-hidden": "true" });
    this.element = h("div", {
      class: "strip-box", role: "slider", tabindex: "0", "aria-label": "Time step", "aria-valuemin": "0",
      on: { pointerdown: (event) => this.drag(event), pointermove: (event) => { if (event.buttons) this.drag(event); } },
    }, this.svg);
    this.legend = h("p", { class: "legend" }, Object.entries(KINDS).map(([kind, { label, sign }]) => h("span", { class: kind }, h("i", { "aria-hidden": "true" }, sign), label)),
      h("span", { class: "reached" }, h("i", { "aria-hidden": "true" }, "★"), "goal reached"), h("span", { class: "meeting" }, h("i", { "aria-hidden": "true" }, "○"), "first meeting indoors"),
      life.ltrha ? [h("span", {}, h("i", { "aria-hidden": "true" }, "◔"), "ring: resources, beside the richest"), h("span", {}, h("i", { class: "warm", "aria-hidden": "true" }, "■"), "room: the better its mood, the warmer")] : null);
  }

  get cell() { return (this.width - LEFT - 6) / Math.max(1, this.life.count); }

  x(step) { return LEFT + (step + 0.5) * this.cell; }

  drag(event) {
    const left = this.element.getBoundingClientRect().left;
    const step = Math.floor((event.clientX - left - LEFT) / this.cell);
    if (event.type === "pointerdown") {
      if (event.clientX - left < LEFT && this.people) {
        const row = Math.floor((event.clientY - this.element.getBoundingClientRect().top) / ROW);
        if (this.life.names[row]) this.choose(this.life.names[row], "resident");
        return;
      }
      this.element.setPointerCapture(event.pointerId);
    }
    this.go(Math.max(0, Math.min(this.life.count - 1, step)));
  }

  resize() {
    this.width = this.element.clientWidth;
    if (this.width) this.draw();
  }

  draw() {
    const rows = this.people ? this.life.names : Object.keys(KINDS);
    const height = rows.length * ROW + 14;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.setAttribute("height", height);
    this.now = s("rect", { class: "now", y: 0, height: height - 12, rx: 2 });
    this.hits = s("g", { class: "hits" });
    fill(this.svg, this.now, this.hits, rows.map((row, index) => this.row(row, index)), this.ticks(height));
    this.element.setAttribute("aria-valuemax", this.life.count - 1);
  }

  row(row, index) {
    const y = index * ROW + ROW / 2 + 1, marks = [];
    const label = this.people ? row : KINDS[row].sign;
    marks.push(s("line", { class: "lane", x1: LEFT, x2: this.width, y1: y, y2: y }));
    marks.push(s("text", { class: `who ${this.people ? this.life.colour(row) : row}`, x: 2, y: y + 4 }, label));
    this.life.steps.forEach((step, at) => {
      if (this.people) marks.push(...this.cellOf(step, at, row, y));
      else marks.push(this.bar(step, at, row, y));
    });
    return s("g", { class: this.people ? this.life.colour(row) : row }, marks);
  }

  cellOf(step, at, name, y) {
    const act = step.acts[name], kind = act && this.life.kind(act), x = this.x(at), size = Math.min(5, Math.max(1.5, this.cell * 0.36));
    const marks = [];
    if (kind) marks.push(shape(kind, x, y, size));
    if (act?.reached) marks.push(s("text", { class: "star", x, y: y - 1 }, "★"));
    if (step.meetings.some(({ pair }) => pair.includes(name))) marks.push(s("circle", { class: "met", cx: x, cy: y, r: size + 1.6 }));
    return marks;
  }

  bar(step, at, kind, y) {
    const count = step.kinds[kind] ?? 0;
    const height = (ROW - 3) * Math.sqrt(count / this.life.names.length);
    return count ? s("rect", { class: `mark ${kind}`, x: this.x(at) - this.cell * 0.4, width: Math.max(1, this.cell * 0.8), y: y + ROW / 2 - 1 - height, height }) : null;
  }

  ticks(height) {
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => one * this.cell >= 34) ?? 2000;
    const marks = [];
    for (let step = 0; step < this.life.count; step += every) marks.push(s("text", { class: "tick", x: this.x(step), y: height - 1 }, this.life.steps[step].time));
    return marks;
  }

  /** Show the moment. @param hits Steps in which something is found. */
  update(step, hits) {
    if (!this.now) return;
    this.now.setAttribute("x", this.x(step) - Math.max(3, this.cell) / 2);
    this.now.setAttribute("width", Math.max(3, this.cell));
    this.element.setAttribute("aria-valuenow", this.life.steps[step]?.time ?? 0);
    this.element.setAttribute("aria-valuetext", `step ${this.life.steps[step]?.time ?? 0} of ${this.life.steps.at(-1)?.time ?? 0}`);
    const y = (this.people ? this.life.names.length : Object.keys(KINDS).length) * ROW - 1;
    fill(this.hits, [...(hits ?? [])].map((at) => s("rect", { class: "hit", x: this.x(at) - this.cell * 0.4, width: Math.max(1.5, this.cell * 0.8), y, height: 4 })));
  }
}

function shape(kind, x, y, size) {
  const className = `mark ${kind}`;
  if (kind === "talk") return s("circle", { class: className, cx: x, cy: y, r: size });
  if (kind === "gift") return s("path", { class: className, d: `M${x} ${y - size - 1}l${size + 1} ${size + 1}l${-size - 1} ${size + 1}l${-size - 1} ${-size - 1}z` });
  if (kind === "filtered") return s("path", { class: className, d: `M${x - size} ${y - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}` });
  if (kind === "failed") return s("path", { class: className, d: `M${x} ${y - size}l${size} ${2 * size}h${-2 * size}z` });
  if (kind === "walk") return s("path", { class: className, d: `M${x - size * 0.4} ${y - size * 0.75}l${size * 0.9} ${size * 0.75}l${-size * 0.9} ${size * 0.75}` });
  if (kind === "vain") return s("path", { class: className, d: `M${x - size} ${y}h${2 * size}` });
  return s("circle", { class: className, cx: x, cy: y, r: Math.max(1, size * 0.38) });
}
