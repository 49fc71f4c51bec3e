/* The page: tasks side by side, a moment in which they are shown, and what is chosen. */

const MOST_SENTENCES = 12;
const MANY = 50; // nodes, from which on all but what a step decides is dimmed
const ZOOM = { least: 0.4, most: 6, step: 1.25 };
const NARROW = 600; // pixels: a phone
const WIDE = 900; // pixels of a drawing, from which on it is drawn larger

/** @typedef {{at: string, element: number} | null} Chosen */
/** @typedef {Record<string, Set<number>>} Lit  the nodes and edges that are lit by a choice, as a path */
/** @typedef {{title: string, text: (now: Moment) => (element: number) => string}} Fact  told of elements */

/** An algorithm on the page's graph: its runs, and how they are told. A page has one, or several side by side. */
class Task {
  /** @param {Page} page @param {(task: Task) => void} changed when what is supposed changes
   *  @param {(problem: string) => void} refused */
  constructor(page, changed, refused) {
    this.page = page;
    this.name = page.algorithm.name;
    this.title = page.algorithm.title;
    /** @type {Side[]} */
    this.written = page.sides.map((each) => Side.read(page, each));
    this.whatIf = new WhatIf(this.written[0], () => changed(this), refused);
    this.build();
  }

  /** All its runs: those of the file, and the one that is supposed. */
  get sides() {
    return this.whatIf.supposed === null ? this.written : [...this.written, this.whatIf.side];
  }

  /** What depends on which runs there are. */
  build() {
    const { page, sides } = this;
    /** @type {Record<string, Classes | null>} */
    this.classes = { node: classesAt(page, sides, "node"), edge: classesAt(page, sides, "edge") };
    /** @type {number[]} the moments at which something is new */
    this.news = [...new Set(sides.flatMap((side) => momentsOf(side, fieldsOf(page))))].sort((a, b) => a - b);
  }

  /** What is told of the elements at a location: their state in words, then what else has a name. @param {string} at */
  factsAt(at) {
    const { page } = this;
    const { order, names } = page.algorithm.words;
    const classes = this.classes?.[at] ?? null;
    const found = fieldsOf(page, at).filter((name) => {
      const isTold = Object.hasOwn({ ...page.algorithm.outputs, ...names }, name) || order.includes(name);
      const isState = ["mask", "category"].includes(fieldOf(page, name).kind) || isSet(page, name);
      return isTold && (classes === null || !isState);
    });
    /** @type {Fact[]} */
    const facts = found.map((name) => ({ title: calledIn(page, name), text: (now) => (i) => now.told(name, i) }));
    if (classes === null) return facts;
    /** @type {Fact["text"]} */
    const state = (now) => {
      const numbers = classes.of(now);
      return (i) => classes.labels[numbers[i]] || "–";
    };
    return [{ title: classes.title || "state", text: state }, ...facts];
  }
}

