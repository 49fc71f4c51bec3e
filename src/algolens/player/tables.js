// @ts-check
"use strict";

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
    const { location } = this.page.algorithm;
    this.count = task.sides[0].graph.counts[location];
    /** @type {number[]} the elements in the order of the rows, which is the user's */
    this.order = (location === "edge" && this.page.graph.order) || [...Array(this.count).keys()];
    const [side] = task.sides;
    const shown =
      location === "node"
        ? cellsShown(this.page.algorithm.layout, new LayoutMoment(this.page, side, side.steps))
        : null;
    if (shown !== null) this.order = this.order.filter((i) => shown[i]);
    this.count = this.order.length;
    /** @type {Chosen} */
    this.chosen = null;
    /** @type {(side: Side) => number} */
    this.momentOf = () => 0;
  }

  /** The columns of a run. @param {Side} side @returns {Fact[]} */
  factsOf(side) {
    const { algorithm } = this.page;
    if (!this.hasLogic) return this.task.factsAt(algorithm.location);
    const { teller } = this.task;
    const concepts = side.hasConcepts ? algorithm.concepts : [];
    const results = fieldsOf(this.page).filter(
      (name) => Object.hasOwn(algorithm.outputs, name) || (
        !algorithm.concepts.includes(name) && fieldOf(this.page, name).at === algorithm.location
      ),
    );
    return [...concepts, ...results].map((name) => ({
      title: spaced(name),
      at: (each, moment) => (i) =>
        moment === 0 && algorithm.concepts.includes(name) ? "–" : teller.toldWithSureness(each, name, moment, i),
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
      const head = [
        itemOf(this.page, location),
        ...facts.map((fact) => fact.title),
      ].map((name) => make("th", { scope: "col" }, name));
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
    return make(
      "div", { class: "change" }, turn("Earlier rows", -MOST_ROWS), make("span"), turn("Later rows", MOST_ROWS)
    );
  }

  /** @param {(side: Side) => number} momentOf @param {Chosen} chosen */
  fill(momentOf, chosen) {
    const element = chosen !== null && chosen.at === this.page.algorithm.location ? chosen.element : null;
    const place = element === null ? this.first : this.order.indexOf(element);
    const isElsewhere = place < this.first || place >= this.first + MOST_ROWS;
    if (isElsewhere && this.chosen?.element !== element)
      this.first = Math.max(0, Math.min(place - 2, this.count - MOST_ROWS));
    this.momentOf = momentOf;
    this.chosen = chosen === null ? null : { ...chosen };
    this.draw();
  }

  draw() {
    const { location } = this.page.algorithm;
    const selected = this.chosen !== null && this.chosen.at === location ? this.chosen.element : null;
    for (const { side, facts, rows, caption, pager } of this.tables) {
      const moment = this.momentOf(side);
      const changed = moment > 0 && moment <= side.steps ? changedAt(this.page, side, moment, location) : new Set();
      const isUnsure = Object.keys(side.sureness).length > 0;
      const sure = isUnsure ? " In brackets: how sure the network is, where it is not quite." : "";
      const logic = `. Concepts: before the step. Results: after.${sure}`;
      const when = this.task.teller.momentInWords(side, moment);
      caption.textContent =
        `${this.task.sides.length > 1 ? `${upper(side.called)}, ` : ""}${when}${this.hasLogic ? logic : ""}`;
      if (pager !== null)
        pager.children[1].textContent = `${this.first + 1} to ${this.first + rows.length} of ${this.count}`;
      const texts = facts.map((fact) => fact.at(side, moment));
      rows.forEach(({ row, button, cells }, place) => {
        const i = this.order[this.first + place];
        row.classList.toggle("changed", changed.has(i));
        row.classList.toggle("selected", selected === i);
        const name = this.task.words.name(location, i);
        if (button.textContent !== name) button.textContent = button.title = name;
        cells.forEach((cell, column) => {
          const text = texts[column](i);
          if (cell.textContent !== text) cell.textContent = text;
        });
      });
    }
  }
}
