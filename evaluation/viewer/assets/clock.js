// Where in time the page is: a step and how far the walk to the next one has come.

/** Seconds a step takes at speed 1: enough to read what is said in it. */
const STEP_SECONDS = 4;

/** From which part of a step on people walk to where they are in the next one. */
export const WALK_FROM = 0.62;

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export class Clock {
  /** @param last Gives the last step there is. @param draw Called for each frame. @param turn For each new step. */
  constructor(last, draw, turn) {
    Object.assign(this, { last, draw, turn });
    this.at = 0;
    this.speed = 1;
    this.playing = false;
    this.target = null;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.frame = this.frame.bind(this);
    this.before = null;
  }

  get step() { return Math.min(Math.floor(this.at + 1e-9), this.last()); }

  /** Go to a step at once. */
  go(step) {
    this.target = null;
    this.move(Math.max(0, Math.min(step, this.last())));
    this.draw();
  }

  /** Walk on to the next step, or go back to the one before. */
  by(steps) {
    const to = (this.target ?? this.step) + steps;
    if (steps !== 1 || to > this.last() || this.playing || this.still.matches) return this.go(to);
    this.go(to - 1);
    this.move(to - 1 + WALK_FROM);
    this.target = to;
    return this.run();
  }

  play(on = !this.playing) {
    if (on && this.step >= this.last() && !this.waits) this.go(0);
    this.playing = on;
    this.target = null;
    if (on) this.run();
    else this.go(this.step);
    this.turn(this.step, this.step);
  }

  run() {
    if (this.before === null) {
      this.before = performance.now();
      requestAnimationFrame(this.frame);
    }
  }

  move(at) {
    const before = this.step;
    this.at = at;
    if (this.step !== before) this.turn(this.step, before);
  }

  frame(now) {
    const seconds = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    let at = this.at + (seconds * this.speed) / STEP_SECONDS;
    if (this.target !== null) {
      at = Math.min(this.at + seconds * 0.75, this.target);
      if (at >= this.target) this.target = null;
    } else if (at >= this.last()) {
      at = this.last();
      // A run that goes on may bring the next step any moment.
      if (!this.waits) this.playing = false;
    } else if (this.still.matches && at % 1 > WALK_FROM) at = Math.floor(at) + (at % 1);
    this.move(at);
    this.draw();
    if (this.playing || this.target !== null) requestAnimationFrame(this.frame);
    else {
      this.before = null;
      this.turn(this.step, this.step);
    }
  }
}
