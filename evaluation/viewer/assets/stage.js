// What both ways to draw the valley share: the eye above it, and where everybody is between two steps.

import { WALK_FROM } from "./clock.js";

/** A whole turn, in radians. */
export const AROUND = 2 * Math.PI;

/** Metres around the map, for the names of rooms. */
const MARGIN = 2.4;

/** How often people who are drawn too near to one another are moved apart, at most. */
const ROUNDS = 150;

/** Looks down on the valley: metres on the map become pixels on the screen, north up. */
export class Eye {
  constructor(valley) {
    const boxes = valley.grounds.map((one) => one.box);
    this.bounds = [0, 1].map((k) => Math.min(...boxes.map((box) => box[k])) - MARGIN)
      .concat([2, 3].map((k) => Math.max(...boxes.map((box) => box[k])) + MARGIN));
    this.size = [1, 1];
    this.centre = [(this.bounds[0] + this.bounds[2]) / 2, (this.bounds[1] + this.bounds[3]) / 2];
    this.zoom = 1;
  }

  get whole() {
    const [west, south, east, north] = this.bounds;
    return Math.min(this.size[0] / (east - west), this.size[1] / (north - south));
  }

  /** Pixels a metre. */
  get scale() { return this.whole * this.zoom; }

  reset() {
    this.zoom = 1;
    this.centre = [(this.bounds[0] + this.bounds[2]) / 2, (this.bounds[1] + this.bounds[3]) / 2];
  }

  /** Zoom by a factor, with a point of the screen staying where it is. */
  zoomBy(factor, [x, y] = [this.size[0] / 2, this.size[1] / 2]) {
    const before = this.point([x, y]);
    const most = Math.max(6, 40 / this.whole);
    this.zoom = Math.min(most, Math.max(1, this.zoom * factor));
    const after = this.point([x, y]);
    this.look([this.centre[0] + before[0] - after[0], this.centre[1] + before[1] - after[1]]);
  }

  /** Look at a point of the map, as far as the map reaches. */
  look(centre) {
    this.centre = [0, 1].map((k) => {
      const half = this.size[k] / this.scale / 2, low = this.bounds[k] + half, high = this.bounds[k + 2] - half;
      return low > high ? (this.bounds[k] + this.bounds[k + 2]) / 2 : Math.min(high, Math.max(low, centre[k]));
    });
  }

  screen([x, y]) {
    return [this.size[0] / 2 + (x - this.centre[0]) * this.scale, this.size[1] / 2 - (y - this.centre[1]) * this.scale];
  }

  point([x, y]) {
    return [this.centre[0] + (x - this.size[0] / 2) / this.scale, this.centre[1] - (y - this.size[1] / 2) / this.scale];
  }
}

/** Where everybody stands and walks. */
export class Whereabouts {
  constructor(life) {
    this.life = life;
    this.places = new Map([...life.valley.grounds, ...life.valley.areas].map((one) => [one.name, one]));
    this.gap = 0;
    this.spread = new Map();
  }

  /** Draw people at least so many metres apart, so that each is seen; 0 draws them where they are. */
  keepApart(gap) {
    this.gap = gap;
    this.spread.clear();
  }

  /** Where somebody is drawn in a step: where it stands, but for a step aside where somebody else is drawn. */
  drawn(step, who) {
    if (!this.gap) return this.stand(step, who);
    if (!this.spread.has(step)) this.spread.set(step, this.apart(step));
    return this.spread.get(step).get(who);
  }

  apart(step) {
    const spots = this.life.names.map((name) => ({ name, place: this.life.act(step, name).place, at: [...this.stand(step, name)] }));
    let moved = true;
    for (let round = 0; moved && round < ROUNDS; round += 1) {
      moved = false;
      spots.forEach((one, index) => spots.slice(index + 1).forEach((other) => {
        const [east, north] = [other.at[0] - one.at[0], other.at[1] - one.at[1]], far = Math.hypot(east, north);
        if (far >= this.gap - 0.01) return;
        moved = true;
        // A little to the side, too: in a row along a wall nobody could give way otherwise.
        const [x, y] = far > 0.01 ? [east / far - (0.2 * north) / far, north / far + (0.2 * east) / far] : [Math.cos(index * 2.4), Math.sin(index * 2.4)], push = (this.gap - far) / 2;
        one.at = [one.at[0] - x * push, one.at[1] - y * push];
        other.at = [other.at[0] + x * push, other.at[1] + y * push];
      }));
      for (const spot of spots) {
        const { box } = this.places.get(spot.place), inside = Math.min(this.gap / 2, (box[2] - box[0]) / 4);
        spot.at = [0, 1].map((k) => Math.min(Math.max(spot.at[k], box[k] + inside), box[k + 2] - inside));
      }
    }
    return new Map(spots.map(({ name, at }) => [name, at]));
  }

