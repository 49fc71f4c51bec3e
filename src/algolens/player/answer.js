// @ts-check
"use strict";

/* The result of a run as a card: paths, the weight of a tree, the number of colors or sets, the order. */

const MOST_LISTED = 40; // of targets, sets or places in an order

/** @typedef {{text: string, chips: {text: string, at: string, element: number}[]}} Fact  chips: elements to choose, which light their path */

/** What a run came to, once it has ended. @param {Task} task @param {Side} side @returns {Fact[]} */
function answerOf(task, side) {
  const { page, words, teller } = task;
  const { algorithm } = page;
  const last = side.steps;
  const isTable = algorithm.layout.form === "grid"; // which shows what each cell came to
  /** @type {Fact[]} */
  const facts = [];
  const hasPaths = Object.keys(algorithm.outputs).some((name) => fieldOf(page, name).kind === "pointer" && isArrow(page, name));
  /** @type {Set<string>} */
  const told = new Set();
  const say = (/** @type {string} */ text, /** @type {Fact["chips"]} */ chips = []) => facts.push({ text, chips });
  const states = algorithm.words.states ?? {};
  const masks = [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])].filter((name) => Object.hasOwn(states, name) && fieldOf(page, name).kind === "mask");
  const named = new Set(masks);
  for (const at of ["node", "edge"]) {
    const those = masks.filter((name) => fieldOf(page, name).at === at);
    if (!those.some((name) => Object.hasOwn(algorithm.outputs, name))) continue;
    const found = statesAt(page, those, at, side.graph.counts[at]);
    const numbers = found?.of(side, last) ?? [];
    found?.labels.forEach((label, number) => {
      const those = numbers.flatMap((each, i) => (each === number ? [i] : []));
      if (number === 0 || those.length === 0) return;
      const chips = hasPaths || isTable || those.length === numbers.length ? [] : those.slice(0, MOST_LISTED).map((i) => ({ text: words.name(at, i), at, element: i }));
      say(`${label}: ${those.length} of ${counted(numbers.length, isTable ? "cell" : at)}${totalOf(task, side, at, those)}`, chips);
    });
  }
  for (const [name, field] of /** @type {[string, any][]} */ (Object.entries(algorithm.outputs))) {
    if (named.has(name)) continue; // as a state above
    const values = side.at(name, last)?.map(Number);
    if (values === undefined) continue;
    const chip = (/** @type {number} */ i, more = "") => ({ text: words.name(field.at, i) + more, at: field.at, element: i });
    if (field.kind === "category" && Object.hasOwn(LAYOUTS, algorithm.layout.form)) continue; // which the boxes show
    if (field.kind === "category") {
      const used = [...new Set(values)].sort((a, b) => a - b);
      if (!field.labels.every((/** @type {string} */ label) => Object.hasOwn(states, label))) say(counted(used.length, spaced(name)));
      for (const each of used.slice(0, MOST_LISTED)) {
        const those = values.flatMap((value, i) => (value === each ? [i] : []));
        say(`${states[field.labels[each]] ?? field.labels[each]}: ${counted(those.length, field.at)}`, those.slice(0, MOST_LISTED).map((i) => chip(i)));
      }
    } else if (field.kind === "mask") {
      const those = values.flatMap((value, i) => (value === 1 ? [i] : []));
      if (told.has(`${field.at} ${those}`)) continue; // another mask says the same
      told.add(`${field.at} ${those}`);
      const chips = hasPaths || those.length === values.length ? [] : those.slice(0, MOST_LISTED).map((i) => chip(i));
      say(`${spaced(name)}: ${those.length} of ${counted(values.length, field.at)}${totalOf(task, side, field.at, those)}`, chips);
    } else if (field.kind === "pointer" && isArrow(page, name) && field.to === "node") {
      const numbers = Object.keys(algorithm.outputs).filter((each) => fieldOf(page, each).kind === "number" && fieldOf(page, each).at === "node");
      const reached = values.flatMap((value, i) => (value === i ? [] : [i]));
      const beside = (/** @type {number} */ i) => numbers.map((number) => ` ${teller.told(side, number, last, i)}`).join("");
      say(`Paths by ${spaced(name)}: choose an end`, reached.slice(0, MOST_LISTED).map((i) => chip(i, beside(i))));
    } else if (isSet(page, name) && field.to === "node") {
      say(`${spaced(name)}: ${counted(new Set(values).size, "set")}`);
    } else if (field.kind === "number" && field.at === "node" && isOrder(values)) {
      const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
      say(`In order of ${spaced(name)}`, order.slice(0, MOST_LISTED).map((i) => chip(i)));
    } else if (field.at === "graph") {
      say(`${spaced(name)}: ${teller.told(side, name, last, 0)}`);
    }
  }
  for (const [name, value] of Object.entries(side.outcomes)) say(`${spaced(name)}: ${value ? "yes" : "no"}`);
  return facts;
}

