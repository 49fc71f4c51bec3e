/* A graph of one's own: drawn, or read from CSV, with whole numbers. For decimals, quoted names, self-loops and much
 * else there is the command. What is taken here, the command takes, and finds the same. */

/** What is wrong with a graph, in a line: control characters of names and values are escaped. */
class Refused extends Error {
  /** @param {string} said */
  constructor(said) {
    super(said.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`));
  }
}

const MOST_OWN = { nodes: 300, edges: 1500 }; // that a page runs and draws at once
const LARGEST_OWN = 999_999_999; // so that no sum grows beyond its bits
const WHOLE = /^-?\d{1,9}$/;

/** What an algorithm is given: a graph, a table, or numbers, letters, points. @param {Page} page */
function givenTo(page) {
  const { items } = page.algorithm;
  if (items === "cells") return "table";
  return readsEdges(page) || !items ? "graph" : plural(itemOf(page, "node"));
}

/** Why the graph of some pages is not changed in the page; null where it can be. @param {Page[]} pages */
function fixedBecause(pages) {
  const python = pages.find((page) => page.algorithm.python.length > 0);
  if (python !== undefined) return inPython(python.algorithm);
  const isOwn = pages.every(({ part, algorithm, scales, given, graph }) => {
    const isWhole = Object.values(given).flat().every((text) => WHOLE.test(text));
    const isChosen = Object.values(algorithm.inputs).every(({ at, kind }) => at !== "graph" || kind === "pointer");
    const isPlain = Object.keys(scales).length === 0 && graph.nodes.every((name) => !/[,"\n]/.test(name));
    return part === null && algorithm.on_other_graphs !== null && isWhole && isChosen && isPlain
      && isCheckable(algorithm);
  });
  const what = givenTo(pages[0]);
  const called = `${["graph", "table"].includes(what) ? "This" : "These"} ${what}`;
  return isOwn ? null : `${called} cannot be changed in the page.`;
}

/** A table by its header: columns by name. @param {string} text @param {string} what @param {string[]} needed */
function tableOf(text, what, needed) {
  if (text.includes('"')) throw new Refused(`${what}: a name in quotes is read by the command alone.`);
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== "");
  const bare = (/** @type {string} */ cell) => cell.replace(/^[ \t]+|[ \t]+$/g, "");
  const [header = needed, ...rows] = lines.map((line) => line.split(",").map(bare));
  const missing = needed.find((name) => !header.includes(name));
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined)
    throw new Refused(`${what}: the first line names the column '${twice}' twice: name each once.`);
  if (missing !== undefined)
    throw new Refused(`${what}: the first line has no column '${missing}': begin with ${needed.join(",")}.`);
  const odd = rows.findIndex((row) => row.length !== header.length);
  if (odd >= 0)
    throw new Refused(`${what}, line ${odd + 2}: it has ${rows[odd].length} cells, and the header ${header.length}.`);
  const column = (/** @type {number} */ place) => rows.map((row) => row[place]);
  return { count: rows.length, columns: Object.fromEntries(header.map((name, place) => [name, column(place)])) };
}

class OwnGraph {
  /** @param {string[]} nodes @param {number[][]} edges @param {boolean} directed
   *  @param {Record<string, Record<string, string[]>>} columns by location and name, as text @param {number[][]} places
   *  in units of an edge @param {number[]} room how far the drawing reaches, at least */
  constructor(nodes, edges, directed, columns, places, room = [0, 0]) {
    this.nodes = nodes;
    this.edges = edges;
    this.directed = directed;
    this.columns = columns;
    this.places = places;
    this.room = room.map((far, axis) => Math.max(far, ...places.map((place) => place[axis])));
    this.arrange();
  }

  /** The ends of edges as the command has them: the lower one first where no edge has a direction. */
  get ends() {
    return this.edges.map(([u, v]) => (this.directed || u < v ? [u, v] : [v, u]));
  }

  /** Puts edges, each as it was given, into the order of the command: by their ends. */
  arrange() {
    const { ends } = this;
    const order = [...ends.keys()].sort((a, b) => ends[a][0] - ends[b][0] || ends[a][1] - ends[b][1]);
    this.edges = order.map((edge) => this.edges[edge]);
    for (const [name, texts] of Object.entries(this.columns.edge))
      this.columns.edge[name] = order.map((edge) => texts[edge]);
  }

  /** The inputs that a user gives, at a location. @param {Page} page @param {string} at */
  static givenAt({ algorithm, drawn }, at) {
    return Object.keys(algorithm.inputs).filter((name) => algorithm.inputs[name].at === at && !drawn.includes(name));
  }

  /** The graph of some pages, with all that they are given. @param {Page[]} pages */
  static ofPages(pages) {
    const [{ graph }] = pages;
    /** @type {Record<string, Record<string, string[]>>} */
    const columns = { node: {}, edge: {} };
    for (const page of pages)
      for (const [at, found] of Object.entries(columns))
        for (const name of OwnGraph.givenAt(page, at))
          found[name] = page.given[name] ?? page.inputs[name].map((value) => String(Number(value) === 1));
    const edges = graph.edges.map(([u, v], edge) => (graph.turned?.[edge] ? [v, u] : [u, v]));
    return new OwnGraph(graph.nodes, edges, graph.directed, columns, graph.places, graph.room).copy();
  }

  copy() {
    const { nodes, edges, directed, columns, places, room } = structuredClone({ ...this });
    return new OwnGraph(nodes, edges, directed, columns, places, room);
  }

  /** @param {string} edges @param {string} nodes both as CSV; of nodes none are needed @param {Page[]} pages
   *  @param {OwnGraph} before whose nodes keep their places @param {boolean} isListed whether nodes are in the order of
   *  their list, as in a link; else those of edges come first, as the command reads them */
  static read(edges, nodes, pages, before, isListed = false) {
    const lines = tableOf(edges, "Edges", ["source", "target"]);
    const listed = tableOf(nodes, "Nodes", ["node"]);
    const { source, target, ...ofEdges } = lines.columns;
    const { node, ...ofNodes } = listed.columns;
    const twice = node.find((name, i) => node.indexOf(name) !== i);
    if (twice !== undefined) throw new Refused(`Nodes: '${twice}' stands twice: keep one of them.`);
    const named = source.flatMap((name, i) => [name, target[i]]);
    const names = [...new Set(isListed ? [...node, ...named] : [...named, ...node])];
    /** @type {Record<string, Record<string, string[]>>} */
    const columns = { edge: ofEdges, node: ofNodes };
    for (const page of pages)
      for (const [at, table] of Object.entries(columns))
        for (const name of OwnGraph.givenAt(page, at)) {
          const isEdge = at === "edge";
          const isShort = table[name] === undefined || (!isEdge && node.length < names.length);
          const [whose, where] = isEdge ? ["Edges", ""] : ["Nodes", " with a line for each node"];
          if (isShort && (isEdge ? lines.count : names.length) > 0)
            throw new Refused(`${whose}: ${page.algorithm.name} needs a column '${name}'${where}.`);
          table[name] ??= [];
        }
    for (const [name, texts] of Object.entries(ofNodes))
      columns.node[name] = names.map((each) => texts[node.indexOf(each)] ?? "");
    const ends = source.map((name, i) => [names.indexOf(name), names.indexOf(target[i])]);
    // nodes that are new stand on a circle, from where they can be moved
    const radius = Math.max(1, names.length / 6);
    const places = names.map((name, i) => {
      const angle = (2 * Math.PI * i) / names.length;
      const onCircle = [Math.cos(angle), Math.sin(angle)].map((far) => radius * (1 + far));
      return before.places[before.nodes.indexOf(name)] ?? onCircle;
    });
    return new OwnGraph(names, ends, before.directed, columns, places);
  }

  get edgesCsv() {
    return this.csv("edge", ["source", "target"], this.edges.map((ends) => ends.map((node) => this.nodes[node])));
  }

  get nodesCsv() {
    return this.csv("node", ["node"], this.nodes.map((name) => [name]));
  }

  /** @param {string} at @param {string[]} head @param {string[][]} rows */
  csv(at, head, rows) {
    const columns = Object.entries(this.columns[at]);
    const all = [head, ...rows].map((row, i) => [...row, ...columns.map(([name, texts]) => (i ? texts[i - 1] : name))]);
    return all.map((row) => row.join(",")).join("\n");
  }

  /** Refuses what a page does not run. */
  check() {
    const { nodes, edges, ends } = this;
    if (nodes.length === 0) throw new Refused("The graph has no node: add one.");
    if (nodes.includes("")) throw new Refused("A node has no name: write one in every line.");
    const most = `${MOST_OWN.nodes} nodes and ${MOST_OWN.edges} edges`;
    if (nodes.length > MOST_OWN.nodes || edges.length > MOST_OWN.edges)
      throw new Refused(`A page runs graphs of up to ${most}; this one is larger: run it with the command.`);
    const loop = edges.find(([u, v]) => u === v);
    if (loop !== undefined) throw new Refused(`Node '${nodes[loop[0]]}' has a self-loop: take it out.`);
    const twice = ends.find(([u, v], i) => i > 0 && ends[i - 1][0] === u && ends[i - 1][1] === v);
    if (twice !== undefined)
      throw new Refused(`The edge ${twice.map((node) => nodes[node]).join(" - ")} stands twice: keep one of them.`);
  }
}

/** The inputs of an algorithm on a graph of one's own. @param {Page} page @param {OwnGraph} own
 *  @param {Record<string, string>} chosen of the graph, by name: what nodes are called */
function inputsOn({ algorithm, drawn, inputs: before }, own, chosen) {
  /** @type {Values} */
  const inputs = {};
  /** @type {Record<string, string[]>} */
  const given = {};
  for (const [name, field] of /** @type {[string, any][]} */ (Object.entries(algorithm.inputs))) {
    const count = field.at === "edge" ? own.edges.length : own.nodes.length;
    const texts = own.columns[field.at]?.[name];
    const whose = (/** @type {number} */ i) =>
      field.at === "edge" ? `edge ${own.edges[i].map((node) => own.nodes[node]).join(" - ")}` : `node ${own.nodes[i]}`;
    if (field.kind === "pointer") inputs[name] = [Math.max(0, own.nodes.indexOf(chosen[name]))];
    else if (drawn.includes(name) || (field.drawn && texts?.every((text) => text === ""))) {
      // in a random order, each once; drawn anew only where the number of elements changes
      inputs[name] = before[name].length === count ? before[name].map(decodedValue) : shuffled(count);
      given[name] = inputs[name].map(String);
    } else if (field.kind === "mask") {
      inputs[name] = texts.map((text, i) => {
        const found = ["false", "true", "0", "1"].indexOf(text.toLowerCase());
        if (found < 0) throw new Refused(`'${name}' of ${whose(i)} is '${text}': give true or false.`);
        return found % 2;
      });
    } else {
      const [least, most] = algorithm.on_other_graphs.bounds[name].map(Number);
      const top = Math.min(most, LARGEST_OWN);
      inputs[name] = texts.map((text, i) => {
        if (!WHOLE.test(text) || Number(text) < least || Number(text) > top)
          throw new Refused(
            `'${name}' of ${whose(i)} is '${text}': give a whole number from ${least} to ${top}, or use the command.`
          );
        return Number(text);
      });
      const twice = field.distinct == null ? -1 : inputs[name].findIndex((value, i) => inputs[name].indexOf(value) < i);
      if (twice >= 0)
        throw new Refused(`'${name}' of ${whose(twice)} is that of another ${field.at}: these are to differ.`);
      given[name] = texts.map((text) => String(Number(text)));
    }
  }
  return { inputs, given };
}

/** The numbers from 0 on in a random order. @param {number} count */
function shuffled(count) {
  const keys = Array.from({ length: count }, () => Math.random());
  return [...keys.keys()].sort((a, b) => keys[a] - keys[b]);
}

/** The page of the same program on a graph of one's own, run from its start. @param {Page} page @param {OwnGraph} own
 *  @param {Record<string, string>} chosen */
function pageOn(page, own, chosen) {
  own.check();
  const { inputs, given } = inputsOn(page, own, chosen);
  const { nodes, ends: edges, directed, places, room } = own;
  const turned = own.edges.map(([u], edge) => Number(u !== edges[edge][0]));
  const [times, counted] = page.algorithm.on_other_graphs.limit;
  const graph = new Graph(nodes.length, edges, directed);
  const algorithm =
    { ...page.algorithm, most_steps: times * (counted === "pair" ? nodes.length ** 2 : graph.counts[counted]) };
  checkInputs(algorithm, graph, inputs, nodes);
  const machine = new Machine(algorithm, graph, inputs, false);
  const start = machine.start();
  const { steps, told } = machine.run(page.sides[0].rules, start);
  const written = (/** @type {string} */ name) => {
    const { first, steps: changing, changes } = Timeline.ofRows(steps.map((step) => step[name]));
    return { first, steps: changing, changes };
  };
  const trace = Object.fromEntries(Object.keys(steps[0] ?? {}).map((name) => [name, written(name)]));
  const side = { ...page.sides[0], ...told, by: "the program", steps: steps.length, start, trace };
  const drawing = { directed, nodes, edges, turned, places, room, form: "a graph", outside: {} };
  return { ...page, graph_name: `your ${givenTo(page)}`, algorithm, graph: drawing, inputs, given, sides: [side] };
}

/** Whether the page carries out all that an algorithm refuses. @param {PageAlgorithm} algorithm */
function isCheckable({ checks }) {
  return checks.every(([name]) => Object.hasOwn(CHECKS, name));
}

/** @param {PageAlgorithm} algorithm */
function inPython({ name, python }) {
  return `${name} goes by Python, by its own ${python[0]}(), which does not run in a page.`;
}

/** Refuses inputs that the algorithm refuses, as far as the page checks that. @param {PageAlgorithm} algorithm
 *  @param {Graph} graph @param {Values} inputs @param {string[]} nodes their names */
function checkInputs(algorithm, graph, inputs, nodes) {
  if (algorithm.python.length > 0) throw new Refused(inPython(algorithm));
  for (const [name, ...names] of algorithm.checks) CHECKS[name]?.(graph, inputs, nodes, ...names);
}

/** The checks of language/given.py that the page carries out.
 *  @type {Record<string, (graph: Graph, inputs: Values, nodes: string[], ...names: any[]) => void>} */
const CHECKS = {
  end_not_before(_, inputs, nodes, begin, end) {
    const node = inputs[begin].findIndex((value, i) => value > inputs[end][i]);
    if (node >= 0) throw new Refused(`Node '${nodes[node]}' ends before it begins: give a later end.`);
  },

  colors_suffice({ edges }, inputs, nodes, name, colors) {
    const priority = inputs[name];
    const order = [...priority.keys()].sort((a, b) => Number(priority[b]) - Number(priority[a]));
    /** @type {number[]} */
    const color = [];
    for (const node of order) {
      const seen = new Set(edges.filter((ends) => ends.includes(node)).flat().map((other) => color[other]));
      color[node] = 1;
      while (seen.has(color[node])) color[node]++;
      if (color[node] > colors)
        throw new Refused(
          `Node '${nodes[node]}' would need more than ${colors} colors under these priorities: take out edges.`
        );
    }
  },
};
