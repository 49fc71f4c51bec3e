// @ts-check
"use strict";

/* The page: a timeline, drawings side by side, the reason of a step, an element with all that was seen there, tables. */

const PACE = 900; // milliseconds of a step that plays at normal speed
const MOST_SENTENCES = 12;

class Player {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    this.words = new Words(page);
    this.sides = page.sides.map((/** @type {any} */ each) => Side.read(page, each));
    const select = (/** @type {string} */ at, /** @type {number} */ element) => this.select(at, element);
    this.teller = new Teller(page, this.words);
    this.tables = new Tables(page, this.words, this.teller, select);
    this.whatIf = new WhatIf(
      page,
      this.words,
      this.sides[0],
      (side) => this.suppose(side),
      (problem) => {
        byId("reason").replaceChildren(make("p", { class: "wrong" }, problem));
      },
    );
    this.panel = new Panel(page, this.words, this.teller, this.whatIf);
    this.moment = 0;
    this.zoom = 1;
    /** @type {number | null} */
    this.timer = null;
    /** @type {{at: string, element: number} | null} */
    this.selected = null;
    byId("title").textContent = `${page.algorithm.name} on ${page.graph_name}`;
    byId("about").textContent = page.algorithm.about;
    byId("part").textContent = page.part === null ? "" : page.part.told;
    byId("part").hidden = page.part === null;
    this.share = new Share(this);
    this.listen();
    this.build();
    this.followHash();
    this.show();
  }

  get momentTitle() {
    return this.moment === 0 ? "Start" : `Step ${this.moment} of ${this.last}`;
  }

  /** Where the page stands, as the end of an address: "#step=7&node=2". */
  get hash() {
    return `#step=${this.moment}${this.selected === null ? "" : `&${this.selected.at}=${this.selected.element}`}`;
  }

  /** Goes where the end of the address says. */
  followHash() {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const at of ["node", "edge"]) {
      const element = Number(asked.get(at) ?? NaN);
      if (Number.isInteger(element) && element >= 0 && element < this.sides[0].graph.counts[at]) this.selected = { at, element };
    }
    const step = Number(asked.get("step") ?? NaN);
    if (Number.isInteger(step)) this.moment = Math.max(0, Math.min(this.last, step));
  }

  get last() {
    return Math.max(...this.sides.map((/** @type {Side} */ side) => side.steps));
  }

  /** The moments before and after this one; on a part of a graph, those at which something in it changes. @returns {[number, number]} */
  get moments() {
    const { moment, last, news } = this;
    if (this.page.part === null) return [moment - 1, moment + 1];
    return [news.findLast((each) => each < moment) ?? 0, news[countUpTo(news, moment)] ?? last];
  }

  /** Everything that depends on which runs there are. */
  build() {
    const { page, sides } = this;
    const names = [...new Set([...Object.keys(page.algorithm.outputs), ...page.algorithm.state])];
    /** @type {number[]} the moments at which something is new */
    this.news = [...new Set(sides.flatMap((/** @type {Side} */ side) => momentsOf(side, names)))].sort((a, b) => a - b);
    this.classes = { node: classesAt(page, sides, "node"), edge: classesAt(page, sides, "edge") };
    byId("slider").setAttribute("max", String(this.last));
    for (const each of [document.querySelector("main"), byId("chosen"), byId("reason")]) {
      each?.classList.toggle("several", sides.length > 1);
    }
    const Kind = Object.hasOwn(LAYOUTS, page.algorithm.layout.form) ? BoxDrawing : GraphDrawing;
    this.drawings = sides.map(
      (/** @type {Side} */ side) =>
        new Kind(page, side, this.words, /** @type {any} */ (this.classes), (at, element) => this.select(at, element)),
    );
    byId("drawings").replaceChildren(
      ...sides.map((/** @type {Side} */ side, /** @type {number} */ i) => {
        const caption = make("figcaption", {}, `by ${side.by}`);
        if (side.difference !== null)
          caption.append(" ", make("span", { class: "wrong" }, this.teller.differenceInWords(side)));
        if (side.stopped === "limit") caption.append(" ", make("span", { class: "wrong" }, endInWords(side).toLowerCase()));
        const isAlone = sides.length === 1 && side.difference === null && side.stopped !== "limit";
        const canvas = make("div", { class: "canvas" });
        canvas.append(this.drawings[i].root);
        return make("figure", {}, ...(isAlone ? [] : [caption]), canvas, make("p", { class: "whole" }));
      }),
    );
    byId("jump").hidden = !sides.some((/** @type {Side} */ side) => side.difference !== null);
    byId("drop").hidden = this.whatIf.supposed === null;
    byId("legend").replaceChildren(...legendOf(/** @type {any} */ (this.classes), this.drawings[0]));
    byId("rules").replaceChildren(...programsOf(page, sides));
    this.tables.build(sides);
    this.fit();
  }

  fit() {
    const canvases = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".canvas"));
    // on a narrow screen many nodes need room, however low the window is; few leave some for the reason below
    const isNarrow = window.innerWidth < 600;
    const many = isNarrow ? Math.min(900, 75 * Math.sqrt(this.page.graph.nodes.length)) : 0;
    const height = Math.max(isNarrow ? 300 : 380, window.innerHeight * (isNarrow ? 0.48 : 0.66), many);
    canvases.forEach((canvas, i) => {
      this.drawings[i].fit(Math.max(260, canvas.clientWidth), height, this.zoom);
    });
    this.draw();
    this.reveal();
  }

  /** Scrolls the drawings to what is chosen; before that, to a source, where there is one. */
  reveal() {
    for (const drawing of this.drawings) drawing.reveal(this.selected);
  }

  /** Shows a run that is supposed beside the others, or none any more. @param {Side | null} side */
  suppose(side) {
    this.sides = [...this.sides.slice(0, this.page.sides.length), ...(side === null ? [] : [side])];
    this.moment = Math.min(this.moment, this.last);
    this.build();
    this.show();
    byId(side === null ? "play" : "drop").focus({ preventScroll: true }); // the button that was pressed is gone
  }

  listen() {
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("first", () => this.go(0));
    on("back", () => this.go(this.moments[0]));
    on("forward", () => this.go(this.moments[1]));
    on("last", () => this.go(this.last));
    on("play", () => this.play());
    on("larger", () => this.resize(1.25));
    on("smaller", () => this.resize(0.8));
    on("drop", () => this.whatIf.drop());
    on("jump", () => this.jump());
    byId("slider").addEventListener("input", () => this.go(Number(/** @type {HTMLInputElement} */ (byId("slider")).value)));
    byId("speed").addEventListener("change", () => {
      if (this.timer === null) return;
      this.play();
      this.play();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => {
      this.followHash();
      this.show();
      this.reveal();
    });
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return; // a phone's address bar comes and goes
      width = window.innerWidth;
      this.fit();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.tagName === "INPUT" || target.tagName === "SELECT";
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const [back, forward] = this.moments;
    const moments = { ArrowLeft: back, ArrowRight: forward, Home: 0, End: this.last };
    if (Object.hasOwn(moments, event.key)) {
      if (target.closest(".scroll, .canvas") && !event.key.startsWith("Arrow")) return; // there, these keys scroll
      event.preventDefault();
      this.go(moments[/** @type {keyof typeof moments} */ (event.key)]);
    } else if (event.key === "p") {
      this.play();
    } else if (event.key === "+" || event.key === "-") {
      this.resize(event.key === "+" ? 1.25 : 0.8);
    }
  }

  /** @param {number} moment */
  go(moment) {
    this.moment = Math.max(0, Math.min(this.last, moment));
    this.show();
  }

  jump() {
    const side = this.sides.find((/** @type {Side} */ each) => each.difference !== null);
    const isShown = side.difference.element < side.graph.counts[side.difference.at];
    if (side.difference.element !== null && side.difference.at !== "link" && isShown)
      this.selected = { at: side.difference.at, element: side.difference.element };
    this.go(side.difference.step);
  }

  play() {
    if (this.timer !== null) {
      window.clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.moment >= this.last) this.go(0);
      const speed = Number(/** @type {HTMLSelectElement} */ (byId("speed")).value);
      this.timer = window.setInterval(() => {
        this.go(this.moments[1]);
        if (this.moment >= this.last) this.play();
      }, PACE / speed);
    }
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
    // a screen reader would not keep up with a run that plays
    byId("reason").setAttribute("aria-live", this.timer === null ? "polite" : "off");
  }

  /** @param {number} factor */
  resize(factor) {
    this.zoom = Math.min(4, Math.max(0.4, this.zoom * factor));
    this.fit();
  }

  /** @param {string} at @param {number} element */
  select(at, element) {
    this.selected = { at, element };
    this.show();
    this.reveal();
  }

  draw() {
    this.drawings.forEach((/** @type {GraphDrawing | BoxDrawing} */ drawing, /** @type {number} */ i) => {
      drawing.show(
        this.moment,
        this.selected,
        this.sides[i].difference !== null && this.moment >= this.sides[i].difference.step,
      );
    });
    document.querySelectorAll(".whole").forEach((line, i) => {
      line.textContent = this.teller.wholeInWords(this.sides[i], this.moment);
    });
  }

  show() {
    const { moment, last } = this;
    const slider = /** @type {HTMLInputElement} */ (byId("slider"));
    slider.value = String(moment);
    slider.setAttribute("aria-valuetext", moment === 0 ? "start" : `step ${moment} of ${last}`);
    for (const id of ["first", "back"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === 0;
    for (const id of ["forward", "last"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === last;
    byId("moment").textContent = `${this.momentTitle}.`;
    this.draw();
    byId("reason").replaceChildren(
      make("p", {}, make("strong", {}, this.momentTitle)),
      ...this.sides.map((/** @type {Side} */ side) => {
        const items = this.teller.stepInWords(side, moment).map(({ text, isAgainst }) => {
          return make("li", isAgainst ? { class: "wrong" } : {}, text);
        });
        const list = make(
          "ul",
          {},
          ...items.slice(0, MOST_SENTENCES),
          ...(items.length > MOST_SENTENCES ? [make("li", {}, `and ${items.length - MOST_SENTENCES} more`)] : []),
        );
        return this.sides.length > 1 ? make("div", {}, make("strong", {}, `by ${side.by}`), list) : list;
      }),
    );
    this.panel.fill(this.sides, moment, this.selected);
    this.tables.fill(moment, this.selected);
  }
}

new Player(JSON.parse(/** @type {string} */ (byId("run").textContent)));
