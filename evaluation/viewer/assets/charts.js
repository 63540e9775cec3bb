// Small drawings that move with time: lines up to now, fields as they were seen, who turned to whom.

import { h, number, plural, s } from "./dom.js";

const WIDTH = 360;

/** What two of the lines are, in the words of the report. */
export const DRIVER = "The driver stands for how willing a resident is to act; it follows from the driver before it and the three emotions.";
export const RESOURCES = "Resources are what LTRHA gives to and takes from residents in each step, by how it ranks them; the fewer one has, the more often it is filtered.";

/** Lines over time, strong up to now and faint after; `lines` are {name, className, values}. */
export function lineChart({ title, lines, step, height = 74, chosen = null, note = null }) {
  const known = lines.flatMap((one) => one.values).filter((value) => value !== null && value !== undefined);
  const low = Math.min(0, ...known), high = Math.max(low + 0.1, ...known), count = Math.max(1, ...lines.map((one) => one.values.length));
  const x = (at) => 4 + (at / Math.max(1, count - 1)) * (WIDTH - 8), y = (value) => height - 5 - ((value - low) / (high - low)) * (height - 10);
  const path = (values, from, to) => values.slice(from, to).map((value, index) => (value === null || value === undefined ? "" : `${index === 0 || values[from + index - 1] === null || values[from + index - 1] === undefined ? "M" : "L"}${x(from + index).toFixed(1)} ${y(value).toFixed(1)}`)).join("");
  const drawn = lines.flatMap(({ name, className, values }) => {
    const faded = chosen && chosen !== name ? " other" : "";
    return [
      s("path", { class: `line after ${className}${faded}`, d: path(values, step, count) }),
      s("path", { class: `line ${className}${faded}`, d: path(values, 0, step + 1) }),
      values[step] === null || values[step] === undefined ? null : s("circle", { class: `dot ${className}${faded}`, cx: x(step), cy: y(values[step]), r: 3 }),
    ];
  });
  const zero = low < 0 ? s("line", { class: "zero", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }) : null;
  const now = s("line", { class: "moment", x1: x(step), x2: x(step), y1: 0, y2: height });
  const told = lines.map(({ name, values }) => `${name} ${number(values[step])}`).join(", ");
  return h("figure", { class: "chart" }, h("figcaption", {}, h("span", {}, title), h("small", {}, note ?? `${number(low, 1)} to ${number(high, 1)}`)),
    s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${Array.isArray(title) ? "" : `${title}: `}${told}` }, zero, now, drawn));
}

/** A field as somebody sees it: itself in the middle, ahead is up; rows are [name, kind, phi, metres, …]. */
export function fieldDrawing(title, rows, note, colour) {
  const size = 150, middle = size / 2, reach = Math.max(6, ...rows.map((row) => row[3]));
  const spot = (row) => {
    const away = (Math.sqrt(row[3] / reach)) * (middle - 12);
    return [middle - Math.sin(row[2]) * away, middle - Math.cos(row[2]) * away];
  };
  const dots = rows.map((row) => {
    const [x, y] = spot(row);
    const title = s("title", {}, `${row[0]}, ${number(row[3], 1)} m${row[4] ? `, ${row[4]}` : ""}`);
    if (row[1] === "person") return s("g", { class: `seen-person ${colour(row[0])}` }, title, s("circle", { cx: x, cy: y, r: 8.5 }), s("text", { x, y: y + 3 }, row[0].slice(0, 3)));
    if (row[1] === "door") return s("rect", { class: "seen-door", x: x - 4, y: y - 4, width: 8, height: 8 }, title);
    return s("circle", { class: `seen-${row[1]}`, cx: x, cy: y, r: row[1] === "item" ? 3 : 4.5 }, title);
  });
  const order = { furniture: 0, door: 1, item: 2, person: 3 };
  const sorted = rows.map((row, index) => [order[row[1]] ?? 0, dots[index]]).sort((one, other) => one[0] - other[0]).map(([, dot]) => dot);
  return h("figure", { class: "field" },
    s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `${title}: ${rows.map((row) => row[0]).join(", ") || "nothing"}` },
      s("circle", { class: "horizon", cx: middle, cy: middle, r: middle - 3 }), s("path", { class: "self", d: `M${middle} ${middle - 7}l5 12l-5 -3l-5 3z` }), sorted),
    h("figcaption", {}, h("b", {}, title), note ? h("span", {}, note) : null));
}

/** Who turned to whom so far, as a network: the wider an arrow, the more often; the larger a circle, the more sought. A circle that is clicked chooses. */
export function networkDrawing(names, counts, colour, chosen, choose) {
  const size = 300, middle = size / 2, far = middle - 34;
  const places = names.map((_, index) => {
    const angle = (index / names.length) * 2 * Math.PI - Math.PI / 2;
    return [middle + Math.cos(angle) * far, middle + Math.sin(angle) * far];
  });
  const most = Math.max(1, ...counts.flat()), received = names.map((_, to) => counts.reduce((sum, row) => sum + row[to], 0));
  const sought = Math.max(1, ...received), radius = (index) => 13 + (received[index] / sought) * 13;
  const lines = [];
  counts.forEach((row, from) => row.forEach((count, to) => {
    if (!count) return;
    const [a, b] = [places[from], places[to]], bend = 0.12;
    const control = [(a[0] + b[0]) / 2 + (b[1] - a[1]) * bend, (a[1] + b[1]) / 2 - (b[0] - a[0]) * bend];
    const faded = chosen && names[from] !== chosen && names[to] !== chosen ? " other" : "";
    const width = 1 + (count / most) * 7, away = Math.hypot(b[0] - control[0], b[1] - control[1]), [east, south] = [0, 1].map((k) => (b[k] - control[k]) / away);
    const back = (far) => [b[0] - east * (radius(to) + far), b[1] - south * (radius(to) + far)], point = back(2), end = back(8 + width / 2), half = 2 + width * 0.75;
    const title = () => s("title", {}, `${names[from]} to ${names[to]}: ${count}`);
    lines.push(s("path", { class: `edge ${colour(names[from])}${faded}`, d: `M${a[0]} ${a[1]}Q${control[0]} ${control[1]} ${end[0]} ${end[1]}`, "stroke-width": width }, title()),
      s("path", { class: `edge tip ${colour(names[from])}${faded}`, d: `M${point[0]} ${point[1]}L${end[0] - south * half} ${end[1] + east * half}L${end[0] + south * half} ${end[1] - east * half}Z` }, title()));
  }));
  const nodes = names.map((name, index) => s("g", {
    class: `node ${colour(name)} ${name === chosen ? "chosen" : ""}`, id: `node-${name}`, transform: `translate(${places[index][0]} ${places[index][1]})`, role: "button", tabindex: "0", "aria-pressed": String(name === chosen), "aria-label": `${name}, turned to ${plural(received[index], "time")}`,
    on: { click: () => choose(name), keydown: (event) => { if (event.key === "Enter") choose(name); } },
  }, s("circle", { r: radius(index) }), s("text", { y: 4 }, name), s("title", {}, `${name}: turned to ${plural(received[index], "time")}`)));
  return s("svg", { class: "network", viewBox: `0 0 ${size} ${size}`, role: "group", "aria-label": "Who turned to whom so far" }, lines, nodes);
}

/** How often each turned to each other one so far, as a table whose cells are the darker the more often. */
export function matrixTable(names, counts) {
  const most = Math.max(1, ...counts.flat());
  return h("div", { class: "scroll" }, h("table", { class: "matrix" },
    h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, names.map((name, from) => h("tr", {}, h("th", { scope: "row" }, name), counts[from].map((count, to) => h("td", {
      class: from === to ? "self" : count / most > 0.45 ? "dark" : "",
      style: { "--shade": `${from === to || !count ? 0 : Math.round(12 + (count / most) * 80)}%` },
    }, from === to ? "" : count)))))));
}