class Player {
  /** @param {Page[]} pages one for each algorithm, all of one graph */
  constructor(pages) {
    this.pages = pages;
    /** @type {Task[]} */
    this.tasks = [];
    /** @type {Tables[]} */
    this.tables = [];
    /** @type {(GraphDrawing | BoxDrawing)[]} */
    this.drawings = [];
    this.moment = 0;
    this.zoom = 1;
    this.isByShare = false;
    /** @type {Chosen} */
    this.selected = null;
    /** @type {Lit} */
    this.lit = nothingLit();
    this.read(pages);
    const [page] = pages;
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

  /** Takes its tasks from what is written of them. @param {Page[]} pages */
  read(pages) {
    this.pages = pages;
    const refused = (/** @type {string} */ problem) =>
      byId("reason").replaceChildren(make("p", { class: "wrong" }, problem));
    const select = (/** @type {string} */ at, /** @type {number} */ element) => this.select(at, element);
    this.tasks = pages.map((page) => new Task(page, (task) => this.suppose(task), refused));
    this.tables = this.tasks.map((task) => new Tables(task, select));
  }

  /** Shows other runs in the place of these: of a graph that was changed. @param {Page[]} pages */
  replace(pages) {
    const isAtEnd = this.moment === this.last;
    this.read(pages);
    this.lit = nothingLit();
    const { selected } = this;
    if (selected !== null && selected.element >= this.sides[0].graph.counts[selected.at]) this.selected = null;
    this.moment = isAtEnd ? this.last : Math.min(this.moment, this.last);
    this.build();
    this.show();
  }

  get momentTitle() {
    return this.moment === 0 ? "Start" : `Step ${this.moment} of ${this.last}`;
  }

  get sides() {
    return this.tasks.flatMap((task) => task.sides);
  }

  get last() {
    return Math.max(...this.sides.map((side) => side.steps));
  }

  get isNarrow() {
    return window.innerWidth < NARROW;
  }

  /** Whether concepts, formulas and the program are shown. */
  get hasLogic() {
    return document.body.classList.contains("logic");
  }

  /** What stands before what is told of a task: its name where there are several. @param {Task} task */
  titleOf(task) {
    return this.tasks.length > 1 ? task.title : "";
  }

  /** What a run is called beside others. @param {Task} task @param {Side} side */
  nameOf(task, side) {
    const isPlain = this.tasks.length > 1 && task.sides.length === 1 && side.by === "algorithm";
    return isPlain ? task.title : [this.titleOf(task), side.called].filter((text) => text !== "").join(" ");
  }

  /** A run as it is shown: at the same moment as all, or at the same share of its steps. @param {Side} side */
  now(side) {
    const isShare = this.isByShare && this.last > 0;
    return new Moment(side, isShare ? Math.round((this.moment * side.steps) / this.last) : this.moment);
  }

  /** The moments before and after this one; on a part of a graph, those at which something in it changes. */
  get moments() {
    const { moment, last } = this;
    if (this.pages[0].part === null) return [moment - 1, moment + 1];
    const news = [...new Set(this.tasks.flatMap((task) => task.news ?? []))].sort((a, b) => a - b);
    return [news.findLast((each) => each < moment) ?? 0, news[countUpTo(news, moment)] ?? last];
  }

  /** Everything that depends on which runs there are. */
  build() {
    const { sides, tasks } = this;
    const [{ graph_name, algorithm }] = this.pages;
    byId("title").textContent = `${tasks.map((task) => task.title).join(", ")}: ${graph_name}`;
    byId("about").textContent = tasks.length === 1 ? algorithm.problem || algorithm.about : "";
    byId("slider").setAttribute("max", String(this.last));
    for (const each of document.querySelectorAll("main, #chosen, #reason"))
      each.classList.toggle("several", sides.length > 1);
    const hand = {
      select: (/** @type {string} */ at, /** @type {number} */ element) => this.select(at, element),
      moved: () => this.draw(),
      background: (/** @type {number[]} */ place) => this.editor.addNode(place),
    };
    this.drawings = tasks.flatMap((task) => {
      const Kind = Object.hasOwn(LAYOUTS, task.page.algorithm.layout.form) ? BoxDrawing : GraphDrawing;
      return task.sides.map((side) => new Kind(task, side, hand));
    });
    const forms = tasks.map((task) => task.page.algorithm.layout.form);
    byId("drag-hint").hidden = forms.every((form) => form === "plane" || Object.hasOwn(LAYOUTS, form));
    byId("drawings").replaceChildren(...this.drawings.map((drawing) => this.figureOf(drawing)));
    byId("jump").hidden = !sides.some((side) => side.difference !== null);
    byId("drop").hidden = tasks.every((task) => task.whatIf.supposed === null);
    byId("together").hidden = new Set(sides.map((side) => side.steps)).size < 2;
    byId("rules").replaceChildren(...tasks.flatMap((task) => this.headed(task, programsOf(task.page, task.sides))));
    this.list();
    this.fit();
  }

  /** Builds the tables, of results, or of concepts too. */
  list() {
    const [{ algorithm }] = this.pages;
    byId("listed-title").textContent =
      this.tasks.length > 1 ? "All elements" : `All ${plural(itemOf(this.pages[0], algorithm.location))}`;
    const tables = this.tables.map((each) => each.build(this.titleOf(each.task), this.hasLogic));
    byId("tables").replaceChildren(...this.tasks.flatMap((task, i) => this.headed(task, tables[i])));
  }

  /** Parts of a task under its name, where there are several. @param {Task} task @param {HTMLElement[]} parts */
  headed(task, parts) {
    return this.tasks.length > 1 ? [make("h3", {}, task.title), ...parts] : parts;
  }

  /** @param {boolean} isOn */
  showLogic(isOn) {
    document.body.classList.toggle("logic", isOn);
    byId("logic").setAttribute("aria-pressed", String(isOn));
    this.list();
  }

  /** @param {GraphDrawing | BoxDrawing} drawing */
  figureOf(drawing) {
    const { side, task } = drawing;
    const caption = make("figcaption", {}, this.nameOf(task, side));
    const wrong = (/** @type {string} */ text) => caption.append(" ", make("span", { class: "wrong" }, text));
    if (side.difference !== null) wrong(differenceInWords(side));
    if (side.stopped === "limit") wrong(endInWords(side).toLowerCase());
    const isAlone = this.sides.length === 1 && side.difference === null && side.stopped !== "limit";
    const label = `Drawing of ${task.title} ${side.called}`;
    const canvas = make("div", { class: "canvas", tabindex: "0", role: "region", "aria-label": label }, drawing.root);
    return make("figure", {}, ...(isAlone ? [] : [caption]), canvas, make("p", { class: "whole" }));
  }

  /** How high drawings are, in pixels. */
  get room() {
    const { innerHeight } = window;
    if (document.body.classList.contains("presenting")) return Math.max(300, innerHeight - 300);
    if (!this.isNarrow) return Math.max(340, innerHeight - (document.body.classList.contains("compact") ? 260 : 330));
    if (this.drawings.length > 1) return Math.max(170, innerHeight * 0.22); // both are in view
    // many nodes need room, however low the window is; few leave some for the reason below
    const needed = 60 * Math.sqrt(this.pages[0].graph.nodes.length);
    return Math.max(300, innerHeight * 0.44, Math.min(innerHeight * 0.62, needed));
  }

  /** @param {boolean} isRevealed whether what is chosen comes into view */
  fit(isRevealed = true) {
    const canvases = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".canvas"));
    const { room } = this;
    const isPresented = document.body.classList.contains("presenting");
    canvases.forEach((canvas, i) => {
      const wide = Math.max(260, canvas.clientWidth);
      // the same drawing, larger, with its letters
      const [larger, most] = isPresented ? [Math.min(wide / 700, room / 330), 2.2] : [wide / WIDE, 1.5];
      const magnified = Math.min(most, Math.max(1, larger));
      const drawing = this.drawings[i];
      drawing.magnified = magnified;
      drawing.fit(wide / magnified, room / magnified, this.zoom);
      canvas.style.maxHeight = drawing instanceof GraphDrawing ? `${Math.ceil(room) + 2}px` : "";
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
    // the button that was pressed is gone
    byId(task.whatIf.supposed === null ? "play" : "drop").focus({ preventScroll: true });
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

  /** Draws larger or smaller, around a point of the window where one is given. @param {number} factor
   *  @param {MouseEvent | null} around */
  resize(factor, around = null) {
    const target = /** @type {Element | null} */ (around?.target ?? null);
    const canvas = /** @type {HTMLElement | null} */ (target?.closest(".canvas") ?? null);
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
    if (!this.lit.node.has(element) && !this.lit.edge.has(element)) this.lit = nothingLit();
    this.selected = { at, element };
    this.show();
    this.reveal();
  }

  draw() {
    this.drawings.forEach((drawing) => {
      const { side } = drawing;
      const { moment } = this.now(side);
      const isDifferent = side.difference !== null && moment >= side.difference.step;
      const lit = moment < side.steps || this.lit.node.size + this.lit.edge.size > 0 ? this.lit : resultLit(side);
      drawing.show(moment, this.selected, isDifferent, lit);
      drawing.root.classList.toggle("dimmed", drawing.hasNews && drawing.count >= MANY);
    });
    document.querySelectorAll(".whole").forEach((line, i) => {
      line.textContent = /** @type {HTMLElement} */ (line).title = this.now(this.drawings[i].side).wholeInWords;
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
    const now = (/** @type {Side} */ side) => this.now(side);
    const item = itemOf(this.pages[0], this.pages[0].algorithm.location);
    const hint = `Choose ${/^[aei]/.test(item) ? "an" : "a"} ${item} in the drawing to read more about it.`;
    const parts =
      selected === null
        ? [note(hint)]
        : this.tasks.flatMap((task) =>
          task.sides.map((side) => new Panel(task, now(side), selected).show(this.titleOf(task), this.hasLogic)));
    byId("chosen").replaceChildren(...parts);
    for (const tables of this.tables) tables.fill(now, selected);
    showAnswers(this);
    showStructures(this);
    this.prediction.show();
    this.editor.show();
  }

  /** What the step did, in sentences; also where a phone keeps it in view. */
  tell() {
    /** @type {Element[]} */
    const strip = [];
    const isAlone = this.drawings.length === 1;
    const told = this.drawings.map(({ side, task }) => {
      const sentences = this.now(side).inSentences;
      const who = this.nameOf(task, side);
      const said = sentences.map(({ text }) => text).join(" ");
      strip.push(make("span", {}, make("strong", {}, isAlone ? this.momentTitle : `${who}:`), ` ${said}`));
      const items = sentences.map(({ text, isAgainst, told }) =>
        make("li", isAgainst ? { class: "wrong" } : {}, text, ...(told === null ? [] : behindOf(told))),
      );
      const rest = items.length > MOST_SENTENCES ? [make("li", {}, `and ${items.length - MOST_SENTENCES} more`)] : [];
      const list = make("ul", {}, ...items.slice(0, MOST_SENTENCES), ...rest);
      return isAlone ? list : make("div", {}, make("strong", {}, who), list);
    });
    const begin = make("p", { class: "begin" }, "Press ", make("b", {}, "Play"), ", or go step by step with › .");
    const isStart = this.moment === 0;
    const heading = make("p", {}, make("strong", {}, this.momentTitle));
    byId("reason").replaceChildren(heading, ...told, ...(isStart ? [begin] : []));
    byId("code").replaceChildren(...this.drawings.map(({ side, task }) => codeOf(this.now(side), this.titleOf(task))));
    const { selected } = this;
    if (selected !== null)
      for (const { side, task } of this.drawings) strip.unshift(shortOf(task, this.now(side), selected));
    if (isStart) strip.push(make("span", { class: "begin" }, begin.textContent ?? ""));
    byId("strip").replaceChildren(...strip);
  }
}

/** @returns {Lit} */
const nothingLit = () => ({ node: new Set(), edge: new Set() });
