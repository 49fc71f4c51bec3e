// @ts-check
"use strict";

/* What a run came to, in the words of its problem: the numbers sorted, the tree and its weight, the word two words
 * share. */

const MOST_LISTED = 40; // of targets, sets or places in an order

/** @typedef {{text: string, at: string, element: number}} Chip  an element to choose, which lights its path */
/** @typedef {{text: string, chips: Chip[]}} Finding */

/** Of masks, what those that hold are called. @type {Record<string, [string, string]>} */
const MARKED = {
  activity_selection: ["selected", "Schedule"],
  articulation_points: ["is_cut", "Articulation points"],
  bfs: ["visited", "Reached"],
  boruvka: ["in_mst", "Minimum spanning tree"],
  bridges: ["is_bridge", "Bridges"],
  graham_scan: ["in_hull", "Hull"],
  jarvis_march: ["in_hull", "Hull"],
  k_core: ["in_core", "Left in the core"],
  kruskal: ["in_mst", "Minimum spanning tree"],
  matching: ["in_matching", "Matching"],
  minimum: ["is_least", "Least number"],
  order_statistic: ["found", "Found"],
  quickselect: ["found", "Found"],
  task_scheduling: ["selected", "Done in time"],
};

/** Of outcomes of the graph, what they say. @type {Record<string, [string, string]>} yes, no */
const OUTCOMES = {
  has_negative_cycle: ["There is a negative cycle: no path is shortest", "There is no negative cycle"],
  is_bipartite: ["The graph is bipartite", "The graph is not bipartite"],
  is_cyclic: ["There is a cycle: no order exists", "There is no cycle"],
};

/** The end of a run. */
class Ending {
  /** @param {Task} task @param {Side} side */
  constructor({ page, words, teller }, side) {
    this.page = page;
    this.words = words;
    this.teller = teller;
    this.side = side;
    this.now = new LayoutMoment(page, side, side.steps);
    const { form, triangle } = page.algorithm.layout;
    /** @type {[number, number][]} the row and the column of each cell of a table */
    this.cells = form === "grid" ? cellsInRows(this.now.total, triangle) : [];
  }

  /** @param {string} name */
  at(name) {
    return this.now.at(name);
  }

  /** The elements where a mask holds. @param {string} name */
  those(name) {
    return [...this.at(name).keys()].filter((i) => this.at(name)[i] === 1);
  }

  /** A field of an element in the user's words. @param {string} name @param {number} i */
  text(name, i) {
    const field = fieldOf(this.page, name);
    return this.words.value(name, field, /** @type {any} */ (this.at(name)[i]), i, this.side.given);
  }

  /** @param {number[]} elements @param {string} at @param {(i: number) => string} text */
  chips(elements, at = "node", text = (i) => this.words.name(at, i)) {
    return elements.slice(0, MOST_LISTED).map((element) => ({ text: text(element), at, element }));
  }

  /** ", weight 24 in all": the sum of an input over some edges. @param {number[]} edges */
  total(edges) {
    const { algorithm, drawn } = this.page;
    const name = Object.keys(algorithm.inputs).find((each) => {
      const { at, kind } = algorithm.inputs[each];
      return at === "edge" && kind === "number" && !drawn.includes(each);
    });
    if (name === undefined) return "";
    const sum = edges.reduce((all, edge) => all + Number(this.side.inputs[name][edge]), 0);
    return `, ${calledIn(this.page, name)} ${this.words.inUnits(name, sum)} in all`;
  }

  /** Those where a mask holds, of all. @param {string} name @param {string} title */
  marked(name, title) {
    const { at } = fieldOf(this.page, name);
    const those = this.those(name);
    const { layout, inputs } = this.page.algorithm;
    const number = layout.of ?? null;
    const isHull = layout.form === "plane";
    const elements = isHull ? aroundMiddle(those, this.at(layout.x), this.at(layout.y)) : those;
    const beside = (/** @type {number} */ i) => {
      if (number !== null && Object.hasOwn(inputs, number))
        return `${this.text(number, i)} (${this.words.name(at, i)})`;
      const span =
        layout.form === "intervals" && layout.begin !== null
          ? ` ${this.text(layout.begin, i)}–${this.text(layout.end, i)}`
          : "";
      return this.words.name(at, i) + span;
    };
    const count = this.side.graph.counts[at];
    const chips = those.length === count && !isHull && layout.form === "edges" ? [] : this.chips(elements, at, beside);
    const many =
      those.length === 1 && chips.length === 1 ? "" : `: ${those.length} of ${counted(count, itemOf(this.page, at))}`;
    return { text: `${title}${many}${at === "edge" ? this.total(those) : ""}`, chips };
  }

