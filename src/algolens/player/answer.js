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
class Ending extends Moment {
  /** @param {Side} side */
  constructor(side) {
    super(side, side.steps);
    const { form, triangle } = this.algorithm.layout;
    /** @type {[number, number][]} the row and the column of each cell of a table */
    this.cells = form === "grid" ? cellsInRows(this.total, triangle) : [];
  }

  /** The elements where a mask holds. @param {string} name */
  those(name) {
    const values = this.at(name);
    return [...values.keys()].filter((i) => values[i] === 1);
  }

  /** A field of an element in the user's words. @param {string} name @param {number} i */
  text(name, i) {
    return this.words.value(name, this.at(name)[i], i);
  }

  /** @param {number[]} elements @param {string} at @param {(i: number) => string} text @returns {Chip[]} */
  chips(elements, at = "node", text = (i) => this.words.name(at, i)) {
    return elements.slice(0, MOST_LISTED).map((element) => ({ text: text(element), at, element }));
  }

  /** ", weight 24 in all": the sum of an input over some edges. @param {number[]} edges */
  sumOver(edges) {
    const isSummed = (/** @type {[string, PageField]} */ [name, { at, kind }]) =>
      at === "edge" && kind === "number" && !this.page.drawn.includes(name);
    const [name] = Object.entries(this.algorithm.inputs).find(isSummed) ?? [];
    if (name === undefined) return "";
    const sum = edges.reduce((all, edge) => all + Number(this.side.inputs[name][edge]), 0);
    return `, ${calledIn(this.page, name)} ${this.words.inUnits(name, sum)} in all`;
  }

  /** Those where a mask holds, of all. @param {string} name @param {string} title @returns {Finding} */
  marked(name, title) {
    const { at } = fieldOf(this.page, name);
    const { layout, inputs } = this.algorithm;
    const those = this.those(name);
    const isHull = layout.form === "plane";
    const elements = isHull ? aroundMiddle(those, this.at(layout.x), this.at(layout.y)) : those;
    const isSpan = layout.form === "intervals" && layout.begin !== null;
    const beside = (/** @type {number} */ i) => {
      const called = this.words.name(at, i);
      if (Object.hasOwn(inputs, layout.of ?? "")) return `${this.text(layout.of, i)} (${called})`;
      return isSpan ? `${called} ${this.text(layout.begin, i)}–${this.text(layout.end, i)}` : called;
    };
    const count = this.side.graph.counts[at];
    const chips = those.length === count && !isHull && layout.form === "edges" ? [] : this.chips(elements, at, beside);
    const isOne = those.length === 1 && chips.length === 1;
    const many = isOne ? "" : `: ${those.length} of ${counted(count, itemOf(this.page, at))}`;
    return { text: `${title}${many}${at === "edge" ? this.sumOver(those) : ""}`, chips };
  }

  get findings() {
    const { algorithm: { name, outputs }, side: { outcomes } } = this;
    const said = Object.entries(outcomes).map(([each, value]) => {
      const [yes, no] = OUTCOMES[each] ?? [true, false].map((is) => `${upper(spaced(each))}: ${yesOrNo(is)}`);
      return only(value ? yes : no);
    });
    if (outcomes.is_cyclic || outcomes.has_negative_cycle || outcomes.is_bipartite === false) return said;
    const own = RESULTS[name]?.(this);
    if (own !== undefined) return own;
    if (MARKED[name] !== undefined) return [this.marked(...MARKED[name])];
    const found = Object.keys(outputs).flatMap((each) => this.findingOn(each) ?? []);
    const more = outcomes.is_cyclic === undefined ? said : [];
    return outcomes.is_bipartite ? [...more, ...found] : [...found, ...more];
  }

