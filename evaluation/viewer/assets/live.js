// A run that goes on: its steps come as a stream of events; who looks may pause it where the page is its run's own.

import { fill, h } from "./dom.js";

const ENDED = { finished: "The run is finished.", stopped: "The run was stopped.", failed: "The run broke off." };

/** @param take Called with the steps that have come. @param waits With whether more may come. @param ask With the question that waits for a person, or null, and who can be taken over. @param finish With what is said at the end. @param found With the findings that come after it. */
export function listen(address, seen, notice, canPause, { take, waits, ask, finish, found }) {
  const source = new EventSource(`${address}/events?seen=${seen}`);
  const wish = (what) => fetch(`${address}/wish`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ wish: what }) });
  const button = (label, what) => h("button", { type: "button", on: { click: () => wish(what) } }, label);
  const say = (text, ...buttons) => fill(notice, h("span", { class: "live" }, text), buttons);
  let over = false;
  const end = (text) => {
    over = true;
    ask(null, {});
    waits(false);
    say(text);
  };
  waits(true);
  say("The run goes on …");
  source.addEventListener("message", (event) => {
    const more = JSON.parse(event.data);
    // After a gap in the connection the stream begins anew.
    const first = more.steps.findIndex((step) => step.time >= seen);
    if (first < 0) return;
    seen = more.steps.at(-1).time + 1;
    take({ steps: more.steps.slice(first), details: more.details.slice(first), calls: more.calls });
  });
  source.addEventListener("state", (event) => {
    const { paused, question, free } = JSON.parse(event.data);
    ask(question, free);
    if (question) say(`The run waits for you as ${question.resident}.`);
    else if (!canPause) say("The run goes on …");
    else if (paused) say("The run waits.", button("Go on", "go on"), button("One step", "step"));
    else say("The run goes on …", button("Pause the run", "pause"));
  });
  source.addEventListener("end", (event) => {
    const head = JSON.parse(event.data);
    finish(head);
    end(ENDED[head.status] ?? `The run is ${head.status}.`);
  });
  source.addEventListener("findings", (event) => {
    source.close();
    found(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    if (over) source.close();
    else if (source.readyState === EventSource.CLOSED) end("The run is not to be reached any more.");
    else say("Waiting for the run …");
  });
}
