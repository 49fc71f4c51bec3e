// @ts-check
"use strict";

/* The page: tasks side by side, a moment in which they are shown, and what is chosen. */

const MOST_SENTENCES = 12;
const MANY = 50; // nodes, from which on all but what a step decides is dimmed
const ZOOM = { least: 0.4, most: 6, step: 1.25 };

class Player {
  /** @param {any[]} pages one for each algorithm, all of one graph */
  constructor(pages) {
    this.pages = pages;
    /** @type {Task[]} */
    this.tasks = [];
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {Tables[]} */
    this.tables = [];
    this.read(pages);
    /** @type {(GraphDrawing | BoxDrawing)[]} */
    this.drawings = [];
    this.moment = 0;
    this.zoom = 1;
    this.isByShare = false;
    /** @type {Chosen} */
    this.selected = null;
    /** @type {Lit} */
    this.lit = { node: new Set(), edge: new Set() };
    const [page] = pages;
    byId("about").textContent = pages.length === 1 ? page.algorithm.about : "";
    byId("part").textContent = page.part === null ? "" : page.part.told;
    byId("part").hidden = page.part === null;
    this.share = new Share(this);
    this.editor = new Editor(this);
    this.link = new Link(this);
    this.prediction = new Prediction(this);
    this.controls = new Controls(this);
    this.build();
    this.link.follow();
    this.show();
  }

  /** Takes its tasks from what is written of them. @param {any[]} pages */
  read(pages) {
    this.pages = pages;
    const refused = (/** @type {string} */ problem) => byId("reason").replaceChildren(make("p", { class: "wrong" }, problem));
    const select = (/** @type {string} */ at, /** @type {number} */ element) => this.select(at, element);
    this.tasks = pages.map((page) => new Task(page, (task) => this.suppose(task), refused));
    this.panels = this.tasks.map((task) => new Panel(task));
    this.tables = this.tasks.map((task) => new Tables(task, select));
  }

  /** Shows other runs in the place of these: of a graph that was changed. @param {any[]} pages */
  replace(pages) {
    const isAtEnd = this.moment === this.last;
    this.read(pages);
    this.lit = { node: new Set(), edge: new Set() };
    if (this.selected !== null && this.selected.element >= this.sides[0].graph.counts[this.selected.at]) this.selected = null;
    this.moment = isAtEnd ? this.last : Math.min(this.moment, this.last);
    this.build();
    this.show();
  }

  get momentTitle() {
    return this.moment === 0 ? "Start" : `Step ${this.moment} of ${this.last}`;
  }

  /** @returns {Side[]} */
  get sides() {
    return this.tasks.flatMap((task) => task.sides);
  }

  get last() {
    return Math.max(...this.sides.map((side) => side.steps));
  }

  /** What stands before what is told of a task: its name where there are several. @param {Task} task */
  titleOf(task) {
    return this.tasks.length > 1 ? task.title : "";
  }

  /** What a run is called beside others. @param {Task} task @param {Side} side */
  nameOf(task, side) {
    const isPlain = this.tasks.length > 1 && task.sides.length === 1 && side.by === "algorithm";
    return isPlain ? task.title : [this.titleOf(task), `by ${side.by}`].filter((text) => text !== "").join(" ");
  }

  /** The moment at which a run is shown: the same for all, or the same share of each. @param {Side} side */
  momentOf(side) {
    return this.isByShare && this.last > 0 ? Math.round((this.moment * side.steps) / this.last) : this.moment;
  }

  /** The moments before and after this one; on a part of a graph, those at which something in it changes. @returns {[number, number]} */
  get moments() {
    const { moment, last } = this;
    if (this.pages[0].part === null) return [moment - 1, moment + 1];
    const news = [...new Set(this.tasks.flatMap((task) => task.news ?? []))].sort((a, b) => a - b);
    return [news.findLast((each) => each < moment) ?? 0, news[countUpTo(news, moment)] ?? last];
  }