  /** Where somebody is seen to stand in a step; in the middle of the place where the run does not say. */
  stand(step, who) {
    const act = this.life.act(step, who), { box } = this.places.get(act.place);
    return act.at ? act.at.slice(0, 2) : [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  }

  /** Where somebody is at any time: still for most of a step, then on the way through doors to the next place. */
  at(time, who) {
    const step = Math.min(Math.floor(time + 1e-9), this.life.count - 1), part = time - step;
    const here = this.drawn(step, who);
    if (part <= WALK_FROM || step + 1 >= this.life.count) return here;
    const way = [here, ...this.doors(step, who), this.drawn(step + 1, who)];
    return along(way, smooth((part - WALK_FROM) / (1 - WALK_FROM)));
  }

  /** The middle of the place where most people are. */
  busiest(time) {
    const counts = new Map();
    for (const act of Object.values(this.life.steps[Math.floor(time)].acts)) counts.set(act.place, (counts.get(act.place) ?? 0) + 1);
    const [[place]] = [...counts].sort(([, one], [, two]) => two - one), { box } = this.places.get(place);
    return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  }

  /** The doors or gates between where somebody is in a step and in the next. */
  doors(step, who) {
    const [here, there] = [this.life.act(step, who).place, this.life.act(step + 1, who).place];
    if (here === there) return [];
    const [from, to] = [this.places.get(here), this.places.get(there)];
    if (!from.door && !to.door) {
      const road = this.life.valley.roads.find((one) => one.ends.includes(here) && one.ends.includes(there));
      return road ? (road.ends[0] === here ? road.gates : [...road.gates].reverse()) : [];
    }
    return [from.door, to.door].filter(Boolean);
  }
}

function smooth(part) { return part * part * (3 - 2 * part); }

function along(way, part) {
  const lengths = way.slice(1).map((end, index) => Math.hypot(end[0] - way[index][0], end[1] - way[index][1]));
  let left = part * lengths.reduce((sum, one) => sum + one, 0);
  for (const [index, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      return [0, 1].map((k) => way[index][k] + ((way[index + 1][k] - way[index][k]) * left) / length);
    }
    left -= length;
  }
  return way.at(-1);
}

/** Metres from side to side of each kind of furniture, as it is drawn: [along the wall, across]. */
export const SIZES = {
  table: [1.5, 1.0], chair: [0.55, 0.55], bed: [1.3, 2.0], bookshelf: [1.5, 0.5], countertop: [1.4, 0.7],
  foodshelf: [1.3, 0.5], sinkbasin: [0.9, 0.7], storagebin: [0.8, 0.8], stoveburner: [0.9, 0.7], wardrobe: [1.3, 0.7],
  nightstand: [0.6, 0.6],
};

/** The rectangle of a piece of furniture, turned to the nearer wall and kept within its room: [x, y, width, height]. */
export function footprint(piece, box) {
  let [width, height] = SIZES[piece.kind] ?? [0.9, 0.9];
  const side = Math.min(piece.at[0] - box[0], box[2] - piece.at[0]), end = Math.min(piece.at[1] - box[1], box[3] - piece.at[1]);
  if (side < end && piece.kind !== "table" && piece.kind !== "bed") [width, height] = [height, width];
  const x = Math.min(Math.max(piece.at[0], box[0] + width / 2 + 0.15), box[2] - width / 2 - 0.15);
  const y = Math.min(Math.max(piece.at[1], box[1] + height / 2 + 0.15), box[3] - height / 2 - 0.15);
  return [x - width / 2, y - height / 2, width, height];
}
