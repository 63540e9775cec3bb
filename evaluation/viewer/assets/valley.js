// The valley from above as SVG: rooms, furniture, things, and people with what they hold and have.

import { Bubbles } from "./bubbles.js";
import { amount, fill, h, initials, number, s } from "./dom.js";
import { phrase } from "./life.js";
import { AROUND, Eye, Whereabouts, footprint } from "./stage.js";


/** A stage on which one run is seen. */
export class Valley {
  /** @param choose Called with a name, a tab and a step when somebody is chosen. */
  constructor(life, choose) {
    Object.assign(this, { life, choose });
    this.eye = new Eye(life.valley);
    this.where = new Whereabouts(life);
    this.step = -1;
    this.map = s("g", { class: "map" });
    this.labels = s("g", { class: "labels", "aria-hidden": "true" });
    this.ties = s("g", { class: "ties" });
    this.people = s("g", { class: "people" });
    this.svg = s("svg", { class: "valley", role: "group", "aria-label": "The valley from above" }, this.map, this.labels, this.ties, this.people);
    this.layer = h("div", { class: "bubbles", "aria-hidden": "true" });
    this.element = h("div", { class: "stage" }, this.svg, this.layer);
    this.bubbles = new Bubbles(life, this.layer, this.ties, choose);
    this.drawMap();
    this.figures = new Map(life.names.map((name) => [name, this.figure(name)]));
    this.people.append(...[...this.figures.values()].map((one) => one.group));
  }

  get small() { return this.eye.size[0] < 560; }

  get radius() { return Math.max(this.life.names.length > 20 ? 8 : this.small ? 10 : 13, Math.min(26, this.eye.scale * 0.62)); }

