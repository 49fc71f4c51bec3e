// @ts-check
"use strict";

/* A table for each run, beside its drawing: every element with what is seen there and what is given. */

const MOST_ROWS = 50; // of a table at a time: more would make every step slow

/** @typedef {{side: Side, names: string[], rows: {row: HTMLElement, button: HTMLElement, cells: HTMLElement[]}[], caption: HTMLElement, scroll: HTMLElement, pager: HTMLElement | null}} Table */

class Tables {
  /** @param {Task} task @param {(at: string, element: number) => void} select */
  constructor(task, select) {
    this.task = task;
    this.page = task.page;
    this.words = task.words;
    this.teller = task.teller;
    this.select = select;
    /** @type {Table[]} */
    this.tables = [];
    this.first = 0;
    /** @type {number[]} the elements in the order of the rows, which is the user's */
    this.order = (this.page.algorithm.location === "edge" && this.page.graph.order) || [...Array(this.count).keys()];
    /** @type {Chosen} */
    this.chosen = null;
    /** @type {(side: Side) => number} */
    this.momentOf = () => 0;
  }

  get count() {
    return this.task.sides[0].graph.counts[this.page.algorithm.location];
  }

  /** @param {string} title of the runs' algorithm, where there are several; else empty @returns {HTMLElement[]} */
  build(title) {
    const { algorithm } = this.page;
    const { concepts, results } = this.columns();
    const length = Math.min(this.count, MOST_ROWS);
    this.first = 0;
    this.tables = this.task.sides.map((side) => {
      const names = [...(side.hasConcepts ? concepts : []), ...results];
      const head = make("tr", {}, ...[algorithm.location, ...names].map((name) => make("th", { scope: "col" }, spaced(name))));
      const rows = Array.from({ length }, (_, i) => {
        const button = make("button", { type: "button" });
        button.addEventListener("click", () => this.select(algorithm.location, this.order[this.first + i]));
        const cells = names.map(() => make("td"));
        return { row: make("tr", {}, make("th", { scope: "row" }, button), ...cells), button, cells };
      });
      const caption = make("span");
      const table = make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...rows.map(({ row }) => row)));
      const label = `Table of ${title === "" ? "the run" : title} by ${side.by}`;
      const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
      return { side, names, rows, caption, scroll, pager: this.count > MOST_ROWS ? this.pager() : null };
    });
    return this.tables.flatMap(({ scroll, pager }) => (pager === null ? [scroll] : [pager, scroll]));
  }

  /** Buttons that show other rows. */
  pager() {
    const turn = (/** @type {string} */ text, /** @type {number} */ rows) => {
      const button = make("button", { type: "button" }, text);
      button.addEventListener("click", () => {
        this.first = Math.max(0, Math.min(this.first + rows, this.count - MOST_ROWS));
        this.draw();
      });
      return button;
    };
    return make("div", { class: "change" }, turn("Earlier rows", -MOST_ROWS), make("span"), turn("Later rows", MOST_ROWS));
  }

  /** @param {(side: Side) => number} momentOf @param {Chosen} chosen */
  fill(momentOf, chosen) {
    const { location } = this.page.algorithm;
    const element = chosen !== null && chosen.at === location ? chosen.element : null;
    const place = element === null ? this.first : this.order.indexOf(element);
    const isElsewhere = place < this.first || place >= this.first + MOST_ROWS;
    if (isElsewhere && (this.chosen === null || this.chosen.element !== element))
      this.first = Math.max(0, Math.min(place - 2, this.count - MOST_ROWS));
    [this.momentOf, this.chosen] = [momentOf, chosen === null ? null : { ...chosen }];
    this.draw();
  }

  draw() {
    const { location, concepts } = this.page.algorithm;
    const selected = this.chosen !== null && this.chosen.at === location ? this.chosen.element : null;
    for (const { side, names, rows, caption, pager } of this.tables) {
      const moment = this.momentOf(side);
      const changed = moment > 0 && moment <= side.steps ? changedAt(this.page, side, moment, location) : new Set();
      const sure = Object.keys(side.sureness).length === 0 ? "" : " In brackets: how sure the network is, where it is not quite.";
      const when = this.teller.momentInWords(side, moment);
      caption.textContent = `By ${side.by}, ${when}. Concepts: before the step. Results: after.${sure}`;
      if (pager !== null) pager.children[1].textContent = `${this.first + 1} to ${this.first + rows.length} of ${this.count}`;
      rows.forEach(({ row, button, cells }, place) => {
        const i = this.order[this.first + place];
        row.classList.toggle("changed", changed.has(i));
        row.classList.toggle("selected", selected === i);
        const name = this.words.name(location, i);
        if (button.textContent !== name) button.textContent = button.title = name;
        cells.forEach((cell, column) => {
          const isUnseen = moment === 0 && concepts.includes(names[column]);
          const text = isUnseen ? "–" : this.teller.toldWithSureness(side, names[column], moment, i);
          if (cell.textContent !== text) cell.textContent = text;
        });
      });
    }
  }

  /** What a table tells of each element at the main location. */
  columns() {
    const { algorithm } = this.page;
    const others = algorithm.state.filter(
      (/** @type {string} */ name) =>
        !(name in algorithm.outputs) &&
        !algorithm.concepts.includes(name) &&
        fieldOf(this.page, name).at === algorithm.location,
    );
    return { concepts: algorithm.concepts, results: [...Object.keys(algorithm.outputs), ...others] };
  }
}
