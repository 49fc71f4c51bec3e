// @ts-check
"use strict";

/* Buttons, the slider and keys: how one goes through a run. */

const PACE = 900; // milliseconds of a step that plays at normal speed

class Controls {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    /** @type {number | null} */
    this.timer = null;
    this.listen();
  }

  listen() {
    const { player } = this;
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("first", () => player.go(0));
    on("back", () => player.go(player.moments[0]));
    on("forward", () => player.go(player.moments[1]));
    on("last", () => player.go(player.last));
    on("play", () => this.play());
    on("larger", () => player.resize(ZOOM.step));
    on("smaller", () => player.resize(1 / ZOOM.step));
    on("drop", () => player.tasks.forEach((task) => task.whatIf.supposed !== null && task.whatIf.drop()));
    on("jump", () => player.jump());
    on("strip", () => byId("told").scrollIntoView());
    byId("slider").addEventListener("input", () => player.go(Number(/** @type {HTMLInputElement} */ (byId("slider")).value)));
    byId("together").addEventListener("change", () => {
      player.isByShare = /** @type {HTMLSelectElement} */ (byId("together")).value === "share";
      player.show();
    });
    byId("speed").addEventListener("change", () => {
      if (this.timer === null) return;
      this.play();
      this.play();
    });
    byId("drawings").addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    document.addEventListener("keydown", (event) => this.key(event));
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return; // a phone's address bar comes and goes
      width = window.innerWidth;
      player.fit();
    });
  }

  /** Zooms, where the drawing was clicked before or a key is held: else the page would not scroll past it. @param {WheelEvent} event */
  wheel(event) {
    const canvas = /** @type {Element} */ (event.target).closest(".canvas");
    if (canvas === null || (canvas !== document.activeElement && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    this.player.resize(event.deltaY < 0 ? ZOOM.step : 1 / ZOOM.step, event);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { player } = this;
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const [back, forward] = player.moments;
    const moments = { ArrowLeft: back, ArrowRight: forward, Home: 0, End: player.last };
    if (Object.hasOwn(moments, event.key)) {
      if (target.closest(".scroll") && !event.key.startsWith("Arrow")) return; // there, these keys scroll
      event.preventDefault();
      player.go(moments[/** @type {keyof typeof moments} */ (event.key)]);
    } else if (event.key === " " && !["BUTTON", "SUMMARY", "A"].includes(target.tagName)) {
      event.preventDefault(); // else the page would scroll
      this.play();
    } else if (event.key === "+" || event.key === "-") {
      player.resize(event.key === "+" ? ZOOM.step : 1 / ZOOM.step);
    }
  }

  play() {
    const { player } = this;
    if (this.timer !== null) {
      window.clearInterval(this.timer);
      this.timer = null;
    } else {
      if (player.moment >= player.last) player.go(0);
      const speed = Number(/** @type {HTMLSelectElement} */ (byId("speed")).value);
      this.timer = window.setInterval(() => {
        player.go(player.moments[1]);
        if (player.moment >= player.last) this.play();
      }, PACE / speed);
    }
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
    // a screen reader would not keep up with a run that plays
    byId("reason").setAttribute("aria-live", this.timer === null ? "polite" : "off");
  }

  show() {
    const { moment, last, momentTitle } = this.player;
    const slider = /** @type {HTMLInputElement} */ (byId("slider"));
    slider.value = String(moment);
    slider.setAttribute("aria-valuetext", moment === 0 ? "start" : `step ${moment} of ${last}`);
    for (const id of ["first", "back"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === 0;
    for (const id of ["forward", "last"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === last;
    byId("moment").textContent = `${momentTitle}.`;
  }
}
