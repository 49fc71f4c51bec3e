/* Layouts in which every element is a box: on each axis from one number, or cell, to another. Python has the same in
 * algolens/language/layouts, and a test compares the two. Nothing here draws. */

/** @typedef {[number, number, number, number]} Box  left, right, low, high */

/** The least of many numbers. @param {number[]} values */
function least(values) {
  return values.reduce((one, other) => Math.min(one, other));
}

/** Places in the order; of equals, the first comes first. @param {any} layout @param {Moment} now */
function ranksIn(layout, now) {
  const everyone = upTo(now.count);
  if (layout.order == null) return everyone;
  const values = now.at(layout.order);
  const sign = layout.largest_first ? -1 : 1;
  const isChain = fieldOf(now.page, layout.order).kind === "pointer";
  const order = isChain ? alongPointers(values) : everyone.sort((a, b) => sign * (values[a] - values[b]) || a - b);
  const ranks = upTo(now.count);
  for (const [rank, element] of order.entries()) ranks[element] = rank;
  return ranks;
}

/** Elements after those that they point to: the longest chain first, of equals the first. @param {number[]} pointers */
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

/** Whether a field says where a letter of a pattern falls back to. @param {Page} page @param {string} name */
function isFall(page, name) {
  return name === "fall" && Object.hasOwn(page.algorithm.inputs, "in_pattern");
}

/** How many letters of a pattern are left after a mismatch, where that is known: places are counted in the whole row.
 *  @param {Moment} now */
function fallsIn(now) {
  const [fall, inside, reset] = ["fall", "in_pattern", "is_reset"].map((name) => now.at(name));
  const head = inside.indexOf(1);
  const isKnown = (/** @type {number} */ i) => inside[i] === 1 && (reset[i] === 1 || fall[i] !== i);
  return fall.map((place, i) => (isKnown(i) ? String(reset[i] === 1 ? 0 : place - head + 1) : ""));
}

/** The elements that a mark names: where a mask holds, or at the place that a number of the graph says.
 *  @param {any} layout @param {Moment} now @param {string} mark */
function namedBy(layout, now, mark) {
  const { at, kind } = fieldOf(now.page, mark);
  const values = now.at(mark);
  if (at !== "graph") return values.flatMap((value, i) => (value === 1 ? [i] : []));
  const places = kind === "number" && layout.order != null ? now.at(layout.order) : now.numbers;
  return places.flatMap((place, i) => (place === values[0] ? [i] : []));
}

/** How many levels a binary tree of so many has. @param {number} count */
function levelsOf(count) {
  return count === 0 ? 0 : Math.floor(Math.log2(count)) + 1;
}

/** Each number in a heap but the first, and the one above it. @param {any} layout @param {Moment} now */
function heapLinks(layout, now) {
  const ranks = ranksIn(layout, now);
  const out = layout.out === null ? [] : now.at(layout.out);
  const at = new Map(ranks.map((place, element) => [place, element]));
  return ranks.flatMap(
    (place, element) =>
      (place > 0 && out[element] !== 1 ? [[element, /** @type {number} */ (at.get((place - 1) >> 1))]] : [])
  );
}

/** Which cells of a table are drawn; null: all. @param {any} layout @param {Moment} now */
function cellsShown(layout, now) {
  const values = layout.where == null ? [] : now.at(layout.where);
  return values.some((value) => value !== 0) ? values.map((value) => value !== 0) : null;
}

/** The row and the column of so many cells of a square, or of a triangle, row by row. @param {number} count
 *  @param {boolean} isTriangle */
function cellsInRows(count, isTriangle) {
  const size = Math.floor(isTriangle ? (Math.sqrt(8 * count + 1) - 1) / 2 : Math.sqrt(count));
  /** @type {[number, number][]} */
  const cells = [];
  for (let row = 0; row < size; row++)
    for (let column = isTriangle ? row : 0; column < size; column++) cells.push([row, column]);
  // those that are left over follow down the diagonal
  for (let more = size; cells.length < count; more++) cells.push([more, more]);
  return cells;
}

/** Where the points of a plane are drawn: from 0 to 8 on the longer side, to the right and down. @param {any} layout
 *  @param {Moment} now */
function planePlaces(layout, now) {
  const [x, y] = [now.at(layout.x), now.at(layout.y)];
  const [[left, right], [low, high]] = [now.ever(layout.x), now.ever(layout.y)];
  const unit = Math.max(right - left, high - low, 1) / 8;
  return x.map((value, i) => [(value - left) / unit, (high - y[i]) / unit]);
}

