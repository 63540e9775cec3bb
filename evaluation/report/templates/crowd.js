// The report of many residents: finds residents by name or words, draws the lines of those picked, and tells their stories.
"use strict";
const MOST = 6, SVG = "http://www.w3.org/2000/svg";
const by = (id) => document.getElementById(id);

/** An element with attributes and children, which are elements or text. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.flat().filter((child) => child !== null && child !== ""));
  return element;
}

/** The data of the page, which lies in it compressed. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const fixed = (value, digits = 2) => (value === null ? "–" : value.toFixed(digits).replace("-", "−"));
const amount = (value) => fixed(value).replace(/\.?0+$/, "");

unpacked(by("crowd").textContent).then((crowd) => {
  const { names, panels, curves, steps } = crowd;
  const slots = new Array(MOST).fill(null);  // Whose each colour is.
  const boxes = names.map((name, who) => {
    const box = h("input", { type: "checkbox", value: who });
    box.addEventListener("change", () => pick(who, box.checked));
    return box;
  });
  const counts = names.map(() => h("small"));
  by("people").append(...names.map((name, who) => h("li", {}, h("label", { title: name }, boxes[who], " ", h("span", { class: "dot", "aria-hidden": "true" }), name, " ", counts[who]))));
  let words = "";

  const picked = () => slots.flatMap((who, slot) => (who === null ? [] : [[who, slot]]));
  const dot = (slot) => h("span", { class: `dot r${slot}`, "aria-hidden": "true" });

  function pick(who, on) {
    const slot = slots.indexOf(on ? null : who);
    if (slots.includes(who) === on || slot < 0) return;
    slots[slot] = on ? who : null;
    show();
  }

  function show() {
    const full = !slots.includes(null);
    boxes.forEach((box, who) => {
      const slot = slots.indexOf(who);
      box.checked = slot >= 0;
      box.disabled = full && slot < 0;
      box.nextElementSibling.className = slot < 0 ? "dot" : `dot r${slot}`;
    });
    const links = picked().map(([who, slot]) => h("li", {}, h("a", { href: `#story-${who}` }, dot(slot), names[who])));
    document.querySelectorAll("nav.top .of-picked").forEach((one) => one.remove());
    links.forEach((one, index) => one.classList.add("of-picked", ...(index ? [] : ["gap"])));
    document.querySelector("nav.top ul").append(...links);
    panels.forEach(draw);
    tell();
  }

  function draw({ group, quantity, box: [left, top, right, bottom], time: [first, last], value: [low, high] }) {
    const svg = by(group)?.closest("svg");
    if (!svg) return;
    let layer = svg.querySelector(`.picked-${quantity}`);
    if (!layer) svg.append(layer = document.createElementNS(SVG, "g")), layer.classList.add(`picked-${quantity}`);
    const x = (time) => left + (right - left) * (time - first) / (last - first), y = (value) => bottom - (bottom - top) * (value - low) / (high - low);
    const drawn = [], ends = [];
    for (const [who, slot] of picked()) {
      const { time, [quantity]: values } = curves[who];
      let line = "";
      values.forEach((value, index) => {
        if (value !== null) line += `${line && values[index - 1] !== null ? "L" : "M"}${x(time[index]).toFixed(1)} ${y(value).toFixed(1)}`;
      });
      if (!line) continue;
      const path = document.createElementNS(SVG, "path"), title = document.createElementNS(SVG, "title");
      path.setAttribute("d", line);
      path.setAttribute("class", `line r${slot}`);
      title.textContent = names[who];
      path.append(title);
      drawn.push(path);
      const known = values.findLastIndex((value) => value !== null);
      ends.push({ who, slot, at: y(values[known]) });
    }
    if (!group.includes("-narrow-")) {
      ends.sort((one, other) => one.at - other.at);
      ends.forEach((end, index) => {
        end.at = Math.max(end.at, index ? ends[index - 1].at + 11 : top);
        const text = document.createElementNS(SVG, "text");
        text.setAttribute("x", right + 5);
        text.setAttribute("y", end.at + 3.5);
        text.setAttribute("class", `end r${end.slot}`);
        text.textContent = names[end.who].length > 9 ? `${names[end.who].slice(0, 8)}…` : names[end.who];
        drawn.push(text);
      });
    }
    layer.replaceChildren(...drawn);
  }

  /** What of a step is searched. */
  const said = (step) => [step.place, step.goal, step.thought, step.action, step.result, step.failure, ...step.seen, ...step.messages.map((one) => one.text)].join("\n").toLowerCase();
  const texts = steps.map((own) => own.map(() => null));
  const holds = (who, index) => words !== "" && (texts[who][index] ??= said(steps[who][index])).includes(words);

  function find() {
    words = by("search").value.trim().toLowerCase();
    const named = names.map((name) => name.toLowerCase().includes(words));
    // A short word would be found in nearly everything.
    const deep = words.length > 2;
    const hits = steps.map((own, who) => (deep ? own.filter((_, index) => holds(who, index)).length : 0));
    let shown = 0;
    names.forEach((_, who) => {
      const here = named[who] || hits[who] > 0;
      shown += here;
      boxes[who].closest("li").hidden = !here;
      counts[who].textContent = hits[who] ? `${hits[who]} steps` : "";
    });
    document.querySelectorAll("tr[data-who]").forEach((row) => { row.hidden = !(named[row.dataset.who] || hits[row.dataset.who] > 0); });
    by("found").textContent = words ? `${shown} of ${names.length} residents found.` : `${names.length} residents.`;
    document.querySelectorAll("article.step").forEach((one) => one.classList.toggle("hit", deep && holds(one.dataset.who, one.dataset.index)));
  }

  function tell() {
    const open = new Map([...document.querySelectorAll("details.story")].map((one) => [one.id, one]));
    by("told").replaceChildren(...picked().map(([who, slot]) => {
      const known = open.get(`story-${who}`);
      if (known) return (known.className = `story r${slot}`, known);
      const story = h("details", { class: `story r${slot}`, id: `story-${who}` }, h("summary", {}, h("span", { class: "dot", "aria-hidden": "true" }), names[who], " ", h("small", {}, `${steps[who].length} time ${steps[who].length === 1 ? "step" : "steps"}`)));
      story.addEventListener("toggle", () => fill(story, who));
      return story;
    }));
  }

  function fill(story, who) {
    if (story.childElementCount > 1) return;
    if (crowd.habitus[who]) story.append(h("details", { class: "more" }, h("summary", {}, `Habitus of ${names[who]}`), h("pre", {}, crowd.habitus[who])));
    story.append(...steps[who].map((step, index) => article(who, step, steps[who][index - 1], index)));
    find();
  }

  function article(who, step, before, index) {
    const list = (items) => h("ul", { class: "heard" }, items.map((item) => h("li", {}, item)));
    const values = (...pairs) => pairs.map(([label, value]) => h("span", {}, label && h("i", {}, label), value));
    const notes = { filtered: crowd.filteredNote, inadmissible: "(Not admissible)", failed: `No action: ${step.failure ?? "a model call failed"}` };
    const note = notes[step.outcome];
    const action = [note ? h("span", { class: "held" }, note, " ") : "", step.outcome === "failed" ? "" : h("span", { class: "action" }, step.action ?? "wait")];
    if (crowd.view) action.push(" ", h("a", { class: "see", href: `${crowd.view}#step=${step.time}&who=${encodeURIComponent(names[who])}&tab=why` }, "Why?"));
    const rows = [
      ["Observation", h("details", { class: "seen" }, h("summary", {}, step.observation))],
      ["Seen", step.seen.length && list(step.seen)],
      ["Heard", step.messages.length && list(step.messages.map((one) => `${one.sender} to ${one.addressee}: ${one.text}`))],
      ["Decided by", step.person && "a person, in its place"],
      ["Thought", step.thought, "thought"],
      ["Goal", step.goal, before?.goal === step.goal ? "same-goal" : ""],
      ["Plan", step.plan.join("; ")],
      ["Action", action],
      ["Result", step.result],
      ["Driver", values(["", fixed(step.driver, 4)]), "values"],
      ["Emotion", values(...["pleasure", "arousal", "dominance"].map((one) => [one, fixed(step[one], 3)])), "values"],
      ["Society", step.resources !== null && values(["resources", amount(step.resources)], ["rate", fixed(step.rate)], ...(step.topic === null ? [] : [["topic", fixed(step.topic)]])), "values"],
    ];
    const shown = rows.filter(([, what]) => what).flatMap(([label, what, kind]) => [h("dt", {}, label), h("dd", kind ? { class: kind } : {}, ...[what].flat())]);
    const id = `s${who}-${step.time}`;
    return h("article", { class: "step", id, "data-who": who, "data-index": index, "aria-label": `${names[who]}, time step ${step.time}` },
      h("h3", {}, h("a", { href: `#${id}` }, h("small", {}, "Time step"), ` ${step.time}`)),
      h("div", { class: "what" }, h("p", { class: "where" }, step.place), h("dl", {}, ...shown)));
  }

  /** Follow a link to somebody's story, or to a step of it. */
  function follow() {
    const [, who, time] = /^#(?:story-|s)(\d+)(?:-(\d+))?$/.exec(location.hash) ?? [];
    if (who === undefined || !names[who]) return;
    if (!slots.includes(+who) && !slots.includes(null)) slots[MOST - 1] = null;
    pick(+who, true);
    const story = by(`story-${who}`);
    story.open = true;
    fill(story, +who);
    (time === undefined ? story : by(`s${who}-${time}`) ?? story).scrollIntoView();
  }

  crowd.picked.slice(0, MOST).forEach((who, slot) => { slots[slot] = who; });
  by("search").addEventListener("input", find);
  by("none").addEventListener("click", () => { slots.fill(null); show(); });
  addEventListener("hashchange", follow);
  by("picker").hidden = false;
  show();
  find();
  follow();
});