  /** Everything that depends on which runs there are. */
  build() {
    const { sides } = this;
    byId("title").textContent = `${this.tasks.map((task) => task.title).join(", ")}: ${this.pages[0].graph_name}`;
    byId("slider").setAttribute("max", String(this.last));
    for (const each of [document.querySelector("main"), byId("chosen"), byId("reason")]) each?.classList.toggle("several", sides.length > 1);
    const hand = {
      select: (/** @type {string} */ at, /** @type {number} */ element) => this.select(at, element),
      moved: () => this.draw(),
      background: (/** @type {number[]} */ place) => this.editor.addNode(place),
    };
    this.drawings = this.tasks.flatMap((task) =>
      task.sides.map((side) => new (Object.hasOwn(LAYOUTS, task.page.algorithm.layout.form) ? BoxDrawing : GraphDrawing)(task, side, hand)),
    );
    byId("drag-hint").hidden = !this.drawings.some((drawing) => drawing instanceof GraphDrawing && drawing.layout.form !== "plane");
    byId("drawings").replaceChildren(...this.drawings.map((drawing) => this.figureOf(drawing)));
    byId("jump").hidden = !sides.some((side) => side.difference !== null);
    byId("drop").hidden = this.tasks.every((task) => task.whatIf.supposed === null);
    byId("together").hidden = new Set(sides.map((side) => side.steps)).size < 2;
    byId("rules").replaceChildren(
      ...this.tasks.flatMap((task) => [
        ...(this.tasks.length > 1 ? [make("h3", {}, task.title)] : []),
        ...programsOf(task.page, task.sides),
      ]),
    );
    byId("listed-title").textContent = this.tasks.length > 1 ? "All elements" : `All ${this.pages[0].algorithm.location}s`;
    byId("tables").replaceChildren(
      ...this.tasks.flatMap((task, i) => [
        ...(this.tasks.length > 1 ? [make("h3", {}, task.title)] : []),
        ...this.tables[i].build(this.titleOf(task)),
      ]),
    );
    this.fit();
  }

  /** @param {GraphDrawing | BoxDrawing} drawing */
  figureOf(drawing) {
    const { side, task } = drawing;
    const caption = make("figcaption", {}, this.nameOf(task, side));
    if (side.difference !== null) caption.append(" ", make("span", { class: "wrong" }, task.teller.differenceInWords(side)));
    if (side.stopped === "limit") caption.append(" ", make("span", { class: "wrong" }, endInWords(side).toLowerCase()));
    const isAlone = this.sides.length === 1 && side.difference === null && side.stopped !== "limit";
    const canvas = make("div", { class: "canvas", tabindex: "0", role: "region", "aria-label": `Drawing of ${task.title} by ${side.by}` }, drawing.root);
    return make("figure", {}, ...(isAlone ? [] : [caption]), canvas, make("p", { class: "whole" }));
  }

