/* Buttons, the slider and keys: how one goes through a run. A step that plays stays as long as its reason takes to
 * read. */

// milliseconds of a step at normal speed, of each word, and words that count
const PACE = { least: 600, word: 230, most: 40 };
const SPEEDS = { slow: 0.5, normal: 1, fast: 2.5, faster: 8 };

class Controls {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    /** @type {number | null} */
    this.timer = null;
    /** what is played, and whether over and over @type {{from: number, to: number, isLoop: boolean}} */
    this.range = { from: 0, to: Infinity, isLoop: false };
    this.listen();
  }

  get speed() {
    return inputOf("speed");
  }

  listen() {
    const { player } = this;
    onClick("first", () => player.go(0));
    onClick("back", () => player.go(player.moments[0]));
    onClick("forward", () => player.go(player.moments[1]));
    onClick("last", () => player.go(player.last));
    onClick("play", () => this.play());
    onClick("larger", () => player.resize(ZOOM.step));
    onClick("smaller", () => player.resize(1 / ZOOM.step));
    onClick("drop", () => player.tasks.forEach((task) => task.whatIf.supposed !== null && task.whatIf.drop()));
    onClick("jump", () => player.jump());
    onClick("present", () => this.present());
    onClick("logic", () => {
      player.showLogic(!player.hasLogic);
      player.show();
    });
    const [slider, together] = [inputOf("slider"), inputOf("together")];
    slider.addEventListener("input", () => player.go(Number(slider.value)));
    together.addEventListener("change", () => {
      player.isByShare = together.value === "share";
      player.show();
    });
    byId("drawings").addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("fullscreenchange", () => {
      if (document.fullscreenElement === null && this.isPresenting) this.present();
    });
    let { innerWidth, innerHeight } = window;
    window.addEventListener("resize", () => {
      // a phone's address bar comes and goes
      if (window.innerWidth === innerWidth && (player.isNarrow || window.innerHeight === innerHeight)) return;
      ({ innerWidth, innerHeight } = window);
      player.fit();
    });
  }

  get isPresenting() {
    return document.body.classList.contains("presenting");
  }

  /** Shows the drawing, its sentence and these controls alone, as large as they can be; or all again. */
  present() {
    const isOn = document.body.classList.toggle("presenting");
    byId("present").setAttribute("aria-pressed", String(isOn));
    if (isOn && document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => {});
    else if (!isOn && document.fullscreenElement !== null) document.exitFullscreen();
    window.scrollTo(0, 0);
    this.player.fit();
    this.player.show();
  }

  /** Zooms, where the drawing was clicked before or a key is held: else the page would not scroll past it.
   *  @param {WheelEvent} event */
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
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
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
    } else if (event.key === "Escape" && this.isPresenting) this.present();
  }

  /** Where playing ends. */
  get end() {
    return Math.min(this.range.to, this.player.last);
  }

  /** Plays, or pauses. */
  play() {
    const { player } = this;
    if (this.timer !== null) {
      window.clearTimeout(this.timer);
      this.timer = null;
    } else {
      if (player.moment >= this.end) player.go(this.range.from);
      this.wait();
    }
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
    byId("play").classList.toggle("playing", this.timer !== null);
    // a screen reader would not keep up with a run that plays
    byId("reason").setAttribute("aria-live", this.timer === null ? "polite" : "off");
  }

  /** Goes on when the reason has been read. */
  wait() {
    const words = (byId("reason").textContent ?? "").split(/\s+/).length;
    const speed = SPEEDS[/** @type {keyof typeof SPEEDS} */ (this.speed.value)];
    const pause = (PACE.least + PACE.word * Math.min(words, PACE.most)) / speed;
    this.timer = window.setTimeout(() => {
      const { player } = this;
      const isOver = player.moment >= this.end;
      if (isOver && !this.range.isLoop) return this.play();
      player.go(isOver ? this.range.from : player.moments[1]);
      if (player.moment >= this.end && !this.range.isLoop) this.play();
      else this.wait();
    }, pause);
  }

  show() {
    const { moment, last, momentTitle } = this.player;
    const slider = inputOf("slider");
    slider.value = String(moment);
    slider.setAttribute("aria-valuetext", moment === 0 ? "start" : `step ${moment} of ${last}`);
    for (const id of ["first", "back"]) inputOf(id).disabled = moment === 0;
    for (const id of ["forward", "last"]) inputOf(id).disabled = moment === last;
    byId("moment").textContent = momentTitle;
  }
}
