// @ts-check
"use strict";

/* What colors, forms and signs stand for, of what is seen now; and the program as formulas. */

const MOST_KEYS = 16;

/** What is seen now: the classes of elements, and signs. @param {Task} task @param {(GraphDrawing | BoxDrawing)[]} drawings of its runs */
function legendOf(task, drawings) {
  /** @type {HTMLElement[]} */
  const keys = [];
  const add = (/** @type {(Node | string)[]} */ ...parts) => keys.push(make("span", { class: "key" }, ...parts));
  for (const [at, found] of Object.entries(task.classes ?? {})) {
    if (found === null) continue;
    const seen = [...new Set(drawings.flatMap((drawing) => [.../** @type {Record<string, Map<number, number>>} */ (drawing.visible)[at].keys()]))];
    const named = seen.filter((number) => found.labels[number] !== "").sort((a, b) => a - b);
    if (named.length === 0) continue;
    if (found.title !== "") add(make("strong", {}, found.title));
    const kind = at === "node" && drawings[0] instanceof BoxDrawing ? "box" : at;
    for (const number of named.slice(0, MOST_KEYS)) add(sampleOf(kind, number, found.labels.length), found.labels[number]);
    if (named.length > MOST_KEYS) add(`and ${named.length - MOST_KEYS} more`);
  }
  for (const [sign, names] of drawings[0].told()) if (names.length) add(`${sign}${sign.includes(":") ? "" : ":"} ${names.map((name) => calledIn(task.page, name)).join(", ")}`);
  if (drawings.some((drawing) => drawing.hasNews)) add(make("span", { class: "decided", "aria-hidden": "true" }), "thick, violet: decided in this step");
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
  const text = textOf(algorithm);
  for (const { name, value } of /** @type {Let[]} */ (algorithm.program?.lets ?? [])) add(name, text.of(value));
  for (const { name } of /** @type {Let[]} */ (algorithm.program?.becomes ?? [])) for (const move of movesIn(algorithm, name)) add(`${name} becomes`, text.move(name, move));
  const { continues } = rules;
  for (const [output, classes] of Object.entries(rules.rules)) {
    // in the order of the classes: keys of an object that read as numbers are in that of numbers
    const { kind, labels } = algorithm.outputs[output];
    const ordered = kind === "mask" ? Object.keys(classes) : labels;
    for (const label of ordered) add(`${output} = ${label}`, text.of(classes[label]));
  }
  if (continues !== null) add("goes on while", `${continues[0]} ${algorithm.location}: ${text.of(continues[1])}`);
  return make("dl", {}, ...rows);
}
