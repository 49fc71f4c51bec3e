// @ts-check
"use strict";

/*
 * Layouts in which every element is a box: on each axis from one number, or cell, to another. Python has the same in algolens/layouts,
 * and a test compares the two. Nothing here draws.
 */

/** @typedef {[number, number, number, number]} Box  left, right, low, high */

/** The fields of a run at one moment, as a layout reads them. */
class LayoutMoment {
  /** @param {any} page @param {Side} side @param {number} moment */
  constructor(page, side, moment) {
    this.page = page;
    this.side = side;
    this.moment = moment;
    this.count = side.graph.counts[page.algorithm.layout.at];
  }

  /** A field's values after the moment's step; what is only observed, as the next step sees it. @param {string} name @returns {number[]} */
  at(name) {
    const { side, moment } = this;
    const { algorithm } = this.page;
    if (Object.hasOwn(side.inputs, name)) return side.inputs[name].map(Number);
    if (algorithm.state.includes(name) || Object.hasOwn(algorithm.outputs, name)) {
      return (side.at(name, moment) ?? Array.from({ length: side.graph.counts[fieldOf(this.page, name).at] }, () => 0)).map(Number);
    }
    return side.steps > 0 ? (side.fields[name]?.at(Math.min(moment, side.steps - 1)) ?? []).map(Number) : [];
  }

  /** The least and the greatest value of a field in the whole run. @param {string} name @returns {[number, number]} */
  ever(name) {
    const { side } = this;
    const timeline = side.fields[name];
    const values = [...(side.inputs[name] ?? []), ...(side.start[name] ?? []), ...(timeline?.everyValue() ?? [])].map(Number);
    return values.length === 0 ? [0, 0] : [least(values), -least(values.map((value) => -value))];
  }
}

/** The least of many numbers. @param {number[]} values */
function least(values) {
  return values.reduce((one, other) => Math.min(one, other));
}

/** Where every element stands in the order; of equals, the first comes first. @param {any} layout @param {LayoutMoment} now @returns {number[]} */
function ranksIn(layout, now) {
  const everyone = Array.from({ length: now.count }, (_, i) => i);
  if (layout.order == null) return everyone;
  const values = now.at(layout.order);
  const sign = layout.largest_first ? -1 : 1;
  const isChain = fieldOf(now.page, layout.order).kind === "pointer";
  const order = isChain ? alongPointers(values) : everyone.sort((a, b) => sign * (values[a] - values[b]) || a - b);
  /** @type {number[]} */
  const ranks = [];
  order.forEach((element, rank) => {
    ranks[element] = rank;
  });
  return ranks;
}

/** Elements after those that they point to: the longest chain first, of equals the first. @param {number[]} pointers @returns {number[]} */
function alongPointers(pointers) {
  /** @type {Map<number, number[]>} */
  const after = new Map();
  pointers.forEach((target, i) => {
    if (target !== i) after.set(target, [...(after.get(target) ?? []), i]);
  });
  const isMet = pointers.map(() => false);
  const heads = pointers.flatMap((target, i) => (target === i ? [i] : []));
  // what points in a circle has no head, and begins anywhere
  const chains = [...heads, ...pointers.keys()].map((head) => {
    const chain = [];
    const waiting = [head];
    while (waiting.length) {
      const element = /** @type {number} */ (waiting.pop());
      if (isMet[element]) continue;
      isMet[element] = true;
      chain.push(element);
      waiting.push(...[...(after.get(element) ?? [])].reverse());
    }
    return chain;
  });
  return chains.sort((a, b) => b.length - a.length).flat();
}

/** The elements that a mark names: where a mask holds, or at the place that a number of the graph says.
 *  @param {any} layout @param {LayoutMoment} now @param {string} mark @returns {number[]} */
function namedBy(layout, now, mark) {
  const { at, kind } = fieldOf(now.page, mark);
  const values = now.at(mark);
  if (at !== "graph") return values.flatMap((value, i) => (value === 1 ? [i] : []));
  const places = kind === "number" && layout.order != null ? now.at(layout.order) : Array.from({ length: now.count }, (_, i) => i);
  return places.flatMap((place, i) => (place === values[0] ? [i] : []));
}

/** The least and the greatest of some fields in the whole run, and 0. @param {LayoutMoment} now @param {string[]} names @returns {[number, number]} */
function spanOf(now, names) {
  const spans = names.map((name) => now.ever(name));
  return [Math.min(0, ...spans.map(([low]) => low)), Math.max(0, ...spans.map(([, high]) => high))];
}

/**
 * By form: whether its axes are of numbers or of cells, the box of every element, what is shown at every moment, and what to say of it.
 * @type {Record<string, {across: boolean, upwards: boolean, boxes: (layout: any, now: LayoutMoment) => Box[],
 *   extent: (layout: any, now: LayoutMoment) => Box, told: (layout: any) => [string, string[]][]}>}
 */
const LAYOUTS = {
  bars: {
    across: false,
    upwards: true,
    boxes(layout, now) {
      const values = now.at(layout.of);
      return ranksIn(layout, now).map((rank, i) => [rank, rank + 1, Math.min(0, values[i]), Math.max(0, values[i])]);
    },
    extent: (layout, now) => [0, now.count, ...spanOf(now, [layout.of, ...layout.lines])],
    told: (layout) => [["height", [layout.of]], ["left to right", layout.order === null ? [] : [layout.order]]],
  },
  tape: {
    across: false,
    upwards: false,
    boxes(layout, now) {
      const below = layout.second === null ? Array.from({ length: now.count }, () => 0) : now.at(layout.second);
      const lengths = [0, 0];
      const columns = below.map((row) => lengths[row]++);
      const [upper, lower] = (layout.meets ?? []).map((/** @type {string} */ mark) => namedBy(layout, now, mark)[0]);
      const shift = upper === undefined || lower === undefined ? 0 : columns[upper] - columns[lower];
      return columns.map((column, i) => [column + shift * below[i], column + shift * below[i] + 1, below[i], below[i] + 1]);
    },
    extent(layout, now) {
      const below = layout.second === null ? 0 : now.at(layout.second).reduce((sum, value) => sum + value, 0);
      return [0, Math.max(below, now.count - below), 0, layout.second === null ? 1 : 2];
    },
    told: (layout) => [
      ["in the cells", [layout.of]],
      ["second row", layout.second === null ? [] : [layout.second]],
      ["below the second row", layout.noted === null ? [] : [layout.noted]],
    ],
  },
  intervals: {
    across: true,
    upwards: false,
    boxes(layout, now) {
      const [ends, begins] = [now.at(layout.end), layout.begin === null ? null : now.at(layout.begin)];
      return ranksIn(layout, now).map((rank, i) => [begins === null ? 0 : begins[i], ends[i], rank, rank + 1]);
    },
    extent(layout, now) {
      const names = [layout.end, ...layout.lines, ...(layout.begin === null ? [] : [layout.begin])];
      return [...spanOf(now, names), 0, now.count];
    },
    told: (layout) => [
      [layout.begin === null ? "up to" : "from and to", [...(layout.begin === null ? [] : [layout.begin]), layout.end]],
      [layout.largest_first ? "top to bottom, the largest first" : "top to bottom", layout.order === null ? [] : [layout.order]],
      ["beside the bars", layout.noted === null ? [] : [layout.noted]],
    ],
  },
};
