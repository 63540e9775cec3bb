// The page: what is shown, and what follows when somebody does something.

import { TABS, readAddress, writeAddress } from "./address.js";
import { Clock, SPEEDS } from "./clock.js";
import { listenToKeys, makeControls } from "./controls.js";
import { CROWD, Crowd } from "./crowd.js";
import { fill, h } from "./dom.js";
import { findPanel, trace } from "./find_panel.js";
import { icon } from "./icons.js";
import { Life, phrase } from "./life.js";
import { listen } from "./live.js";
import { residentPanel } from "./resident_panel.js";
import { Seat } from "./seat.js";
import { societyPanel } from "./society_panel.js";
import { differing, stepPanel } from "./step_panel.js";
import { Strip } from "./strip.js";
import { Valley } from "./valley.js";
import { whyPanel } from "./why_panel.js";

class Page {
  constructor({ runs, served, live, canPause }) {
    this.served = served;
    // What is looked up stands last in the file: the first picture waits neither until the browser has read it nor for parsing it.
    this.whole = false;
    let later = null;
    const parsed = (index) => (later ??= JSON.parse(this.details))[index];
    this.lives = runs.map((run, index) => new Life(run, () => parsed(index)));
    this.dragged = false;
    this.view = { who: null, tab: "step", call: null, find: "", rooms: this.lives[0].ltrha ? "mood" : "none", follow: false, playing: false, side: 0, marked: null };
    this.stages = this.lives.map((life, side) => new (life.names.length > CROWD ? Crowd : Valley)(life, (who, tab, step) => this.choose(who, tab, side, step)));
    this.clock = new Clock(() => Math.max(0, Math.max(...this.lives.map((life) => life.count)) - 1), () => this.draw(), (step, before) => this.turn(step, before));
    this.strip = new Strip(this.lives[0], (step) => { this.clock.playing = false; this.clock.go(step); }, (who, tab) => this.choose(who, tab, 0));
    this.controls = makeControls(this.deeds());
    this.seat = new Seat(served, () => this.tell());
    this.build();
    listenToKeys(this.deeds());
    addEventListener("hashchange", () => this.follow(location.hash));
    // A stage can change its size where the page does not: when the keys are told, it makes room for them.
    const sizes = new ResizeObserver(() => this.resize());
    for (const one of [this.main, ...this.stages.map((stage) => stage.element)]) sizes.observe(one);
    this.resize();
    const asked = location.hash;
    this.follow(asked);
    if (live && !/step=|call=/.test(asked)) this.clock.go(this.clock.last());
    addEventListener("DOMContentLoaded", () => this.complete(live, canPause));
  }

  /** All of the file is there; the page of a run that has ended is served without what is looked up, and asks for it. */
  async complete(live, canPause) {
    const element = document.getElementById("details");
    element.remove();
    this.details = element.textContent;
    if (this.details === "[]") {
      const answer = await fetch(`${this.served}/details`).catch(() => null);
      if (!answer?.ok) return fill(this.notice, "The program that served this page is not to be reached, so that what is looked up is not here.");
      this.details = await answer.text();
    }
    const waits = this.waitsForCall;
    this.whole = true;
    if (waits) this.follow(location.hash);
    else this.tell();
    if (this.served && !live) this.askForFindings();
    if (live) listen(this.served, this.lives[0].count, this.notice, canPause, { take: (more) => this.take(more), waits: (waits) => { this.clock.waits = waits; }, ask: (question, free) => { this.seat.open(free); this.seat.show(question); }, finish: (head) => this.finish(head), found: (findings) => this.takeFindings(findings) });
  }

  /** Take the findings of runs that have ended; they are tested while the page is open. */
  async askForFindings() {
    const answer = await fetch(`${this.served}/findings`).catch(() => null);
    if (answer?.ok) this.takeFindings(await answer.json());
  }

  /** @param found The findings of each run. */
  takeFindings(found) {
    found.forEach((findings, index) => { this.lives[index].findings = findings; });
    if (found.length) this.tell();
  }