  get findings() {
    const { page, side } = this;
    const { algorithm } = page;
    const outcomes = Object.entries(side.outcomes).map(([name, value]) => {
      const said = OUTCOMES[name]?.[value ? 0 : 1] ?? `${upper(spaced(name))}: ${yesOrNo(value)}`;
      return { text: said, chips: [] };
    });
    if (side.outcomes.is_cyclic || side.outcomes.has_negative_cycle || side.outcomes.is_bipartite === false)
      return outcomes;
    const own = RESULTS[algorithm.name]?.(this);
    if (own !== undefined) return own;
    const marked = MARKED[algorithm.name];
    if (marked !== undefined) return [this.marked(...marked)];
    const found = Object.keys(algorithm.outputs).flatMap((name) => this.findingOn(name) ?? []);
    const said = side.outcomes.is_cyclic === undefined ? outcomes : [];
    return side.outcomes.is_bipartite ? [...said, ...found] : [...found, ...said];
  }

  /** What an output of an algorithm came to. @param {string} name */
  findingOn(name) {
    const { page, side, now } = this;
    const { layout, words, outputs } = page.algorithm;
    const { kind, at, to, labels } = fieldOf(page, name);
    const values = this.at(name);
    if (layout.order === name && layout.of !== undefined) {
      const ranks = ranksIn(layout, now);
      const order = [...ranks.keys()].sort((a, b) => ranks[a] - ranks[b]);
      return { text: "Sorted", chips: this.chips(order, at, (i) => this.text(layout.of, i)) };
    }
    if (layout.form === "grid") return null; // which shows what each cell came to
    if (kind === "number" && at === "node" && isOrder(values)) {
      const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
      return { text: "Order", chips: this.chips(order) };
    }
    if (kind === "category") {
      const used = [...new Set(values)].sort((a, b) => a - b);
      const groups = used.map((each) => {
        const those = [...values.keys()].filter((i) => values[i] === each).map((i) => this.words.name(at, i));
        return `${words.states[labels[each]] ?? labels[each]} {${those.slice(0, MOST_LISTED).join(" ")}}`;
      });
      const isSaid = labels.every((label) => Object.hasOwn(words.states, label));
      return {
        text: upper(`${isSaid ? "" : `${counted(used.length, spaced(name))}: `}${groups.join(", ")}`),
        chips: [],
      };
    }
    if (kind === "pointer" && isSet(page, name)) {
      const sets = grouped([...values.keys()], (i) => values[i]);
      const groups = sets.map((set) => `{${set.map((i) => this.words.name(at, i)).join(" ")}}`);
      const rest = groups.length > MOST_LISTED ? ` and ${groups.length - MOST_LISTED} more` : "";
      return {
        text: `${counted(sets.length, spaced(name))}: ${groups.slice(0, MOST_LISTED).join(" ")}${rest}`,
        chips: [],
      };
    }
    if (kind === "pointer" && to === "node" && isArrow(page, name)) {
      const numbers = Object.keys(outputs).filter(
        (each) => fieldOf(page, each).kind === "number" && fieldOf(page, each).at === "node"
      );
      const ends = [...values.keys()].filter((i) => values[i] !== i);
      const beside = (/** @type {number} */ i) =>
        this.words.name("node", i) + numbers.map(
          (number) => ` ${this.teller.told(side, number, side.steps, i)}`
        ).join("");
      const source =
        page.algorithm.inputs.source === undefined
          ? ""
          : ` from ${this.words.name("node", Number(side.inputs.source[0]))}`;
      const title =
        numbers.length === 0
          ? "Paths"
          : numbers[0] === "distance" ? "Shortest paths" : `Paths of the greatest ${spaced(numbers[0])}`;
      return { text: `${title}${source} (choose an end)`, chips: this.chips(ends, "node", beside) };
    }
    const isTold =
      kind === "mask" && !Object.values(outputs).some((field) => field.kind === "pointer" || field.kind === "number");
    return isTold ? this.marked(name, upper(calledIn(page, name))) : null;
  }

  /** A cell of a table by its row and column; -1 where there is none. @param {number} row @param {number} column */
  cell(row, column) {
    return this.cells.findIndex(([i, j]) => i === row && j === column);
  }

  /** How many rows a table has. */
  get size() {
    return (this.cells.at(-1)?.[0] ?? -1) + 1;
  }