  /** @param {boolean} isRevealed whether what is chosen comes into view */
  fit(isRevealed = true) {
    const canvases = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".canvas"));
    // on a narrow screen many nodes need room, however low the window is; few leave some for the reason below
    const isNarrow = window.innerWidth < 600;
    const many = isNarrow ? Math.min(window.innerHeight * 0.62, 60 * Math.sqrt(this.pages[0].graph.nodes.length)) : 0;
    // of two runs, both are in view
    const share = isNarrow && this.drawings.length > 1 ? 0.28 : isNarrow ? 0.44 : 0.6;
    const height = Math.max(share < 0.3 ? 200 : isNarrow ? 300 : 380, window.innerHeight * share, share < 0.3 ? 0 : many);
    canvases.forEach((canvas, i) => {
      this.drawings[i].fit(Math.max(260, canvas.clientWidth), height, this.zoom);
      canvas.style.maxHeight = this.drawings[i] instanceof GraphDrawing ? `${Math.ceil(height) + 2}px` : "";
    });
    this.draw();
    if (isRevealed) this.reveal();
  }

  /** Scrolls the drawings to what is chosen; before that, to a source, where there is one. */
  reveal() {
    for (const drawing of this.drawings) drawing.reveal(this.selected);
  }

  /** Shows a run that is supposed beside the others, or none any more. @param {Task} task */
  suppose(task) {
    task.build();
    this.moment = Math.min(this.moment, this.last);
    this.build();
    this.show();
    byId(task.whatIf.supposed === null ? "play" : "drop").focus({ preventScroll: true }); // the button that was pressed is gone
  }

  /** @param {number} moment */
  go(moment) {
    this.moment = Math.max(0, Math.min(this.last, moment));
    this.show();
  }

  jump() {
    const side = this.sides.find((each) => each.difference !== null);
    if (side === undefined) return;
    const { at, element, step } = side.difference;
    if (element !== null && at !== "link" && element < side.graph.counts[at]) this.selected = { at, element };
    this.go(step);
  }

  /** Draws larger or smaller, around a point of the window where one is given. @param {number} factor @param {MouseEvent | null} around */
  resize(factor, around = null) {
    const canvas = /** @type {HTMLElement | null} */ (around === null ? null : /** @type {Element} */ (around.target).closest(".canvas"));
    const before = canvas?.getBoundingClientRect();
    const zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, this.zoom * factor));
    const grown = zoom / this.zoom;
    this.zoom = zoom;
    this.fit(around === null);
    if (canvas === null || before === undefined || around === null) return;
    const [x, y] = [around.clientX - before.left, around.clientY - before.top];
    [canvas.scrollLeft, canvas.scrollTop] = [(canvas.scrollLeft + x) * grown - x, (canvas.scrollTop + y) * grown - y];
  }

  /** @param {string} at @param {number} element */
  select(at, element) {
    if (this.prediction.guess(at, element) || this.editor.take(at, element)) return;
    this.lit = this.lit.node.has(element) || this.lit.edge.has(element) ? this.lit : { node: new Set(), edge: new Set() };
    this.selected = { at, element };
    this.show();
    this.reveal();
  }

  draw() {
    this.drawings.forEach((drawing) => {
      const { side } = drawing;
      const moment = this.momentOf(side);
      drawing.show(moment, this.selected, side.difference !== null && moment >= side.difference.step, this.lit);
      drawing.root.classList.toggle("dimmed", drawing.hasNews && side.graph.counts.node >= MANY);
    });
    document.querySelectorAll(".whole").forEach((line, i) => {
      const { side, task } = this.drawings[i];
      line.textContent = /** @type {HTMLElement} */ (line).title = task.teller.wholeInWords(side, this.momentOf(side));
    });
    byId("legend").replaceChildren(
      ...this.tasks.map((task) => {
        const keys = legendOf(task, this.drawings.filter((drawing) => drawing.task === task));
        return make("div", {}, ...(this.tasks.length > 1 ? [make("strong", {}, `${task.title}:`)] : []), ...keys);
      }),
    );
  }

  show() {
    this.controls.show();
    this.draw();
    this.tell();
    const { selected } = this;
    const momentOf = (/** @type {Side} */ side) => this.momentOf(side);
    const where = this.pages[0].algorithm.location === "edge" ? "an edge" : "a node";
    byId("chosen").replaceChildren(
      ...(selected === null
        ? [make("p", { class: "note" }, `Choose ${where} in the drawing or in the table, to read what is seen there and why.`)]
        : this.tasks.flatMap((task, i) => this.panels[i].parts(momentOf, selected, this.titleOf(task)))),
    );
    for (const tables of this.tables) tables.fill(momentOf, selected);
    showAnswers(this);
    showStructures(this);
    this.prediction.show();
    this.editor.show();
  }

  /** What the step did, in sentences; its beginning also where a phone keeps it in view. */
  tell() {
    /** @type {Element[]} */
    const strip = [];
    const told = this.drawings.map(({ side, task }) => {
      const sentences = task.teller.stepInWords(side, this.momentOf(side));
      const who = this.nameOf(task, side);
      const isAlone = this.drawings.length === 1;
      strip.push(make("span", {}, make("strong", {}, isAlone ? this.momentTitle : `${who}:`), ` ${sentences.map(({ text }) => text).join(" ")}`));
      const items = sentences.map(({ text, isAgainst, told }) =>
        make("li", isAgainst ? { class: "wrong" } : {}, text, ...(told === null ? [] : behindOf(told))),
      );
      const rest = items.length > MOST_SENTENCES ? [make("li", {}, `and ${items.length - MOST_SENTENCES} more`)] : [];
      const list = make("ul", {}, ...items.slice(0, MOST_SENTENCES), ...rest);
      return isAlone ? list : make("div", {}, make("strong", {}, who), list);
    });
    byId("reason").replaceChildren(make("p", {}, make("strong", {}, this.momentTitle)), ...told);
    byId("code").replaceChildren(...this.drawings.map(({ side, task }) => codeOf(task, side, this.momentOf(side), this.titleOf(task))));
    byId("strip").replaceChildren(...strip);
  }
}