/** Whether numbers are places in an order: each of 0, 1, ... once. @param {number[]} values */
function isOrder(values) {
  return values.length > 1 && new Set(values).size === values.length && Math.min(...values) >= 0 && Math.max(...values) <= values.length;
}

/** ", of weight 24 in all": the sum of an input over some elements. @param {Task} task @param {Side} side @param {string} at @param {number[]} those */
function totalOf({ page, words }, side, at, those) {
  const inputs = Object.entries(page.algorithm.inputs).filter(([name, field]) => at === "edge" && field.at === at && field.kind === "number" && !page.drawn.includes(name));
  return inputs
    .map(([name]) => `, ${spaced(name)} ${words.inUnits(name, those.reduce((sum, i) => sum + Number(side.inputs[name][i]), 0))} in all`)
    .join("");
}

/** A node and all on its way along pointers, and the edges between them. @param {Task} task @param {Side} side @param {number} moment @param {number} node
 *  @returns {Lit} */
function pathTo({ page }, side, moment, node) {
  const name = signsOf(page).pointer;
  const pointers = name === undefined ? null : side.at(name, moment);
  /** @type {Lit} */
  const lit = { node: new Set([node]), edge: new Set() };
  while (pointers !== null) {
    const next = Number(pointers[node]);
    const edge = page.graph.edges.findIndex(
      (/** @type {number[]} */ [u, v]) => (u === next && v === node) || (!page.graph.directed && u === node && v === next),
    );
    if (edge >= 0) lit.edge.add(edge);
    if (lit.node.has(next) || next >= pointers.length) break;
    lit.node.add(next);
    node = next;
  }
  return lit;
}

/** The card. @param {Player} player */
function showAnswers(player) {
  const ended = player.drawings.filter(({ side, task }) => player.momentOf(side) >= side.steps && side.steps > 0 && answerOf(task, side).length > 0);
  byId("answer").hidden = ended.length === 0;
  byId("answers").replaceChildren(
    ...ended.map(({ task, side }) => {
      const heading = player.drawings.length > 1 ? [make("h3", {}, player.nameOf(task, side))] : [];
      const facts = answerOf(task, side).map(({ text, chips }) => {
        const buttons = chips.map((chip) => {
          const button = make("button", { type: "button", class: "chip" }, chip.text);
          button.addEventListener("click", () => {
            player.lit = chip.at === "node" ? pathTo(task, side, side.steps, chip.element) : { node: new Set(), edge: new Set([chip.element]) };
            player.select(chip.at, chip.element);
            byId("drawings").scrollIntoView({ block: "nearest" }); // where the path is lit; on a phone, it is far above
          });
          return button;
        });
        return make("p", { class: "chips" }, `${text.charAt(0).toUpperCase()}${text.slice(1)}`, ...(buttons.length ? [": ", ...buttons] : ["."]));
      });
      return make("div", {}, ...heading, ...facts);
    }),
  );
}
