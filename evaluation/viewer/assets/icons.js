// Signs drawn as shapes: a font may lack them, and show empty boxes.

import { s } from "./dom.js";

/** The drawing of each icon in a square of 16. */
const DRAWN = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  back: "M12 2.5v11l-9-5.5z",
  on: "M2.5 2.5v11l8-5.5zM11.5 2.5h2v11h-2z",
  first: "M2.5 3h1.8v10H2.5zM14 3v10L5.5 8z",
  last: "M11.7 3h1.8v10h-1.8zM2 3v10l8.5-5z",
  nearer: "M7 3h2v4h4v2H9v4H7V9H3V7h4z",
  farther: "M3 7h10v2H3z",
  whole: "M2 2h5v1.8H3.8V7H2zM9 2h5v5h-1.8V3.8H9zM2 9h1.8v3.2H7V14H2zM12.2 9H14v5H9v-1.8h3.2z",
  square: "M2 2h12v12H2z",
  slice: "M8 8V1.5A6.5 6.5 0 0 1 14.5 8z",
};

/** An icon of the height of the text around it. */
export function icon(name) {
  return framed(`icon ${name}`, s("path", { d: DRAWN[name] }));
}

/** The mark of a kind of event as it stands in the strip, in a line of text. */
export function sign(kind) {
  return framed(`icon mark-${kind}`, mark(kind, 8, 8, 5.5));
}

function framed(className, shape) {
  return s("svg", { class: className, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, shape);
}

/** The mark of a kind of event around a point. */
export function mark(kind, x, y, size) {
  const className = `mark ${kind}`, path = (d) => s("path", { class: className, d });
  if (kind === "talk") return s("circle", { class: className, cx: x, cy: y, r: size });
  if (kind === "gift") return path(`M${x} ${y - size - 1}l${size + 1} ${size + 1}l${-size - 1} ${size + 1}l${-size - 1} ${-size - 1}z`);
  if (kind === "filtered") return path(`M${x - size} ${y - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}`);
  if (kind === "failed") return path(`M${x} ${y - size}l${size} ${2 * size}h${-2 * size}z`);
  if (kind === "walk") return path(`M${x - size * 0.4} ${y - size * 0.75}l${size * 0.9} ${size * 0.75}l${-size * 0.9} ${size * 0.75}`);
  if (kind === "vain") return path(`M${x - size} ${y}h${2 * size}`);
  if (kind === "star") return path(star(x, y, size));
  if (kind === "met") return s("circle", { class: "met", cx: x, cy: y, r: size });
  return s("circle", { class: className, cx: x, cy: y, r: Math.max(1, size * 0.38) });
}

/** The outline of a star of five points. */
function star(x, y, size) {
  const points = Array.from({ length: 10 }, (_, index) => {
    const far = index % 2 ? size * 0.42 : size, angle = (index * Math.PI) / 5;
    return `${(x + far * Math.sin(angle)).toFixed(2)} ${(y - far * Math.cos(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}z`;
}
