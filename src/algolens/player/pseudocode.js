// @ts-check
"use strict";

/*
 * The algorithm as pseudo-code, and which of its lines a step carried out. text/declared.py says the same in Python.
 *
 * For the page:
 *   page.algorithm.pseudocode                 the lines: {id, text, depth, at, when, changed}; `id` is "start", "repeat", "until" or a number.
 *   firedLines(page, side, moment)            those that a step carried out: [{id, at, elements}], in order. `at` and `elements` say for
 *       whom ("node", [3, 5]); a line that stands for the whole step has at null and no elements.
 */

/** @typedef {{id: string, at: string | null, elements: number[]}} Fired */

/** @param {any} page @param {Side} side @param {number} moment @returns {Fired[]} */
function firedLines(page, side, moment) {
  /** @type {any[]} */
  const lines = page.algorithm.pseudocode;
  const around = (/** @type {string} */ id) => lines.filter((line) => line.id === id).map(() => ({ id, at: null, elements: [] }));
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

/** Where the statement of a line holds. @param {any} line @param {Side} side @param {Scene | null} scene @returns {number[]} */
function holdsAt(line, side, scene) {
  if (line.when === null || scene === null) return [];
  return scene.where(line.when, line.at);
}
