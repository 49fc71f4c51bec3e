// @ts-check
"use strict";

/* A graph of one's own: read from CSV and written as CSV, checked as the command checks it, and made into a page of the same program. */

/** What is wrong with a graph, in a line. */
class Refused extends Error {}

const MOST_OWN = { nodes: 300, edges: 1500 }; // that a page runs and draws at once
const MOST_DECIMALS = 6;

/** The cells of CSV, line by line; empty lines are passed over. @param {string} text @returns {string[][]} */
function cellsOf(text) {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => [...line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim()));
}

/** A cell as CSV writes it. @param {string} cell */
function asCell(cell) {
  return /[",\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A table by its header: columns by name. @param {string} text @param {string} what @param {string[]} needed @returns {{count: number, columns: Record<string, string[]>}} */
function tableOf(text, what, needed) {
  const [header, ...rows] = cellsOf(text);
  const missing = needed.find((name) => !(header ?? []).includes(name));
  if (missing !== undefined) throw new Refused(`${what}: the first line has no column '${missing}': begin with ${needed.join(",")}.`);
  rows.forEach((row, i) => {
    if (row.length !== header.length) throw new Refused(`${what}, line ${i + 2}: it has ${row.length} cells, and the header ${header.length}.`);
  });
  return { count: rows.length, columns: Object.fromEntries(header.map((name, place) => [name, rows.map((row) => row[place])])) };
}

class OwnGraph {
  /** @param {string[]} nodes @param {number[][]} edges @param {boolean} directed @param {Record<string, Record<string, string[]>>} columns by
   *  location and name, as text @param {number[][]} places in units of an edge */
  constructor(nodes, edges, directed, columns, places) {
    this.nodes = nodes;
    this.edges = edges;
    this.directed = directed;
    this.columns = columns;
    this.places = places;
    /** how far the drawing reaches, in units of an edge */
    this.room = [0, 1].map((axis) => Math.max(0, ...places.map((place) => place[axis])));
  }

  /** The inputs that a user gives, at a location. @param {any} page @param {string} at @returns {string[]} */
  static givenAt(page, at) {
    const { inputs } = page.algorithm;
    return Object.keys(inputs).filter((name) => inputs[name].at === at && !page.drawn.includes(name));
  }

  /** The graph of some pages, with all that they are given. @param {any[]} pages */
  static ofPages(pages) {
    const [{ graph }] = pages;
    /** @type {Record<string, Record<string, string[]>>} */
    const columns = { node: {}, edge: {} };
    for (const page of pages)
      for (const at of ["node", "edge"])
        for (const name of OwnGraph.givenAt(page, at))
          columns[at][name] = page.given[name] ?? page.inputs[name].map((/** @type {number} */ value) => (Number(value) === 1 ? "true" : "false"));
    return new OwnGraph([...graph.nodes], graph.edges.map((/** @type {number[]} */ ends) => [...ends]), graph.directed, columns, graph.places.map((/** @type {number[]} */ place) => [...place])).reaching(graph.room);
  }

  /** The same, with at least so much room. @param {number[] | undefined} room */
  reaching(room) {
    this.room = this.room.map((far, axis) => Math.max(far, room?.[axis] ?? 0));
    return this;
  }

  /** @param {string} edges @param {string} nodes both as CSV; of nodes none are needed @param {any[]} pages @param {OwnGraph} before whose nodes keep their places */
  static read(edges, nodes, pages, before) {
    const { count, columns } = edges.trim() === "" ? { count: 0, columns: /** @type {Record<string, string[]>} */ ({ source: [], target: [] }) } : tableOf(edges, "Edges", ["source", "target"]);
    const listed = nodes.trim() === "" ? { count: 0, columns: /** @type {Record<string, string[]>} */ ({ node: [] }) } : tableOf(nodes, "Nodes", ["node"]);
    const twice = listed.columns.node.find((name, i) => listed.columns.node.indexOf(name) !== i);
    if (twice !== undefined) throw new Refused(`Nodes: '${twice}' stands twice: keep one of them.`);
    const names = [...new Set([...listed.columns.node, ...columns.source.flatMap((name, i) => [name, columns.target[i]])])];
    const nameless = names.indexOf("");
    if (nameless >= 0) throw new Refused("A node has no name: write one in every line.");
    const place = new Map(names.map((name, i) => [name, i]));
    const ends = columns.source.map((name, i) => [/** @type {number} */ (place.get(name)), /** @type {number} */ (place.get(columns.target[i]))]);
    /** @type {Record<string, Record<string, string[]>>} */
    const found = { node: {}, edge: {} };
    for (const page of pages) {
      for (const name of OwnGraph.givenAt(page, "edge")) {
        if (count > 0 && columns[name] === undefined) throw new Refused(`Edges: ${page.algorithm.name} needs a column '${name}': write source,target,${name}.`);
        found.edge[name] = columns[name] ?? [];
      }
      for (const name of OwnGraph.givenAt(page, "node")) {
        if (names.length > 0 && (listed.columns[name] === undefined || listed.count < names.length))
          throw new Refused(`Nodes: ${page.algorithm.name} needs a column '${name}' with a line for each node: write node,${name}.`);
        found.node[name] = listed.columns[name] ?? [];
      }
    }
    // what no algorithm here reads is kept as it is
    for (const name of Object.keys(columns)) if (!["source", "target"].includes(name)) found.edge[name] ??= columns[name];
    for (const name of Object.keys(listed.columns)) if (name !== "node" && listed.count === names.length) found.node[name] ??= listed.columns[name];
    const own = new OwnGraph(names, ends, before.directed, found, []);
    own.places = placesFor(own, before);
    return own;
  }

  get edgesCsv() {
    const names = Object.keys(this.columns.edge);
    const rows = this.edges.map(([u, v], i) => [this.nodes[u], this.nodes[v], ...names.map((name) => this.columns.edge[name][i])]);
    return [["source", "target", ...names], ...rows].map((row) => row.map(asCell).join(",")).join("\n");
  }

  get nodesCsv() {
    const names = Object.keys(this.columns.node);
    const rows = this.nodes.map((node, i) => [node, ...names.map((name) => this.columns.node[name][i])]);
    return [["node", ...names], ...rows].map((row) => row.map(asCell).join(",")).join("\n");
  }

  /** Refuses what the command refuses of a graph. @param {any} page */
  check(page) {
    const { nodes, edges } = this;
    const { name, on_other_graphs: known } = page.algorithm;
    if (nodes.length === 0) throw new Refused("The graph has no node: add one.");
    if (nodes.length > MOST_OWN.nodes || edges.length > MOST_OWN.edges)
      throw new Refused(`A page runs graphs of up to ${MOST_OWN.nodes} nodes and ${MOST_OWN.edges} edges; this one has ${nodes.length} and ${edges.length}: run it with the command.`);
    const loop = edges.findIndex(([u, v]) => u === v);
    if (loop >= 0) {
      const why = known.loops_matter ? `which changes what ${name} finds, and which it does not see` : "which no edge of a drawing can be";
      throw new Refused(`Node '${nodes[edges[loop][0]]}' has a self-loop, ${why}: take it out.`);
    }
    const seen = new Set();
    for (const [u, v] of edges) {
      const key = this.directed || u < v ? `${u} ${v}` : `${v} ${u}`;
      if (seen.has(key)) throw new Refused(`The edge ${nodes[u]} - ${nodes[v]} stands twice: keep one of them.`);
      seen.add(key);
    }
  }
}

/** Numbers of a user as whole ones: the factor that makes all of them whole. @param {string[]} texts @param {boolean} isWhole @param {(i: number) => string} nameOf @param {string} name */
function factorFor(texts, isWhole, nameOf, name) {
  const places = texts.map((text, i) => {
    const found = /^[+-]?\d+(?:\.(\d+))?$/.exec(text);
    if (found === null) throw new Refused(`'${name}' of ${nameOf(i)} is '${text}': give a number, as 4 or 0.5.`);
    return (found[1] ?? "").replace(/0+$/, "").length;
  });
  const most = Math.max(0, ...places);
  if (most > 0 && isWhole) throw new Refused(`'${name}' of ${nameOf(places.indexOf(most))} is '${texts[places.indexOf(most)]}': give a whole number.`);
  if (most > MOST_DECIMALS) throw new Refused(`'${name}' of ${nameOf(places.indexOf(most))} has ${most} decimals: give ${MOST_DECIMALS} at most.`);
  return 10 ** most;
}

/** The inputs of an algorithm on a graph of one's own, as it counts with them. @param {any} page @param {OwnGraph} own @param {Record<string, string>} chosen
 *  of the graph, by name: what nodes are called, and numbers */
function inputsOn(page, own, chosen) {
  const { algorithm } = page;
  const { units } = algorithm.on_other_graphs;
  const nameOf = (/** @type {string} */ at, /** @type {number} */ i) =>
    at === "edge" ? `edge ${own.nodes[own.edges[i][0]]} - ${own.nodes[own.edges[i][1]]}` : `node ${own.nodes[i]}`;
  /** @type {Values} */
  const inputs = {};
  /** @type {Record<string, string[]>} */
  const given = {};
  /** @type {Record<string, number>} */
  const scales = {};
  const textsOf = (/** @type {string} */ name) => own.columns[algorithm.inputs[name].at][name];
  const isNumber = (/** @type {string} */ name) => algorithm.inputs[name]?.kind === "number" && ["node", "edge"].includes(algorithm.inputs[name].at) && !page.drawn.includes(name);
  for (const [name, field] of /** @type {[string, any][]} */ (Object.entries(algorithm.inputs))) {
    const count = field.at === "edge" ? own.edges.length : own.nodes.length;
    if (field.at === "graph") {
      if (field.kind === "pointer") inputs[name] = [Math.max(0, own.nodes.indexOf(chosen[name]))];
      else inputs[name] = page.inputs[name].map(decodedValue);
      if (field.kind === "number") given[name] = page.given[name];
    } else if (page.drawn.includes(name)) {
      // in a random order, each once; drawn anew only where the number of elements changes
      const kept = page.inputs[name].length === count ? page.inputs[name] : shuffled(count);
      [inputs[name], given[name]] = [kept.map(decodedValue), kept.map(String)];
    } else if (field.kind === "mask") {
      inputs[name] = textsOf(name).map((text, i) => {
        const found = ["false", "true", "0", "1", "no", "yes"].indexOf(text.toLowerCase());
        if (found < 0) throw new Refused(`'${name}' of ${nameOf(field.at, i)} is '${text}': give true or false.`);
        return found % 2;
      });
    } else {
      const [members, isWhole] = units[name] ?? [[name], true];
      const factors = members.filter(isNumber).map((/** @type {string} */ other) => factorFor(textsOf(other), isWhole, (i) => nameOf(algorithm.inputs[other].at, i), other));
      const factor = Math.max(1, ...factors);
      if (factor > 1) for (const member of members) scales[member] = factor;
      inputs[name] = textsOf(name).map((text, i) => {
        const value = Math.round(Number(text) * factor);
        const [least, most] = field.signed ? [-(2 ** 31), 2 ** 31] : [field.low ?? 0, 2 ** 31];
        if (value < least) throw new Refused(`'${name}' of ${nameOf(field.at, i)} is ${text}: ${algorithm.name} takes ${least} or more.`);
        if (value > most) throw new Refused(`'${name}' of ${nameOf(field.at, i)} is ${text}: a page takes up to ${most / factor}.`);
        return value;
      });
      given[name] = [...textsOf(name)];
      if (field.distinct === "graph") checkDistinct(name, inputs[name], (i) => nameOf(field.at, i));
    }
  }
  return { inputs, given, scales };
}

/** @param {string} name @param {Value[]} values @param {(i: number) => string} nameOf */
function checkDistinct(name, values, nameOf) {
  const known = new Map();
  values.forEach((value, i) => {
    if (known.has(value)) throw new Refused(`'${name}' of ${nameOf(known.get(value))} and of ${nameOf(i)} are the same, and these are to differ.`);
    known.set(value, i);
  });
}

/** The numbers from 0 on in a random order. @param {number} count */
function shuffled(count) {
  const numbers = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers;
}

/** The page of the same program on a graph of one's own, run from its start. @param {any} page @param {OwnGraph} own @param {Record<string, string>} chosen */
function pageOn(page, own, chosen) {
  own.check(page);
  const { inputs, given, scales } = inputsOn(page, own, chosen);
  const { algorithm } = page;
  const [times, counted] = algorithm.on_other_graphs.limit;
  const graph = new Graph(own.nodes.length, own.edges, own.directed);
  const many = counted === "pair" ? own.nodes.length ** 2 : graph.counts[counted];
  const made = { ...algorithm, most_steps: times * many };
  const machine = new Machine(made, graph, inputs);
  const rules = { rules: page.sides[0].rules, continues: page.sides[0].continues };
  const start = machine.start();
  const found = machine.run(rules, start);
  checkNeighbours(made, graph, found.steps.at(-1) ?? start, own);
  const names = Object.keys(found.steps[0] ?? {});
  const written = (/** @type {Value[]} */ values) => values.map((value) => (typeof value === "bigint" ? String(value) : value));
  const trace = Object.fromEntries(names.map((name) => [name, writtenTimeline(found.steps.map((step) => step[name]))]));
  const side = {
    ...page.sides[0],
    by: "the program",
    steps: found.steps.length,
    stopped: found.stopped,
    start: Object.fromEntries(Object.entries(start).map(([name, values]) => [name, written(values)])),
    trace,
    outcomes: Object.fromEntries(Object.entries(found.outcomes).map(([name, value]) => [name, Number(value) === 1])),
    has_concepts: true,
    sureness: {},
    goes_on_against: [],
    difference: null,
  };
  const drawing = { directed: own.directed, nodes: own.nodes, edges: own.edges, places: own.places, room: own.room, form: "a graph", outside: {} };
  return { ...page, graph_name: "your graph", algorithm: made, graph: drawing, inputs, given, scales, sides: [side], part: null };
}

/** A field over time as a page's JSON has it. @param {Value[][]} rows */
function writtenTimeline(rows) {
  const { steps, changes } = Timeline.ofRows(rows);
  return { first: rows[0] ?? [], steps, changes };
}

/** Refuses a run in which neighbours have the same class, for there were too few. @param {any} algorithm @param {Graph} graph @param {Values} last @param {OwnGraph} own */
function checkNeighbours(algorithm, graph, last, own) {
  const name = algorithm.on_other_graphs.neighbours_differ_in;
  if (name === null) return;
  const clash = graph.edges.find(([u, v]) => last[name][u] === last[name][v]);
  const most = algorithm.outputs[name].labels.length - 1;
  if (clash !== undefined) throw new Refused(`Node '${own.nodes[clash[0]]}' would need more than ${most} ${name}s under these priorities: take out edges.`);
}