/** The nodes between which a plane has segments. @param {any} layout @param {Moment} now */
function planeSegments(layout, now) {
  const ends = layout.segments.map((/** @type {string[]} */ pair) =>
    pair.map((name) => (fieldOf(now.page, name).at === "graph" ? now.at(name)[0] : now.at(name).indexOf(1))),
  );
  return ends.filter((/** @type {number[]} */ [one, other]) => one >= 0 && other >= 0 && one !== other);
}

/** The least and the greatest of some fields in the whole run, and 0. @param {Moment} now @param {string[]} names
 *  @returns {[number, number]} */
function spanOf(now, names) {
  const spans = names.map((name) => now.ever(name));
  return [Math.min(0, ...spans.map(([low]) => low)), Math.max(0, ...spans.map(([, high]) => high))];
}

/** Round numbers from one to another, about so many. @param {number} low @param {number} high @param {number} count */
function ticksOf(low, high, count) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * By form: whether its axes are of numbers or of cells, the box of every element, what is shown at every moment, and
 *  what to say of it.
 * @type {Record<string, {across: boolean, upwards: boolean, boxes: (layout: any, now: Moment) => Box[],
 *   extent: (layout: any, now: Moment) => Box, told: (layout: any) => Sign[]}>}
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
    told: (layout) => [["height", layout.of], ["left to right", layout.order]],
  },
  heap: {
    across: false,
    upwards: false,
    boxes(layout, now) {
      const levels = levelsOf(now.count);
      return ranksIn(layout, now).map((place) => {
        const level = levelsOf(place + 1) - 1;
        const wide = 2 ** (levels - 1 - level); // cells that a number has with all below it
        const left = wide * (place + 1 - 2 ** level) + (wide - 1) / 2;
        return [left, left + 1, 2 * level, 2 * level + 1];
      });
    },
    extent(_, now) {
      const levels = Math.max(1, levelsOf(now.count));
      return [0, 2 ** (levels - 1), 0, 2 * levels - 1];
    },
    told: (layout) => [["in the boxes", layout.of]],
  },
  tape: {
    across: false,
    upwards: false,
    boxes(layout, now) {
      const below = layout.second === null ? upTo(now.count).fill(0) : now.at(layout.second);
      const lengths = [0, 0];
      const columns = below.map((row) => lengths[row]++);
      const [upper, lower] = (layout.meets ?? []).map((/** @type {string} */ mark) => namedBy(layout, now, mark)[0]);
      const shift = upper === undefined || lower === undefined ? 0 : columns[upper] - columns[lower];
      return columns.map(
        (column, i) => [column + shift * below[i], column + shift * below[i] + 1, below[i], below[i] + 1]
      );
    },
    extent(layout, now) {
      const below = layout.second === null ? 0 : now.at(layout.second).reduce((sum, value) => sum + value, 0);
      return [0, Math.max(below, now.count - below), 0, layout.second === null ? 1 : 2];
    },
    told: (layout) => [
      ["in the cells", layout.of],
      ["second row", layout.second],
      ["below the second row", layout.noted],
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
      [layout.begin === null ? "up to" : "from and to", layout.begin, layout.end],
      [layout.largest_first ? "top to bottom, the largest first" : "top to bottom", layout.order],
      ["beside the bars", layout.noted],
    ],
  },
  grid: {
    across: false,
    upwards: false,
    boxes(layout, now) {
      const isGiven = layout.row !== null;
      const [rows, columns] = isGiven ? [now.at(layout.row), now.at(layout.column)] : [[], []];
      const cells = isGiven ? [] : cellsInRows(now.total, layout.triangle);
      return now.numbers.map((number, i) => {
        const [row, column] = isGiven ? [rows[i], columns[i]] : cells[number];
        return [column, column + 1, row, row + 1];
      });
    },
    extent(layout, now) {
      if (layout.row !== null) {
        const [[top, bottom], [left, right]] = [now.ever(layout.row), now.ever(layout.column)];
        return [left, right + 1, top, bottom + 1];
      }
      const size = (cellsInRows(now.total, layout.triangle).at(-1)?.[0] ?? 0) + 1;
      const shown = cellsShown(layout, now);
      const cells = shown === null ? [] : this.boxes(layout, now).filter((_, i) => shown[i]);
      if (cells.length === 0) return [0, size, 0, size];
      const far = (/** @type {number} */ axis, /** @type {number} */ sign) =>
        sign * least(cells.map((cell) => sign * cell[axis]));
      return [far(0, 1), far(1, -1), far(2, 1), far(3, -1)];
    },
    told: (layout) => [
      ["in the cells", layout.of],
      ["above the columns", layout.above],
      ["beside the rows", layout.beside],
    ],
  },
};