  /** Whether the address names a call, which is not there yet. */
  get waitsForCall() { return !this.whole && location.hash.includes("call="); }

  get life() { return this.lives[this.view.side]; }

  get step() { return Math.min(this.clock.step, this.life.count - 1); }

  build() {
    const { lives, controls } = this;
    this.counted = h("dd", {});
    this.facts = h("dl", { class: "facts" }, this.factsOf(lives[0]));
    this.tabs = Object.entries(TABS).map(([tab, label]) => h("button", {
      type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": "panel", tabindex: "-1", on: { click: () => this.show({ tab }), keydown: (event) => this.along(event) },
    }, label));
    this.panel = h("div", { id: "panel", role: "tabpanel", tabindex: "0" });
    this.caption = h("p", { class: "caption", role: "status", "aria-live": "polite" });
    this.runs = lives.map((life, side) => h("section", { class: "run", "aria-label": lives.length > 1 ? `Run ${life.name}` : "The valley" },
      lives.length > 1 ? h("h2", {}, h("button", { type: "button", class: "side", on: { click: () => this.show({ side }) } }, life.name)) : null, this.stages[side].element));
    this.main = h("main", { class: lives.length > 1 ? "two" : "" }, h("div", { class: "runs" }, this.runs), this.caption, controls.element, this.strip.element, this.strip.legend, controls.help);
    this.notice = h("p", { class: "notice", role: "status" });
    fill(document.body,
      h("a", { class: "skip", href: "#panel", on: { click: (event) => { event.preventDefault(); this.panel.focus(); } } }, "Skip to what is told"),
      h("header", { class: "top" }, h("h1", {}, `A society in ${[...new Set(lives.map((life) => life.valley.name))].join(" and ")}`), this.facts, this.notice),
      this.seat.element,
      h("div", { class: "page" }, this.main, h("aside", { "aria-label": "What is told of it" }, h("div", { role: "tablist", "aria-label": "What is told" }, this.tabs), this.panel)));
    this.stages.forEach((stage, side) => this.steer(stage, side));
    this.count();
  }