  /** The cells along which a longest common subsequence is read back, from its end. */
  get path() {
    const [isPair, from] = [this.at("is_pair"), this.at("taken_from")];
    const last = isPair.lastIndexOf(1);
    const found = [];
    let [row, column] = last < 0 ? [-1, -1] : [Math.floor(last / this.size), last % this.size];
    for (let cell = last; cell >= 0 && isPair[cell] === 1; cell = row < 0 || column < 0 ? -1 : this.cell(row, column)) {
      found.push(cell);
      if (from[cell] !== 1) column -= 1;
      if (from[cell] !== 2) row -= 1;
    }
    return found;
  }

  /** Where an interval of a table is split in two; -1 where it is not. @param {string} name of the pointer to its first
   *  part @param {number} row @param {number} column */
  splitOf(name, row, column) {
    const split = this.cells[this.at(name)[this.cell(row, column)]]?.[1] ?? -1;
    return split >= row && split < column ? split : -1;
  }

  /** How a chain of matrices is bracketed. @param {number} row @param {number} column @returns {string} */
  brackets(row, column) {
    if (row === column) return `A${row}`;
    const split = this.splitOf("first_part", row, column);
    if (split < 0) return "?";
    return `(${this.brackets(row, split)} ${this.brackets(split + 1, column)})`;
  }
}

/** Where an algorithm's result takes more to be said. @type {Record<string, (end: Ending) => Finding[]>} */
const RESULTS = {
  binary_search(end) {
    const [found] = end.those("is_result");
    const isThere = Number(end.at("key")[found]) === end.at("target")[0];
    const text =
      isThere ? `${end.text("target", 0)} is found` : `${end.text("target", 0)} is not there; the place it belongs to`;
    return [{ text, chips: end.chips([found]) }];
  },
  dfs: (end) => [{ text: "Order of the first visits", chips: end.chips(byFirst(end.side, "visited")) }],
  dfs_topological_sort(end) {
    const follower = end.at("follower");
    const order = end.those("is_first").slice(0, 1);
    for (let next = follower[order[0]]; next !== undefined && !order.includes(next); next = follower[next])
      order.push(next);
    return [{ text: "Order", chips: end.chips(order) }];
  },
  dag_shortest_paths: (end) => [/** @type {Finding} */ (end.findingOn("parent"))],
  independent_set: (end) => [
    { text: "Independent set", chips: end.chips([...end.at("status").keys()].filter((i) => end.at("status")[i] === 1)) }
  ],
  kmp_matcher: patternFound,
  lcs_length(end) {
    const same = end.path.filter((cell) => end.at("taken_from")[cell] === 0).reverse();
    const word = same.map((cell) => end.text("row_letter", cell));
    const text = word.some((letter) => letter.length > 1) ? word.join(" ") : word.join("");
    return [{ text: `Longest common subsequence: ${text || "none"}, length ${word.length}`, chips: [] }];
  },
  matrix_chain_order(end) {
    const last = end.size - 1;
    const cell = end.cell(1, last);
    const said = last < 2 ? "?" : end.brackets(1, last);
    if (said.includes("?")) return [];
    return [{ text: `${said.slice(1, -1)}: ${end.text("cost", cell)} multiplications`, chips: [] }];
  },
  maximum_subarray(end) {
    const those = end.those("in_best");
    return [
      { text: `Largest sum: ${end.text("best", 0)}`, chips: end.chips(those, "node", (i) => end.text("key", i)) }
    ];
  },
  naive_string_matcher: patternFound,
  optimal_bst(end) {
    const whole = end.cell(0, end.size - 1);
    const gap = end.splitOf("left_tree", 0, end.size - 1);
    if (gap < 0) return [];
    return [{ text: `Least cost: ${end.text("cost", whole)}, with key ${gap + 1} at the root`, chips: [] }];
  },
  prim(end) {
    const parents = end.at("parent");
    const edges = [...end.side.graph.edges.keys()].filter((edge) => {
      const [u, v] = end.side.graph.edges[edge];
      return parents[u] === v || parents[v] === u;
    });
    const text =
      `Minimum spanning tree: ${edges.length} of ${counted(end.side.graph.edges.length, "edge")}${end.total(edges)}`;
    return [{ text, chips: end.chips(edges, "edge") }];
  },
  segments_intersect(end) {
    const told = end.teller.stepInWords(end.side, end.side.steps).find(({ told }) => told?.at === "graph");
    return told === undefined ? [] : [{ text: told.text.replace(/\.$/, ""), chips: [] }];
  },
  strong_components: (end) => [/** @type {Finding} */ (end.findingOn("component"))],
};