  drawMap() {
    const { valley } = this.life;
    const boxes = new Map([...valley.grounds, ...valley.areas].map((one) => [one.name, one.box]));
    this.rooms = new Map();
    const rectangle = (kind, box) => s("rect", { class: kind, x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1] });
    const parts = valley.roads.map(({ gates }) => s("line", { class: "road", x1: gates[0][0], y1: gates[0][1], x2: gates[1][0], y2: gates[1][1] }));
    for (const one of valley.grounds) parts.push(this.room(one, rectangle("ground", one.box)));
    for (const one of valley.areas) parts.push(this.room(one, rectangle("room", one.box)), doorway(one));
    const furniture = valley.furniture.map((piece) => {
      const [x, y, width, height] = footprint(piece, boxes.get(piece.place));
      const shape = s("rect", { class: `furniture ${piece.kind}`, x, y, width, height, rx: piece.kind === "chair" ? 0.2 : 0.08 }, s("title", {}, piece.name));
      return shape;
    });
    this.middle = new Map(valley.furniture.map((piece) => {
      const [x, y, width, height] = footprint(piece, boxes.get(piece.place));
      return [piece.name, [x + width / 2, y + height / 2, width]];
    }));
    this.things = s("g", { class: "things" });
    fill(this.map, parts, furniture, this.things);
    this.names = valley.areas.concat(valley.grounds.length > 1 ? valley.grounds : []).map((one) => {
      const label = s("text", { class: "label" }, one.name);
      return { one, label };
    });
    this.open = valley.grounds.length === 1 ? s("text", { class: "label open" }, valley.grounds[0].name) : null;
    fill(this.labels, this.open, this.names.map(({ label }) => label));
  }

  room(one, shape) {
    const title = s("title", {}, one.name);
    shape.append(title);
    this.rooms.set(one.name, { shape, title });
    return shape;
  }

  figure(name) {
    const ring = s("circle", { class: "ring" }), track = s("circle", { class: "track" }), disc = s("circle", { class: "disc" });
    const label = s("text", { class: "name" }, initials(name)), holds = s("text", { class: "holds" }), hands = s("g", { class: "hands" });
    const halo = s("circle", { class: "halo" });
    const group = s("g", {
      class: `person ${this.life.colour(name)}`, tabindex: "0", role: "button", "data-name": name,
      on: {
        click: () => this.choose(name, "resident"),
        keydown: (event) => { if (event.key === "Enter") this.choose(name, "resident"); },
      },
    }, halo, disc, track, ring, label, hands, holds);
    return { group, ring, track, disc, label, holds, hands, halo };
  }

  /** Fit the stage to its element. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.eye.size = [width, height];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.look();
  }

  /** Draw what the eye sees anew after it moved. */
  look() {
    this.eye.look(this.eye.centre);
    const { scale } = this.eye, [x, y] = this.eye.screen([0, 0]);
    this.map.setAttribute("transform", `matrix(${scale} 0 0 ${-scale} ${x} ${y})`);
    for (const { one, label } of this.names) {
      const [west, south, east, north] = one.box;
      const below = one.door && one.door[1] === north;
      const [left, top] = this.eye.screen([(west + east) / 2, below ? south : north]);
      const room = (east - west) * scale;
      label.textContent = room + 8 < 6.6 * one.name.length || (this.small && this.eye.zoom < 1.5) ? short(one.name) : one.name;
      label.setAttribute("x", left);
      label.setAttribute("y", below ? top + (this.small ? 11 : 16) : top - (this.small ? 4 : 7));
      label.classList.toggle("gone", room < 26);
    }
    if (this.open) {
      const [west, south, east, north] = this.life.valley.grounds[0].box, [left, top] = this.eye.screen([(west + east) / 2, (south + north) / 2]);
      this.open.setAttribute("x", left);
      this.open.setAttribute("y", top);
    }
    const r = this.radius;
    this.where.keepApart((2 * r + 8) / scale);
    for (const { disc, ring, track, halo, label, holds } of this.figures.values()) {
      disc.setAttribute("r", r);
      for (const one of [ring, track]) one.setAttribute("r", r + 1.5);
      halo.setAttribute("r", r + 7);
      label.style.fontSize = `${Math.round(r * 0.82)}px`;
      holds.setAttribute("y", r + 22);
    }
    this.step = -1;
  }

  /** The boxes of the names of rooms on the screen. */
  named() {
    return [this.open, ...this.names.map(({ label }) => label)].filter((label) => label && !label.classList.contains("gone")).map((label) => {
      const { x, y, width, height } = label.getBBox();
      return [x, y, x + width, y + height];
    });
  }

  /** Draw a moment. @param time A step, and how much of it has passed. @param view What is chosen on the page. */
  draw(time, view) {
    const step = Math.min(Math.floor(time + 1e-9), this.life.count - 1);
    if (step < 0) return;
    if (view.follow && view.who && this.life.number.has(view.who) && this.eye.zoom > 1) this.followed(this.where.at(time, view.who));
    const places = new Map(this.life.names.map((name) => [name, this.eye.screen(this.where.at(time, name))]));
    for (const [name, [x, y]] of places) this.figures.get(name).group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    const dressed = `${step} ${view.rooms} ${view.who} ${view.marked?.size ?? ""} ${view.find ?? ""}`;
    if (this.step !== step || this.dressed !== dressed) {
      this.dressed = dressed;
      this.step = step;
      this.dress(step, view);
      if (this.eye.size[0] < 420) this.bubbles.clear();
      else this.bubbles.show(step, new Map(this.life.names.map((name) => [name, this.eye.screen(this.where.drawn(step, name))])), this.eye, this.radius + 4, view.who, this.named());
    }
    const part = time - step;
    this.layer.classList.toggle("away", part > 0.6);
    this.ties.classList.toggle("away", part > 0.6);
    this.bubbles.reveal(view.playing ? part : 1);
  }

  /** Keep somebody in sight. */
  followed(at) {
    const [x, y] = this.eye.screen(at), [wide, high] = this.eye.size;
    if (Math.abs(x - wide / 2) < wide / 6 && Math.abs(y - high / 2) < high / 6) return;
    this.eye.look([this.eye.centre[0] + (at[0] - this.eye.centre[0]) * 0.08, this.eye.centre[1] + (at[1] - this.eye.centre[1]) * 0.08]);
    const step = this.step;
    this.look();
    this.step = step;
  }

  /** What changes from step to step: rings, hands, things, the colour of rooms. */
  dress(step, view) {
    const { acts, lying, topics } = this.life.steps[step];
    const high = this.life.richest(step), r = this.radius + 1.5;
    for (const [name, act] of Object.entries(acts)) {
      const { group, ring, track, holds, hands } = this.figures.get(name);
      const part = act.resources === null ? 1 : Math.max(0, act.resources / high);
      ring.setAttribute("stroke-dasharray", `${part * AROUND * r} ${AROUND * r}`);
      track.classList.toggle("poor", act.resources !== null && act.resources < 0);
      group.classList.toggle("absent", act.away ?? false);
      group.classList.toggle("chosen", view.who === name);
      group.classList.toggle("marked", view.marked?.has(name) ?? false);
      group.classList.toggle("filtered", act.outcome === "filtered");
      const words = `${name} in ${act.place}: ${phrase(act)}${act.resources === null ? "" : `; resources ${amount(act.resources)}`}${act.holds.length ? `; holds ${act.holds.join(", ")}` : ""}`;
      group.setAttribute("aria-label", words);
      group.setAttribute("data-at", this.where.stand(step, name).join(" "));
      group.setAttribute("data-holds", act.holds.join("; "));
      group.setAttribute("aria-pressed", String(view.who === name));
      holds.textContent = act.holds.join(", ");
      fill(hands, act.holds.map((thing, index) => s("rect", { class: `thing ${this.life.valley.things[thing] ?? ""} ${view.find?.toLowerCase() === thing.toLowerCase() ? "found" : ""}`, x: (index - act.holds.length / 2) * 8 + 0.5, y: r + 2, width: 7, height: 7, rx: 1.5 }, s("title", {}, thing))));
    }
    this.shade(step, topics, view.rooms);
    const stacked = new Map();
    fill(this.things, Object.entries(lying).map(([thing, on]) => {
      const at = this.middle.get(on);
      if (!at) return null;
      const index = stacked.get(on) ?? 0;
      stacked.set(on, index + 1);
      const turn = index === 0 ? [0, 0] : [Math.cos(index * 2.1) * 0.28, Math.sin(index * 2.1) * 0.28];
      const found = view.find && thing.toLowerCase() === view.find.toLowerCase();
      return s("circle", { class: `thing ${this.life.valley.things[thing] ?? ""} ${found ? "found" : ""}`, cx: at[0] + turn[0], cy: at[1] + turn[1], r: found ? 0.4 : 0.19 }, s("title", {}, `${thing}, on ${on}`));
    }));
  }

  /** Colour the rooms by their mood, or by how long they have been lived in. */
  shade(step, topics, how) {
    const spent = how === "time" ? this.life.timeSpent(step) : {};
    const most = Math.max(1, ...Object.values(spent));
    for (const [name, { shape, title }] of this.rooms) {
      const value = how === "time" ? (spent[name] ?? 0) / most : how === "mood" ? (topics[name] ?? 0) / this.life.range.topic : 0;
      shape.style.setProperty("--shade", `${Math.round(Math.min(1, Math.abs(value)) * (how === "time" ? 55 : 42))}%`);
      shape.classList.toggle("cold", value < 0);
      shape.classList.toggle("lived", how === "time");
      title.textContent = how === "time" ? `${name}: ${spent[name] ?? 0} resident-steps so far` : how === "mood" && topics[name] ? `${name}: topic ${number(topics[name])}` : name;
    }
  }
}

function doorway(area) {
  const [x, y] = area.door, flat = y === area.box[1] || y === area.box[3];
  return s("line", { class: "door", x1: x - (flat ? 0.7 : 0), x2: x + (flat ? 0.7 : 0), y1: y - (flat ? 0 : 0.7), y2: y + (flat ? 0 : 0.7) });
}

/** "AY" for "AY's Home", "Canteen" for "Public Canteen". */
function short(name) {
  return name.replace(/['\u2019]s? Home$/, "").replace(/^Public /, "");
}