  factsOf(life) {
    return [...life.facts.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value))), h("div", {}, h("dt", {}, "Time steps"), this.counted)];
  }

  count() { this.counted.textContent = this.lives.map((life) => (life.asked && life.asked > life.count ? `${life.count} of ${life.asked}` : life.count)).join(" and "); }

  /** Wheel and drag move the eye above a stage; both eyes where there are two. */
  steer(stage, side) {
    let from = null;
    const eyes = () => this.stages.map((one) => one.eye);
    const moved = () => { this.stages.forEach((one) => one.look()); this.draw(); };
    stage.element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && stage.eye.zoom === 1 && event.deltaY > 0) return;
      event.preventDefault();
      const box = stage.element.getBoundingClientRect();
      eyes().forEach((eye) => eye.zoomBy(Math.exp(-event.deltaY / 400), [event.clientX - box.left, event.clientY - box.top]));
      moved();
    }, { passive: false });
    stage.element.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
    stage.element.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons || stage.eye.zoom === 1) return;
      const { scale } = stage.eye;
      eyes().forEach((eye) => eye.look([eye.centre[0] - (event.clientX - from[0]) / scale, eye.centre[1] + (event.clientY - from[1]) / scale]));
      from = [event.clientX, event.clientY];
      this.dragged = true;
      moved();
    });
    stage.side = side;
  }

  /** What buttons and keys do. */
  deeds() {
    const still = () => { this.clock.playing = false; };
    return {
      play: () => this.clock.play(), by: (steps) => { still(); this.clock.by(steps); }, first: () => { still(); this.clock.go(0); }, last: () => { still(); this.clock.go(this.clock.last()); },
      speed: (speed) => { this.clock.speed = speed; }, faster: (by) => this.faster(by), zoom: (factor) => this.zoom(factor), whole: () => this.zoom(0),
      rooms: (rooms) => this.show({ rooms }), follow: () => this.followWho(),
      tab: (tab) => { this.show({ tab, who: this.view.who ?? (tab === "why" || tab === "resident" ? this.life.names[0] : null) }); this.focusPanel(); }, resident: (index) => { if (this.life.names[index]) this.choose(this.life.names[index], this.view.tab === "why" ? "why" : "resident", this.view.side); },
    };
  }

  /** Keep whoever is chosen in sight, from near. */
  followWho() {
    this.show({ follow: !this.view.follow, who: this.view.who ?? this.life.names[0] });
    if (this.view.follow && this.stages[0].eye.zoom === 1) this.zoom(2.2);
  }

  focusPanel() { (this.view.tab === "find" ? this.panel.querySelector("input") : this.panel).focus({ preventScroll: true }); }

  faster(by) {
    this.clock.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.clock.speed) + by))];
    this.controls.speed.value = String(this.clock.speed);
  }

  zoom(factor) {
    if (!this.life.count) return;
    for (const stage of this.stages) {
      if (factor === 0) {
        this.dragged = false;
        stage.eye.reset();
      } else {
        stage.eye.zoomBy(factor);
        if (this.view.who) stage.eye.look(stage.where.at(stage.life.shownAt, this.view.who));
        else if (!this.dragged) stage.eye.look(stage.where.busiest(stage.life.shownAt));
      }
      stage.look();
    }
    this.draw();
  }

  /** Arrow keys within the tabs. */
  along(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const keys = Object.keys(TABS), next = keys[(keys.indexOf(this.view.tab) + by + keys.length) % keys.length];
    this.show({ tab: next });
    document.getElementById(`tab-${next}`).focus();
  }

  choose(who, tab, side, step) {
    if (step !== undefined && step !== this.clock.step) this.clock.go(step);
    this.show({ who, side, tab: this.view.tab === "why" || this.view.tab === "society" ? (tab === "why" ? "why" : this.view.tab) : tab, call: null });
    if (matchMedia("(max-width: 60rem)").matches && tab === "why") this.panel.scrollIntoView({ block: "start" });
  }

  /** Show what a link asks for. */
  follow(hash) {
    if (hash === "#panel") return;
    const { step: asked, ...rest } = readAddress(hash, this.life.names), made = rest.call && this.whole ? this.lives[rest.side ?? this.view.side].calls[rest.call] : null;
    const step = asked ?? made?.time;
    if (made) rest.who ??= made.resident || null;
    if ((rest.tab === "why" || rest.tab === "resident") && !rest.who) rest.who = this.view.who ?? this.life.names[0];
    this.view.side = rest.side ?? this.view.side;
    if (step !== undefined) {
      const first = this.life.steps[0]?.time ?? 0;
      this.clock.playing = false;
      this.clock.go(step - first);
    }
    this.show({ call: null, ...rest });
  }

  /** Change what is shown. */
  show(change) {
    Object.assign(this.view, change);
    if (["why", "resident"].includes(this.view.tab)) this.view.who ??= this.life.names[0];
    const found = this.view.find ? trace(this.life, this.view.find) : null;
    this.found = found;
    this.tell();
    this.draw();
  }

  /** A step has come, or playing has begun or ended. */
  turn(step, before) {
    if (step !== before) this.view.call = null;
    this.view.playing = this.clock.playing;
    this.tell();
  }

  tell() {
    const { view, life, step, controls } = this;
    if (step < 0) {
      fill(this.panel, h("p", { class: "note" }, "The first step is under way."));
      return;
    }
    const other = this.lives[1 - view.side], heading = (tag) => h(tag, { class: "of" }, `Step ${life.steps[step].time}`, life.steps.at(-1).time ? h("small", {}, ` of ${life.steps.at(-1).time}`) : null, this.lives.length > 1 ? h("small", {}, `, ${life.name}`) : null);
    const parts = {
      step: () => [heading("h2"), stepPanel(life, step, other)], resident: () => [heading("p"), residentPanel(life, step, view.who, this.seat.control(view.who))], why: () => whyPanel(life, step, view.who, view.call),
      society: () => societyPanel(life, step, view.who, (who) => this.choose(who, "resident", view.side)), find: () => findPanel(life, view.find, (find) => this.show({ find })),
    }[this.whole || view.tab === "step" ? view.tab : "later"] ?? (() => h("p", { class: "note" }, "The page is still being read."));
    const kept = this.panel.dataset.tab === view.tab ? this.panel.scrollTop : 0, focused = document.activeElement?.id;
    const open = new Set([...this.panel.querySelectorAll("details[open] > summary")].map((one) => one.textContent.replace(/[\d,.]+/g, "")));
    fill(this.panel, parts());
    for (const summary of this.panel.querySelectorAll("details > summary")) if (open.has(summary.textContent.replace(/[\d,.]+/g, "")) && !summary.parentElement.matches(".call")) summary.parentElement.open = true;
    this.panel.dataset.tab = view.tab;
    this.panel.scrollTop = kept;
    if (focused && !document.activeElement?.id) document.getElementById(focused)?.focus({ preventScroll: true });
    if (view.call) document.getElementById(`call-${view.call}`)?.scrollIntoView({ block: "nearest" });
    for (const tab of this.tabs) {
      const chosen = tab.id === `tab-${view.tab}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.setAttribute("tabindex", chosen ? "0" : "-1");
      if (chosen) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    if (controls.play.dataset.playing !== String(this.clock.playing)) fill(controls.play, icon(this.clock.playing ? "pause" : "play"));
    controls.play.dataset.playing = String(this.clock.playing);
    controls.play.setAttribute("aria-label", this.clock.playing ? "Pause" : "Play");
    controls.now.textContent = `step ${life.steps[step].time}`;
    controls.follow.setAttribute("aria-pressed", String(view.follow));
    controls.rooms.value = view.rooms;
    this.caption.textContent = view.who && life.act(step, view.who) ? `${view.who} ${captionOf(life.act(step, view.who))}` : "";
    this.runs.forEach((run, side) => run.classList.toggle("side-shown", this.lives.length > 1 && side === view.side));
    view.marked = other ? differing(life, other, step) : view.find && this.found ? new Set([...this.found.heard, ...[...this.found.spoke].map(([name, at]) => [name, { at }])].filter(([, { at }]) => at <= step).map(([name]) => name)) : null;
    this.strip.update(step, view.find ? this.found?.hits : other ? this.parting() : null);
    const address = writeAddress({ ...view, step: life.steps[step].time });
    if (!this.clock.playing && !this.waitsForCall && location.hash !== address && !(location.hash === "" && step === 0 && address === "#step=0")) history.replaceState(null, "", address);
  }

  /** Steps in which somebody does something else in the other run. */
  parting() {
    const [one, other] = this.lives;
    this.parted ??= new Set(one.steps.map((_, step) => step).filter((step) => differing(one, other, step).size));
    return this.parted;
  }

  draw() {
    for (const stage of this.stages) {
      stage.life.shownAt = Math.min(this.clock.at, Math.max(0, stage.life.count - 1));
      stage.draw(stage.life.shownAt, this.view);
    }
  }

  resize() {
    for (const stage of this.stages) stage.resize();
    this.strip.resize();
    if (this.life.count) {
      this.strip.update(this.step, this.view.find ? this.found?.hits : this.lives[1] ? this.parting() : null);
      this.draw();
    }
  }

  /** The run has ended: take what it says now. */
  finish({ facts, remembered }) {
    Object.assign(this.lives[0], { facts, remembered });
    fill(this.facts, this.factsOf(this.lives[0]));
    this.tell();
  }

  /** Take the steps that a run that goes on has brought. */
  take(more) {
    const atEnd = (this.clock.target ?? this.clock.step) >= this.clock.last();
    this.lives[0].add(more);
    this.count();
    this.resize();
    if (atEnd && !this.clock.playing) this.clock.by(more.steps.length);
    else this.tell();
  }
}

function captionOf(act) {
  if (act.away) return "is away";
  return act.deed.kind === "say" && act.outcome === "executed" ? `to ${act.deed.other}: ${act.deed.text}` : phrase(act) + (act.outcome === "filtered" ? " (filtered)" : "");
}

new Page(JSON.parse(document.getElementById("data").textContent));