/** @param {Ending} end */
function patternFound(end) {
  const [place] = end.those("match");
  const isFound = place !== undefined && end.at("in_pattern")[place] === 0;
  return [
    {
      text: isFound ? `Found: the pattern begins at letter ${place + 1} of the text` : "The pattern is not in the text",
      chips: [],
    }
  ];
}

/** Whether numbers are places in an order: each of 0, 1, ... once. @param {number[]} values */
function isOrder(values) {
  return values.length > 1 && new Set(values).size === values.length && Math.min(...values) >= 0
    && Math.max(...values) <= values.length;
}

/** Elements in the order in which a mask came to hold. @param {Side} side @param {string} name */
function byFirst(side, name) {
  /** @type {Set<number>} */
  const found = new Set();
  for (let moment = 0; moment <= side.steps; moment++)
    side.at(name, moment)?.forEach((value, i) => Number(value) === 1 && found.add(i));
  return [...found];
}

/** Points in the order in which they stand around their middle. @param {number[]} those @param {number[]} x
 *  @param {number[]} y */
function aroundMiddle(those, x, y) {
  const [left, low] = [x, y].map((values) => those.reduce((sum, i) => sum + values[i], 0) / those.length);
  const angle = (/** @type {number} */ i) => Math.atan2(y[i] - low, x[i] - left);
  return [...those].sort((a, b) => angle(a) - angle(b));
}

/** What is lit at the end of a run, as it shows the result. @param {Task} task @param {Side} side */
function resultLit(task, side) {
  const isPath = task.name === "lcs_length" && task.page.part === null && side.steps > 0;
  return { node: new Set(isPath ? new Ending(task, side).path : []), edge: new Set() };
}

/** A node and all on its way along pointers, and the edges between them. @param {Task} task @param {Side} side
 *  @param {number} moment @param {number} node */
function pathTo({ page }, side, moment, node) {
  const name = signsOf(page).pointer;
  const pointers = name === undefined ? null : side.at(name, moment);
  const lit = nothingLit();
  lit.node.add(node);
  while (pointers !== null) {
    const next = Number(pointers[node]);
    const isBetween = (/** @type {number[]} */ [u, v]) =>
      (u === next && v === node) || (!page.graph.directed && u === node && v === next);
    const edge = page.graph.edges.findIndex(isBetween);
    if (edge >= 0) lit.edge.add(edge);
    if (lit.node.has(next) || next >= pointers.length) break;
    lit.node.add(next);
    node = next;
  }
  return lit;
}

/** The results of the runs that have ended, before all else that is told. @param {Player} player */
function showAnswers(player) {
  const ended = player.drawings.filter(
    ({ side, task }) => player.momentOf(side) >= side.steps && side.steps > 0 && task.page.part === null
  );
  const cards = ended.map(({ task, side }) => {
    const heading = player.drawings.length > 1 ? [make("h3", {}, player.nameOf(task, side))] : [];
    const findings = side.stopped === "limit" ? [] : new Ending(task, side).findings;
    const lines = findings.map(({ text, chips }) => {
      const buttons = chips.map((chip) =>
        buttonOf(chip.text, () => {
          const isNode = chip.at === "node";
          player.lit =
            isNode ? pathTo(task, side, side.steps, chip.element) : { node: new Set(), edge: new Set([chip.element]) };
          player.select(chip.at, chip.element);
          byId("drawings").scrollIntoView({ block: "nearest" }); // where the path is lit; on a phone, it is far above
        }, { class: "chip" }),
      );
      return make("p", { class: "chips" }, make("strong", {}, text + (buttons.length ? ":" : ".")), ...buttons);
    });
    return make("div", {}, ...heading, ...lines);
  });
  const isThere = cards.some((card) => card.querySelector(".chips") !== null);
  byId("answer").hidden = !isThere;
  byId("answer").replaceChildren(...(isThere ? cards : []));
  for (const { task, side } of ended) {
    const [first] = side.stopped === "limit" ? [] : new Ending(task, side).findings;
    if (first === undefined) continue;
    const { text, chips } = first;
    const who = player.drawings.length > 1 ? `${player.nameOf(task, side)}: ` : "";
    const beside =
      chips.length > 0 && chips.length <= MOST_CHIPS && chips[0].at === "node"
        ? `: ${chips.map((chip) => chip.text).join(", ")}`
        : "";
    byId("strip").prepend(make("span", { class: "result" }, `${who}${text}${beside}.`));
  }
}
