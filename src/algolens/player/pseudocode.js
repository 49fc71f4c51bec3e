// @ts-check
"use strict";

/* The algorithm as pseudo-code, and which of its lines a step carried out: tests/told.py says the same. */

/** @typedef {{id: string, at: string | null, elements: number[]}} Fired */

/** @param {Page} page @param {Side} side @param {number} moment */
function firedLines(page, side, moment) {
  /** @type {any[]} */
  const lines = page.algorithm.pseudocode;
  const around =
    (/** @type {string} */ id) => lines.filter((line) => line.id === id).map(() => ({ id, at: null, elements: [] }));
  if (moment === 0) return around("start");
  if (moment > side.steps) return around("until");
  const scene = side.scene(side.step(moment));
  const fired = lines.flatMap((line) => {
    const elements = line.changed === null ? holdsAt(line, side, scene) : changedIn(side, moment, line.changed);
    return elements.length === 0 ? [] : [{ id: line.id, at: line.at, elements }];
  });
  const isLast = moment === side.steps && side.stopped !== "limit";
  return [...around("repeat"), ...fired, ...(isLast ? around("until") : [])];
}

/** Where the statement of a line holds. @param {any} line @param {Side} side @param {Scene | null} scene */
function holdsAt(line, side, scene) {
  if (line.when === null || scene === null) return [];
  return scene.where(line.when, line.at);
}

const MOST_BESIDE = 4; // names beside a line; of more, a count

/** The program beside the run: the lines that a step carried out are lit, with those for whom. @param {Task} task
 *  @param {Side} side @param {number} moment @param {string} title of the algorithm, where there are several; else
 *  empty */
function codeOf({ page, words }, side, moment, title) {
  const fired = new Map(firedLines(page, side, moment).map((each) => [each.id, each]));
  const lines = page.algorithm.pseudocode.map((line) => {
    const found = fired.get(line.id);
    const text = make("span", { class: `depth${Math.min(line.depth, 3)}` }, line.text);
    const item = make("li", { class: found === undefined ? "" : "fired" }, text);
    if (found !== undefined && found.at !== null && found.at !== "graph") {
      const at = found.at;
      const names = found.elements.slice(0, MOST_BESIDE).map((element) => words.name(at, element));
      const more = found.elements.length - names.length;
      item.append(" ", make("span", { class: "who" }, names.join(", ") + (more > 0 ? ` and ${more} more` : "")));
    }
    return item;
  });
  const heading = make("h3", {}, title === "" ? "The program" : `The program: ${title}`);
  return make("div", {}, heading, make("ol", { class: "code" }, ...lines));
}