  /** What an output of an algorithm came to. @param {string} name @returns {Finding | null} */
  findingOn(name) {
    const { page, side, algorithm: { layout, words, outputs, inputs } } = this;
    const { kind, at, to, labels } = fieldOf(page, name);
    const values = this.at(name);
    const everyone = [...values.keys()];
    const named = (/** @type {number[]} */ those) => `{${those.map((i) => this.words.name(at, i)).join(" ")}}`;
    if (layout.order === name && layout.of !== undefined) {
      const ranks = ranksIn(layout, this);
      const order = [...ranks.keys()].sort((a, b) => ranks[a] - ranks[b]);
      return { text: "Sorted", chips: this.chips(order, at, (i) => this.text(layout.of, i)) };
    }
    if (layout.form === "grid") return null; // which shows what each cell came to
    if (kind === "number" && at === "node" && isOrder(values))
      return { text: "Order", chips: this.chips(everyone.sort((a, b) => values[a] - values[b])) };
    if (kind === "category") {
      const groups = grouped(everyone, (i) => values[i]).sort(([a], [b]) => values[a] - values[b]).map((those) => {
        const label = labels[values[those[0]]];
        return `${words.states[label] ?? label} ${named(those.slice(0, MOST_LISTED))}`;
      });
      const isSaid = labels.every((label) => Object.hasOwn(words.states, label));
      return only(upper(`${isSaid ? "" : `${counted(groups.length, spaced(name))}: `}${groups.join(", ")}`));
    }
    if (kind === "pointer" && isSet(page, name)) {
      const groups = grouped(everyone, (i) => values[i]).map(named);
      const rest = groups.length > MOST_LISTED ? ` and ${groups.length - MOST_LISTED} more` : "";
      return only(`${counted(groups.length, spaced(name))}: ${groups.slice(0, MOST_LISTED).join(" ")}${rest}`);
    }
    const ofKind = (/** @type {string} */ each) => Object.keys(outputs).filter((one) => outputs[one].kind === each);
    if (kind === "pointer" && to === "node" && isArrow(page, name)) {
      const numbers = ofKind("number").filter((each) => outputs[each].at === "node");
      const beside = (/** @type {number} */ i) =>
        [this.words.name("node", i), ...numbers.map((number) => this.told(number, i))].join(" ");
      const [first] = numbers;
      const greatest = first === "distance" ? "Shortest paths" : `Paths of the greatest ${spaced(first ?? "")}`;
      const source = inputs.source && ` from ${this.words.name("node", Number(side.inputs.source[0]))}`;
      const title = `${first === undefined ? "Paths" : greatest}${source ?? ""} (choose an end)`;
      return { text: title, chips: this.chips(everyone.filter((i) => values[i] !== i), "node", beside) };
    }
    const isTold = kind === "mask" && ofKind("pointer").length + ofKind("number").length === 0;
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
    return split < 0 ? "?" : `(${this.brackets(row, split)} ${this.brackets(split + 1, column)})`;
  }
}

/** @param {string} text @returns {Finding} */
const only = (text) => ({ text, chips: [] });

