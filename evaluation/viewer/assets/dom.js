// Elements made from parts. What is said by models, people and maps comes in as text nodes and attributes only: there
// is no way in these files by which a string becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Properties: `on` has listeners, `style` goes through the CSSOM; null and false are left out. */
export function h(tag, properties = {}, ...children) {
  return dressed(document.createElement(tag), properties, children);
}

/** An SVG element, made as `h` makes others. */
export function s(tag, properties = {}, ...children) {
  return dressed(document.createElementNS(SVG, tag), properties, children);
}

function dressed(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Put these in place of all that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A number with a true minus sign. */
export function number(value, digits = 2) {
  return value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−");
}

/** A number without decimals that say nothing. */
export function amount(value) {
  return value === null || value === undefined ? "–" : String(Number(value.toFixed(2))).replace("-", "−");
}

/** "3 steps", "1 step". */
export function plural(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

/** A name in a circle: "AY", "Anna", "Eli" for "Elisabeth", "JL" for "Jean-Luc". */
export function initials(name) {
  const letters = [...name], parts = name.split(/[\s.'\u2019-]+/).filter(Boolean);
  return letters.length <= 4 ? name : parts.length > 1 ? parts.map((part) => [...part][0]).join("").slice(0, 4) : letters.slice(0, 3).join("");
}

/** A link to a moment, which the page follows without loading anything. */
export function link(hash, ...children) {
  return h("a", { href: `#${hash}` }, ...children);
}
