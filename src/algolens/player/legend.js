// @ts-check
"use strict";

/* What colors and signs stand for, and the program as text. */

/** @param {{node: Classes | null, edge: Classes | null}} classes @param {GraphDrawing | BoxDrawing} drawing */
function legendOf(classes, drawing) {
  const keys = [];
  for (const [at, found] of Object.entries(classes)) {
    if (found === null) continue;
    if (found.title !== "") keys.push(make("span", { class: "key" }, make("strong", {}, found.title)));
    found.labels.forEach((/** @type {string} */ label, /** @type {number} */ number) => {
      if (label === "" || number > 16) return;
      const swatch = make("span", { class: at === "edge" ? "swatch bar" : "swatch" });
      paint(swatch, number, found.labels.length);
      keys.push(make("span", { class: "key" }, swatch, label));
    });
    if (found.labels.length > 17) keys.push(make("span", { class: "key" }, `and ${found.labels.length - 17} more colors`));
  }
  const say = (/** @type {string} */ sign, /** @type {string[]} */ names) => {
    if (names.length) keys.push(make("span", { class: "key" }, `${sign}: ${names.map(spaced).join(", ")}`));
  };
  for (const [sign, names] of drawing.told()) say(sign, names);
  keys.push(make("span", { class: "key" }, "thick: new in this step"));
  return keys;
}

/** The program of each run; of those that have the same, once. @param {any} page @param {Side[]} sides @returns {HTMLElement[]} */
function programsOf(page, sides) {
  /** @type {Map<string, Side[]>} */
  const alike = new Map();
  for (const side of sides) alike.set(JSON.stringify(side.rules), [...(alike.get(JSON.stringify(side.rules)) ?? []), side]);
  if (alike.size === 1) return [programOf(page, sides[0].rules)];
  return [...alike.values()].flatMap((those) => [
    make("h3", {}, `by ${those.map((side) => side.by).join(" and ")}`),
    programOf(page, those[0].rules),
  ]);
}

/** @param {any} page @param {Rules} rules */
function programOf(page, rules) {
  const { algorithm } = page;
  /** @type {HTMLElement[]} */
  const rows = [];
  const add = (/** @type {string} */ name, /** @type {string} */ text) =>
    rows.push(make("dt", {}, name), make("dd", {}, make("code", {}, text)));
  for (const [name, text] of Object.entries(algorithm.texts)) add(name, /** @type {string} */ (text));
  for (const [name, texts] of Object.entries(algorithm.moves))
    for (const text of /** @type {string[]} */ (texts)) add(`${name} becomes`, text);
  const { continues } = rules;
  for (const [output, classes] of Object.entries(rules.rules)) {
    // in the order of the classes: keys of an object that read as numbers are in that of numbers
    const { kind, labels } = algorithm.outputs[output];
    const ordered = kind === "mask" ? Object.keys(classes) : labels;
    for (const label of ordered) add(`${output} = ${label}`, writeFormula(classes[label]));
  }
  if (continues !== null) add("goes on while", `${continues[0]} ${algorithm.location}: ${writeFormula(continues[1])}`);
  return make("dl", {}, ...rows);
}
