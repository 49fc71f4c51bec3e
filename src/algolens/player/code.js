// @ts-check
"use strict";

/* The program as pseudo-code beside the run: the lines that a step carried out are lit, with those for whom. */

const MOST_BESIDE = 4; // names beside a line; of more, a count

/** @param {Task} task @param {Side} side @param {number} moment @param {string} title of the algorithm, where there are several; else empty */
function codeOf(task, side, moment, title) {
  const { page, words } = task;
  const fired = new Map(firedLines(page, side, moment).map((each) => [each.id, each]));
  const lines = page.algorithm.pseudocode.map((/** @type {any} */ line) => {
    const found = fired.get(line.id);
    const item = make("li", { class: found === undefined ? "" : "fired" }, make("span", { class: `depth${Math.min(line.depth, 3)}` }, line.text));
    if (found !== undefined && found.at !== null && found.at !== "graph") {
      const names = found.elements.slice(0, MOST_BESIDE).map((element) => words.name(/** @type {string} */ (found.at), element));
      const more = found.elements.length - names.length;
      item.append(" ", make("span", { class: "who" }, names.join(", ") + (more > 0 ? ` and ${more} more` : "")));
    }
    return item;
  });
  const heading = make("h3", {}, title === "" ? "The program" : `The program: ${title}`);
  return make("div", {}, heading, make("ol", { class: "code" }, ...lines));
}