/** Where an algorithm's result takes more to be said. @type {Record<string, (end: Ending) => Finding[]>} */
const RESULTS = {
  binary_search(end) {
    const [found] = end.those("is_result");
    const isThere = Number(end.at("key")[found]) === end.at("target")[0];
    const said = isThere ? "is found" : "is not there; the place it belongs to";
    return [{ text: `${end.text("target", 0)} ${said}`, chips: end.chips([found]) }];
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
  independent_set: (end) => [{ text: "Independent set", chips: end.chips(end.those("status")) }],
  kmp_matcher: patternFound,
  lcs_length(end) {
    const same = end.path.filter((cell) => end.at("taken_from")[cell] === 0).reverse();
    const word = same.map((cell) => end.text("row_letter", cell));
    const text = word.join(word.some((letter) => letter.length > 1) ? " " : "");
    return [only(`Longest common subsequence: ${text || "none"}, length ${word.length}`)];
  },
  matrix_chain_order(end) {
    const last = end.size - 1;
    const said = last < 2 ? "?" : end.brackets(1, last);
    if (said.includes("?")) return [];
    return [only(`${said.slice(1, -1)}: ${end.text("cost", end.cell(1, last))} multiplications`)];
  },
  maximum_subarray(end) {
    const chips = end.chips(end.those("in_best"), "node", (i) => end.text("key", i));
    return [{ text: `Largest sum: ${end.text("best", 0)}`, chips }];
  },
  naive_string_matcher: patternFound,
  optimal_bst(end) {
    const cost = end.text("cost", end.cell(0, end.size - 1));
    const gap = end.splitOf("left_tree", 0, end.size - 1);
    return gap < 0 ? [] : [only(`Least cost: ${cost}, with key ${gap + 1} at the root`)];
  },
  prim(end) {
    const parents = end.at("parent");
    const { edges } = end.side.graph;
    const tree = [...edges.keys()].filter((edge) => {
      const [u, v] = edges[edge];
      return parents[u] === v || parents[v] === u;
    });
    const many = `${tree.length} of ${counted(edges.length, "edge")}`;
    return [{ text: `Minimum spanning tree: ${many}${end.sumOver(tree)}`, chips: end.chips(tree, "edge") }];
  },
  segments_intersect(end) {
    const told = end.inSentences.find(({ told }) => told?.at === "graph");
    return told === undefined ? [] : [only(told.text.replace(/\.$/, ""))];
  },
  strong_components: (end) => [/** @type {Finding} */ (end.findingOn("component"))],
};

/** @param {Ending} end */
function patternFound(end) {
  const [place] = end.those("match");
  const isFound = place !== undefined && end.at("in_pattern")[place] === 0;
  const found = `Found: the pattern begins at letter ${place + 1} of the text`;
  return [only(isFound ? found : "The pattern is not in the text")];
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

/** Points in order around their middle. @param {number[]} those @param {number[]} x @param {number[]} y */
function aroundMiddle(those, x, y) {
  const [left, low] = [x, y].map((values) => those.reduce((sum, i) => sum + values[i], 0) / those.length);
  const angle = (/** @type {number} */ i) => Math.atan2(y[i] - low, x[i] - left);
  return [...those].sort((a, b) => angle(a) - angle(b));
}

/** What is lit at the end of a run, as it shows the result. @param {Side} side @returns {Lit} */
function resultLit(side) {
  const isPath = side.page.algorithm.name === "lcs_length" && side.page.part === null && side.steps > 0;
  return { node: new Set(isPath ? new Ending(side).path : []), edge: new Set() };
}

/** A node and all on its way along pointers at the end of a run, and the edges between them. @param {Side} side
 *  @param {number} node */
function pathTo(side, node) {
  const { page, page: { graph } } = side;
  const { pointer } = signsOf(page);
  const pointers = pointer === undefined ? null : side.at(pointer, side.steps);
  const lit = nothingLit();
  lit.node.add(node);
  while (pointers !== null) {
    const next = Number(pointers[node]);
    const isBetween = (/** @type {number[]} */ [u, v]) =>
      (u === next && v === node) || (!graph.directed && u === node && v === next);
    const edge = graph.edges.findIndex(isBetween);
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
    ({ side }) => player.now(side).moment >= side.steps && side.steps > 0 && side.page.part === null
  );
  const results = ended.map(({ task, side }) => ({
    side,
    who: player.drawings.length > 1 ? player.nameOf(task, side) : "",
    findings: side.stopped === "limit" ? [] : new Ending(side).findings,
  }));
  const cards = results.map(({ side, who, findings }) => {
    const chosen = (/** @type {Chip} */ { text, at, element }) =>
      buttonOf(text, () => {
        player.lit = at === "node" ? pathTo(side, element) : { node: new Set(), edge: new Set([element]) };
        player.select(at, element);
        byId("drawings").scrollIntoView({ block: "nearest" }); // where the path is lit; on a phone, it is far above
      }, { class: "chip" });
    const lines = findings.map(({ text, chips }) =>
      make("p", { class: "chips" }, make("strong", {}, text + (chips.length ? ":" : ".")), ...chips.map(chosen)),
    );
    return make("div", {}, ...(who === "" ? [] : [make("h3", {}, who)]), ...lines);
  });
  const isThere = results.some(({ findings }) => findings.length > 0);
  byId("answer").hidden = !isThere;
  byId("answer").replaceChildren(...(isThere ? cards : []));
  for (const { who, findings: [first] } of results) {
    if (first === undefined) continue;
    const { text, chips } = first;
    const isListed = chips.length > 0 && chips.length <= MOST_CHIPS && chips[0].at === "node";
    const beside = isListed ? `: ${chips.map((chip) => chip.text).join(", ")}` : "";
    const said = `${who === "" ? "" : `${who}: `}${text}${beside}.`;
    byId("strip").prepend(make("span", { class: "result" }, said));
  }
}
