// @ts-check
"use strict";

/* A table for each run, beside its drawing: every element with what is seen there and what is given. */

const MOST_ROWS = 1000; // of a table; others are chosen in the drawing

class Tables {
  /** @param {any} page @param {Words} words @param {Teller} teller @param {(at: string, element: number) => void} select */
  constructor(page, words, teller, select) {
    this.page = page;
    this.words = words;
    this.teller = teller;
    this.select = select;
    /** @type {any[]} */
    this.tables = [];
  }

  /** @param {Side[]} sides */
  build(sides) {
    const { algorithm } = this.page;
    const { concepts, results } = this.columns();
    const all = sides[0].graph.counts[algorithm.location];
    const count = Math.min(all, MOST_ROWS);
    byId("listed-title").textContent =
      count === all ? `All ${algorithm.location}s` : `The first ${count} of ${all} ${algorithm.location}s`;
    this.tables = sides.map((/** @type {Side} */ side) => {
      const names = [...(side.hasConcepts ? concepts : []), ...results];
      const head = make("tr", {}, ...[algorithm.location, ...names].map((name) => make("th", { scope: "col" }, name)));
      const rows = Array.from({ length: count }, (_, i) => {
        const name = this.words.name(algorithm.location, i);
        const button = make("button", { type: "button", title: name }, name);
        button.addEventListener("click", () => this.select(algorithm.location, i));
        const cells = names.map(() => make("td"));
        return { row: make("tr", {}, make("th", { scope: "row" }, button), ...cells), cells };
      });
      const caption = make("span");
      const table = make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...rows.map(({ row }) => row)));
      const scroll = make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of the run by ${side.by}` },
        table,
      );
      return { side, names, rows, caption, scroll };
    });
    byId("tables").replaceChildren(...this.tables.map((/** @type {any} */ each) => each.scroll));
  }

  /** @param {number} moment @param {{at: string, element: number} | null} chosen */
  fill(moment, chosen) {
    const { location } = this.page.algorithm;
    const selected = chosen !== null && chosen.at === location ? chosen.element : null;
    for (const { side, names, rows, caption } of this.tables) {
      const changed = moment > 0 && moment <= side.steps ? changedAt(this.page, side, moment, location) : new Set();
      const sure = Object.keys(side.sureness).length === 0 ? "" : " In brackets: how sure the network is, where it is not quite.";
      const when = this.teller.momentInWords(side, moment);
      caption.textContent = `By ${side.by}, ${when}. Concepts are as seen in the step, results as given by it.${sure}`;
      rows.forEach((/** @type {{row: HTMLElement, cells: HTMLElement[]}} */ { row, cells }, /** @type {number} */ i) => {
        row.classList.toggle("changed", changed.has(i));
        row.classList.toggle("selected", selected === i);
        cells.forEach((cell, column) => {
          const text =
            moment === 0 && this.page.algorithm.concepts.includes(names[column])
              ? "–"
              : this.teller.toldWithSureness(side, names[column], moment, i);
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
