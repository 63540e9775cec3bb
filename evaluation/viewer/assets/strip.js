// The strip under the valley: what happened when, one row a resident (one row a kind of event where there are many), and
// the moment that is shown. It is a slider for whoever uses a keyboard.

import { fill, h, s } from "./dom.js";
import { icon, mark, sign } from "./icons.js";
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
    const told = (drawn, label, className = "") => h("span", { class: className }, drawn, label);
    this.legend = h("details", { class: "more signs", open: true }, h("summary", {}, "Signs"), h("p", { class: "legend" },
      Object.entries(KINDS).map(([kind, label]) => told(sign(kind), label, kind)),
      told(sign("star"), "goal reached", "reached"), told(sign("met"), "first meeting indoors"),
      life.ltrha ? [told(icon("slice"), "ring: resources, beside the richest"), told(icon("square"), "room: the better its mood, the warmer", "warm")] : null));
    const wide = matchMedia("(min-width: 60.01rem)"), open = () => { this.legend.open = wide.matches; };
    wide.addEventListener("change", open);
    open();
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
    marks.push(s("line", { class: "lane", x1: LEFT, x2: this.width, y1: y, y2: y }));
    if (this.people) marks.push(s("text", { class: `who ${this.life.colour(row)}`, x: 2, y: y + 4 }, row));
    else marks.push(mark(row, 10, y, 5));
    this.life.steps.forEach((step, at) => {
      if (this.people) marks.push(...this.cellOf(step, at, row, y));
      else marks.push(this.bar(step, at, row, y));
    });
    return s("g", { class: this.people ? this.life.colour(row) : row }, marks);
  }

  cellOf(step, at, name, y) {
    const act = step.acts[name], kind = act && this.life.kind(act), x = this.x(at), size = Math.min(5, Math.max(1.5, this.cell * 0.36));
    const marks = [];
    if (kind) marks.push(mark(kind, x, y, size));
    if (act?.reached) marks.push(mark("star", x, y - 5, 5));
    if (step.meetings.some(({ pair }) => pair.includes(name))) marks.push(mark("met", x, y, size + 1.6));
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
