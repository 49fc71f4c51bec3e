// @ts-check
"use strict";

/* What algorithms refuse of inputs, by name: the same checks as in Python (algorithms/_given.py), which a test compares. */

/** @typedef {{inputs: Values, graph: Graph, nameOf: (node: number) => string}} Given  what came */

/** Refuses inputs that the algorithm refuses, and all where it goes by Python, which a page has not. @param {any} algorithm @param {Graph} graph @param {Values} inputs
 *  @param {string[]} nodes their names */
function checkInputs(algorithm, graph, inputs, nodes) {
  if (algorithm.python.length > 0) throw new Refused(inPython(algorithm));
  for (const [name, ...names] of algorithm.checks) CHECKS[name]({ inputs, graph, nameOf: (node) => nodes[node] }, ...names);
}

/** @param {any} algorithm */
function inPython({ name, python }) {
  return `${name} goes by Python, by its own ${python[0]}(), which does not run in a page: change the file, and run the command again.`;
}

/** @type {Record<string, (given: Given, ...names: any[]) => void>} */
const CHECKS = {
  end_not_before({ inputs, nameOf }, begin, end) {
    const node = inputs[begin].findIndex((value, i) => value > inputs[end][i]);
    if (node >= 0) throw new Refused(`Node '${nameOf(node)}' ends before it begins: give an end that is not before the beginning.`);
  },

  ascending({ inputs, nameOf }, name) {
    const node = inputs[name].findIndex((value, i) => i > 0 && value < inputs[name][i - 1]);
    if (node >= 0) throw new Refused(`The ${spaced(name)} of node '${nameOf(node)}' is less than the one before it: give them in order.`);
  },

  below_count({ inputs, graph }, name) {
    const count = graph.counts.node;
    if (inputs[name][0] >= count) throw new Refused(`The ${spaced(name)} is ${inputs[name][0]}, and there are ${counted(count, "number")}: keep more of them.`);
  },

  pattern_last({ inputs, nameOf }, name) {
    const isInside = inputs[name].map((value) => Number(value) === 1);
    const node = isInside.findIndex((inside, i) => i > 0 && isInside[i - 1] && !inside);
    if (node >= 0) throw new Refused(`Node '${nameOf(node)}' is a letter of the text after one of the pattern: give the text first, then the pattern.`);
    const length = isInside.filter(Boolean).length;
    const text = isInside.length - length;
    if (length < 1 || length > Math.max(1, text))
      throw new Refused(`The pattern has ${length} letters and the text ${text}: give a pattern of at least one letter that is not longer than the text.`);
  },

  first_word_first({ inputs, nameOf }, up, inSecond) {
    const node = inputs[inSecond].findIndex((value, i) => Number(value) === 0 && Number(inputs[inSecond][Number(inputs[up][i])]) === 1);
    if (node >= 0) throw new Refused(`The row of ${nameOf(node)} is a letter of the first word after one of the second: give the first word, then the second.`);
  },

  no_three_on_a_line({ inputs, nameOf }, x, y) {
    const [xs, ys] = [inputs[x].map(BigInt), inputs[y].map(BigInt)];
    for (let a = 0; a < xs.length; a++) {
      /** @type {Map<string, number>} the directions in which it sees later points */
      const seen = new Map();
      for (let b = a + 1; b < xs.length; b++) {
        let [east, north] = [xs[b] - xs[a], ys[b] - ys[a]];
        const size = greatestDivisor(east < 0n ? -east : east, north < 0n ? -north : north) || 1n;
        const sign = east < 0n || (east === 0n && north < 0n) ? -1n : 1n;
        [east, north] = [(sign * east) / size, (sign * north) / size];
        const way = `${east} ${north}`;
        const others = way === "0 0" ? [a, b] : seen.has(way) ? [a, /** @type {number} */ (seen.get(way)), b] : null;
        if (others !== null)
          throw new Refused(`The nodes ${others.map(nameOf).join(", ")} are on one line, or in one place, where it is open which are corners: leave one out.`);
        seen.set(way, b);
      }
    }
  },

  colors_suffice({ inputs, graph, nameOf }, name, colors) {
    const priority = inputs[name];
    /** @type {number[][]} */
    const beside = priority.map(() => []);
    for (const [u, v] of graph.edges) {
      beside[u].push(v);
      beside[v].push(u);
    }
    const order = priority.map((_, i) => i).sort((a, b) => (priority[b] > priority[a] ? 1 : priority[b] < priority[a] ? -1 : 0));
    /** @type {number[]} */
    const color = [];
    for (const node of order) {
      const seen = new Set(beside[node].filter((other) => priority[other] > priority[node]).map((other) => color[other]));
      let own = 1;
      while (seen.has(own)) own++;
      if (own > colors) throw new Refused(`Node '${nameOf(node)}' would need more than ${colors} colors under these priorities: take out edges.`);
      color[node] = own;
    }
  },
};
