/* A table for each run: every element with its state and its numbers; for who asks for the logic, with every concept
 * and output. */

const MOST_ROWS = 50; // of a table at a time: more would make every step slow

/** @typedef {{row: HTMLElement, button: HTMLElement, cells: HTMLElement[]}} Row */
/** @typedef {{side: Side, facts: Fact[], rows: Row[], caption: HTMLElement, pager: HTMLElement | null}} Table */

class Tables {
  /** @param {Task} task @param {(at: string, element: number) => void} select */
  constructor(task, select) {
    this.task = task;
    this.page = task.page;
    this.select = select;
    /** @type {Table[]} */
    this.tables = [];
    this.first = 0;
    this.hasLogic = false;
    const { location, layout } = this.page.algorithm;
    const [side] = task.sides;
    const shown = location === "node" ? cellsShown(layout, new Moment(side, side.steps)) : null;
    const order = (location === "edge" && this.page.graph.order) || upTo(side.graph.counts[location]);
    /** @type {number[]} the elements in the order of the rows, which is the user's */
    this.order = order.filter((i) => shown?.[i] !== false);
    this.count = this.order.length;
    /** @type {Chosen} */
    this.chosen = null;
    /** @type {(side: Side) => Moment} */
    this.now = (side) => new Moment(side, 0);
  }

  /** The columns of a run. @param {Side} side @returns {Fact[]} */
  factsOf(side) {
    const { algorithm } = this.page;
    if (!this.hasLogic) return this.task.factsAt(algorithm.location);
    const concepts = side.hasConcepts ? algorithm.concepts : [];
    const isSeen = (/** @type {string} */ name) =>
      !algorithm.concepts.includes(name) && fieldOf(this.page, name).at === algorithm.location;
    const results = fieldsOf(this.page).filter((name) => Object.hasOwn(algorithm.outputs, name) || isSeen(name));
    return [...concepts, ...results].map((name) => ({
      title: spaced(name),
      text: (now) => (i) =>
        now.moment === 0 && algorithm.concepts.includes(name) ? "–" : now.toldWithSureness(name, i),
    }));
  }

  /** @param {string} title of the runs' algorithm, where there are several; else empty @param {boolean} hasLogic */
  build(title, hasLogic) {
    this.hasLogic = hasLogic;
    this.first = 0;
    const { location } = this.page.algorithm;
    const length = Math.min(this.count, MOST_ROWS);
    /** @type {HTMLElement[]} */
    const parts = [];
    this.tables = this.task.sides.map((side) => {
      const facts = this.factsOf(side);
      const titles = [itemOf(this.page, location), ...facts.map((fact) => fact.title)];
      const head = titles.map((name) => make("th", { scope: "col" }, name));
      const rows = Array.from({ length }, (_, i) => {
        const button = buttonOf("", () => this.select(location, this.order[this.first + i]));
        const cells = facts.map(() => make("td"));
        return { row: make("tr", {}, make("th", { scope: "row" }, button), ...cells), button, cells };
      });
      const caption = make("span");
      const body = make("tbody", {}, ...rows.map(({ row }) => row));
      const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), body);
      const label = `Table of ${title === "" ? "the run" : title} ${side.called}`;
      const pager = this.count > MOST_ROWS ? this.pager() : null;
      if (pager !== null) parts.push(pager);
      parts.push(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table));
      return { side, facts, rows, caption, pager };
    });
    return parts;
  }

  /** Buttons that show other rows. */
  pager() {
    const turn = (/** @type {string} */ text, /** @type {number} */ rows) =>
      buttonOf(text, () => {
        this.first = Math.max(0, Math.min(this.first + rows, this.count - MOST_ROWS));
        this.draw();
      });
    const [earlier, later] = [turn("Earlier rows", -MOST_ROWS), turn("Later rows", MOST_ROWS)];
    return make("div", { class: "change" }, earlier, make("span"), later);
  }

  /** @param {(side: Side) => Moment} now @param {Chosen} chosen */
  fill(now, chosen) {
    const element = chosen !== null && chosen.at === this.page.algorithm.location ? chosen.element : null;
    const place = element === null ? this.first : this.order.indexOf(element);
    const isElsewhere = place < this.first || place >= this.first + MOST_ROWS;
    if (isElsewhere && this.chosen?.element !== element)
      this.first = Math.max(0, Math.min(place - 2, this.count - MOST_ROWS));
    this.now = now;
    this.chosen = chosen;
    this.draw();
  }

  draw() {
    const { location } = this.page.algorithm;
    const selected = this.chosen !== null && this.chosen.at === location ? this.chosen.element : null;
    for (const { side, facts, rows, caption, pager } of this.tables) {
      const now = this.now(side);
      const changed = now.changedAt(location);
      const isUnsure = Object.keys(side.sureness).length > 0;
      const sure = isUnsure ? " In brackets: how sure the network is, where it is not quite." : "";
      const logic = `. Concepts: before the step. Results: after.${sure}`;
      const whose = this.task.sides.length > 1 ? `${upper(side.called)}, ` : "";
      caption.textContent = `${whose}${now.inWords}${this.hasLogic ? logic : ""}`;
      if (pager !== null)
        pager.children[1].textContent = `${this.first + 1} to ${this.first + rows.length} of ${this.count}`;
      const texts = facts.map((fact) => fact.text(now));
      rows.forEach(({ row, button, cells }, place) => {
        const i = this.order[this.first + place];
        row.classList.toggle("changed", changed.has(i));
        row.classList.toggle("selected", selected === i);
        const name = side.words.name(location, i);
        if (button.textContent !== name) button.textContent = button.title = name;
        cells.forEach((cell, column) => {
          const text = texts[column](i);
          if (cell.textContent !== text) cell.textContent = text;
        });
      });
    }
  }
}
