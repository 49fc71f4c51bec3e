// @ts-check
"use strict";

/* A graph of one's own: read from CSV and written as CSV, checked as the command checks it, and made into a page of the same program. */

/** What is wrong with a graph, in a line: control characters of names and values are escaped. */
class Refused extends Error {
  /** @param {string} said */
  constructor(said) {
    super(said.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`));
  }
}

const MOST_OWN = { nodes: 300, edges: 1500 }; // that a page runs and draws at once

/** Without the blanks around it: as the command, of all spaces only these. @param {string} text */
function trimmed(text) {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

/** The cells of CSV, line by line; empty lines are passed over. Of old files a carriage return ends lines, but then all. @param {string} text @returns {string[][]} */
function cellsOf(text) {
  const byReturn = /\r(?!\n)/.test(text);
  if (byReturn && text.includes("\n")) throw new Refused("A carriage return ends some lines and not others: end all lines alike.");
  return text
    .split(byReturn ? "\r" : /\r?\n/)
    .filter((line) => trimmed(line) !== "")
    .map((line) => [...line.matchAll(/(?:^|,)(?:[ \t]*"((?:[^"]|"")*)"[ \t]*|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? trimmed(plain)));
}

/** A cell as CSV writes it. @param {string} cell */
function asCell(cell) {
  return /[",\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A table by its header: columns by name. @param {string} text @param {string} what @param {string[]} needed @returns {{count: number, columns: Record<string, string[]>}} */
function tableOf(text, what, needed) {
  const [header, ...rows] = cellsOf(text);
  const missing = needed.find((name) => !(header ?? []).includes(name));
  const twice = (header ?? []).find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) throw new Refused(`${what}: the first line names the column '${twice}' twice: name each once.`);
  if (missing !== undefined) throw new Refused(`${what}: the first line has no column '${missing}': begin with ${needed.join(",")}.`);
  rows.forEach((row, i) => {
    if (row.length !== header.length) throw new Refused(`${what}, line ${i + 2}: it has ${row.length} cells, and the header ${header.length}.`);
  });
  return { count: rows.length, columns: Object.fromEntries(header.map((name, place) => [name, rows.map((row) => row[place])])) };
}

/** Whether two cells say the same, as text or as numbers. @param {string} one @param {string} other */
function saysTheSame(one, other) {
  const numbers = [exactNumber(one), exactNumber(other)];
  return one === other || (numbers[0] !== null && numbers[1] !== null && compareExact(numbers[0], numbers[1]) === 0);
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
    /** @type {number[]} at which index the user named each edge; ~index where from its second end, as in Python */
    this.named = edges.map((_, edge) => edge);
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
    const own = new OwnGraph([...graph.nodes], graph.edges.map((/** @type {number[]} */ ends) => [...ends]), graph.directed, columns, graph.places.map((/** @type {number[]} */ place) => [...place]));
    graph.order?.forEach((/** @type {number} */ edge, /** @type {number} */ i) => (own.named[edge] = graph.turned[edge] ? ~i : i));
    return own.reaching(graph.room);
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
    // in the order of the command: those of edges first
    const names = [...new Set([...columns.source.flatMap((name, i) => [name, columns.target[i]]), ...listed.columns.node])];
    const nameless = names.indexOf("");
    if (nameless >= 0) throw new Refused("A node has no name: write one in every line.");
    const place = new Map(names.map((name, i) => [name, i]));
    const inOrderOfNames = (/** @type {string[]} */ values) => listed.columns.node.reduce((/** @type {string[]} */ found, name, i) => ((found[/** @type {number} */ (place.get(name))] = values[i]), found), []);
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
        found.node[name] = inOrderOfNames(listed.columns[name] ?? []);
      }
    }
    // what no algorithm here reads is kept as it is
    for (const name of Object.keys(columns)) if (!["source", "target"].includes(name)) found.edge[name] ??= columns[name];
    for (const name of Object.keys(listed.columns)) if (name !== "node" && listed.count === names.length) found.node[name] ??= inOrderOfNames(listed.columns[name]);
    const own = new OwnGraph(names, ends, before.directed, found, []).without(pages);
    own.places = placesFor(own, before);
    return own;
  }

  /** The same without self-loops and second edges between two nodes, as the command reads it: where these change nothing. @param {any[]} pages */
  without(pages) {
    const { nodes, columns } = this;
    const matters = (/** @type {string} */ what) => pages.find((page) => page.algorithm.on_other_graphs[what])?.algorithm.name;
    /** @type {Map<string, number>} */
    const known = new Map();
    const isKept = this.edges.map(([u, v], edge) => {
      if (u === v && matters("loops_matter") !== undefined)
        throw new Refused(`Node '${nodes[u]}' has a self-loop, which changes what ${matters("loops_matter")} finds, and which it does not see: take it out.`);
      const key = this.directed || u < v ? `${u} ${v}` : `${v} ${u}`;
      const first = known.get(key);
      if (first === undefined) known.set(key, edge);
      const differs = first === undefined ? undefined : Object.keys(columns.edge).find((name) => !saysTheSame(columns.edge[name][first], columns.edge[name][edge]));
      if (first !== undefined && (differs !== undefined || (u !== v && matters("parallel_edges_matter") !== undefined))) {
        const why = differs === undefined ? "" : `, with ${differs} ${columns.edge[differs][first]} and ${columns.edge[differs][edge]}`;
        throw new Refused(`The edge ${nodes[u]} - ${nodes[v]} stands twice${why}: keep one of them.`);
      }
      return u !== v && first === undefined;
    });
    this.keep(isKept);
    return this.inOrder();
  }

  /** Leaves edges out. @param {boolean[]} isKept */
  keep(isKept) {
    const kept = (/** @type {any[]} */ values) => values.filter((_, edge) => isKept[edge]);
    [this.edges, this.named] = [kept(this.edges), kept(this.named)];
    for (const [name, texts] of Object.entries(this.columns.edge)) this.columns.edge[name] = kept(texts);
  }

  /** Adds an edge. @param {number} from @param {number} to */
  addEdge(from, to) {
    this.edges.push([from, to]);
    this.named.push(1 + Math.max(-1, ...this.named.map((index) => Math.max(index, ~index))));
    for (const texts of Object.values(this.columns.edge)) texts.push("1");
  }

  /** The edges in the user's order. */
  get order() {
    const index = this.named.map((each) => Math.max(each, ~each));
    return index.map((_, edge) => edge).sort((a, b) => index[a] - index[b]);
  }

  /** The same with its edges in the order of the command: by their ends, of which the lower one is first where no edge has a direction. */
  inOrder() {
    const ends = this.edges.map(([u, v]) => (this.directed || u < v ? [u, v] : [v, u]));
    const order = ends.map((_, edge) => edge).sort((a, b) => ends[a][0] - ends[b][0] || ends[a][1] - ends[b][1]);
    const named = this.named.map((index, edge) => (ends[edge][0] === this.edges[edge][0] ? index : ~index));
    [this.edges, this.named] = [order.map((edge) => ends[edge]), order.map((edge) => named[edge])];
    for (const [name, texts] of Object.entries(this.columns.edge)) this.columns.edge[name] = order.map((edge) => texts[edge]);
    return this;
  }

  get edgesCsv() {
    const names = Object.keys(this.columns.edge);
    const rows = this.order.map((i) => {
      const ends = this.edges[i].map((node) => this.nodes[node]);
      return [...(this.named[i] < 0 ? ends.reverse() : ends), ...names.map((name) => this.columns.edge[name][i])];
    });
    return [["source", "target", ...names], ...rows].map((row) => row.map(asCell).join(",")).join("\n");
  }

  get nodesCsv() {
    const names = Object.keys(this.columns.node);
    const rows = this.nodes.map((node, i) => [node, ...names.map((name) => this.columns.node[name][i])]);
    return [["node", ...names], ...rows].map((row) => row.map(asCell).join(",")).join("\n");
  }

  /** Whether edges are of another graph: they name none of these nodes, whose list is as it was. @param {string} edges @param {string} nodes both as CSV */
  isOther(edges, nodes) {
    if (edges.trim() === "" || nodes.trim() !== this.nodesCsv.trim()) return false;
    const { count, columns } = tableOf(edges, "Edges", ["source", "target"]);
    return count > 0 && ![...columns.source, ...columns.target].some((name) => this.nodes.includes(name));
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
      const why = known.loops_matter ? `which changes what ${name} finds, and which it does not see` : "which would be left out";
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

/** The inputs of an algorithm on a graph of one's own, as it counts with them. @param {any} page @param {OwnGraph} own @param {Record<string, string>} chosen
 *  of the graph, by name: what nodes are called */
function inputsOn(page, own, chosen) {
  const { algorithm } = page;
  const nameOf = (/** @type {string} */ at, /** @type {number} */ i) =>
    at === "graph" ? "the graph" : at === "edge" ? `edge ${own.nodes[own.edges[i][0]]} - ${own.nodes[own.edges[i][1]]}` : `node ${own.nodes[i]}`;
  /** @type {Values} */
  const inputs = {};
  /** @type {Record<string, string[]>} */
  const given = {};
  for (const [name, field] of /** @type {[string, any][]} */ (Object.entries(algorithm.inputs))) {
    const count = field.at === "edge" ? own.edges.length : own.nodes.length;
    if (page.drawn.includes(name) || (field.drawn && own.columns[field.at][name]?.every((text) => text === ""))) {
      // in a random order, each once; drawn anew only where the number of elements changes
      const kept = page.inputs[name].length === count ? page.inputs[name] : shuffled(count);
      [inputs[name], given[name]] = [kept.map(decodedValue), kept.map(String)];
    } else if (field.kind === "pointer") inputs[name] = [Math.max(0, own.nodes.indexOf(chosen[name]))];
    else if (field.kind === "number") given[name] = [...(field.at === "graph" ? page.given[name] : own.columns[field.at][name])];
    else if (field.at === "graph") inputs[name] = page.inputs[name].map(decodedValue);
    else
      inputs[name] = own.columns[field.at][name].map((text, i) => {
        const found = ["false", "true", "0", "1"].indexOf(text.toLowerCase());
        if (found < 0) throw new Refused(`'${name}' of ${nameOf(field.at, i)} is '${text}': give true or false.`);
        return found % 2;
      });
  }
  const scales = countedInputs(page, given, inputs, nameOf);
  return { inputs, given, scales };
}

/** Adds a user's numbers to the inputs, whole as they are counted; gives what they were multiplied by. @param {any} page @param {Record<string, string[]>} given
 *  @param {Values} inputs @param {(at: string, i: number) => string} nameOf @returns {Record<string, number>} */
function countedInputs({ algorithm, drawn }, given, inputs, nameOf) {
  const { units, bounds, bits } = algorithm.on_other_graphs;
  const names = Object.keys(given).filter((name) => !drawn.includes(name));
  /** @type {Record<string, Exact[]>} */
  const numbers = {};
  for (const name of names)
    numbers[name] = given[name].map((text, i) => {
      const found = exactNumber(text);
      if (found === null) throw new Refused(`'${name}' of ${nameOf(algorithm.inputs[name].at, i)} is '${text}': give a number, as 4 or 0.5.`);
      return found;
    });
  /** @type {Record<string, bigint>} */
  const factors = {};
  let needed = bits ?? 0;
  for (const name of [...names].sort((a, b) => Number(algorithm.inputs[a].at === "graph") - Number(algorithm.inputs[b].at === "graph"))) {
    const field = algorithm.inputs[name];
    const unit = units[name];
    const [least, most] = bounds[name].map(BigInt);
    if (unit.only_order && !unit.is_whole && field.at !== "graph") {
      inputs[name] = orderedNumbers(numbers[name], field, least, most);
      continue;
    }
    const factor = unit.is_whole ? 1n : commonFactor(names.filter((other) => unit.members.includes(other)).flatMap((other) => numbers[other]));
    for (const member of unit.members) factors[member] = factor;
    // a number of the graph has the bits that the others need, and no more
    const room = 2n ** BigInt(Math.max(1, needed - (field.signed ? 1 : 0))) - 1n;
    const top = field.at === "graph" && bits !== null && room < most ? room : most;
    inputs[name] = numbers[name].map(({ digits, power }, i) => {
      const whole = (digits * factor) / power;
      const isNone = (digits * factor) % power !== 0n || whole > top;
      const limit = factor === 1n ? `whole numbers from ${least} to ${top}` : `numbers up to ${top} when multiplied by ${factor} to be whole`;
      if (isNone || whole < least) throw new Refused(`'${name}' of ${nameOf(field.at, i)} is ${given[name][i]}: ${algorithm.name} takes ${isNone ? limit : `${least / factor} or more`}.`);
      if (field.at !== "graph") needed = Math.max(needed, bitsFor(whole, field.signed));
      return asValue(whole);
    });
    checkDistinct(name, field, inputs[name], (i) => nameOf(field.at, i));
  }
  const scales = Object.fromEntries(Object.entries(factors).map(([name, factor]) => [name, Number(factor)]));
  for (const [name, unit] of /** @type {[string, any][]} */ (Object.entries(units)))
    if (unit.factors.length > 0) scales[name] = unit.factors.reduce((/** @type {number} */ product, /** @type {string} */ factor) => product * (scales[factor] ?? 1), 1);
  return Object.fromEntries(Object.entries(scales).filter(([, factor]) => factor !== 1));
}

/** Numbers of which only the order counts: as they are where they are whole and differ as they must, else their ranks. @param {Exact[]} numbers @param {any} field
 *  @param {bigint} least @param {bigint} most @returns {Value[]} */
function orderedNumbers(numbers, field, least, most) {
  const isWhole = numbers.every(({ digits, power }) => power === 1n && digits >= least && digits <= most);
  const isDistinct = new Set(numbers.map(({ digits, power }) => `${digits}/${power}`)).size === numbers.length;
  if (isWhole && (isDistinct || field.distinct === undefined || field.distinct === null)) return numbers.map(({ digits }) => asValue(digits));
  return ranksOf(numbers, field.distinct === undefined || field.distinct === null).map((rank) => asValue(BigInt(rank) + least));
}

/** @param {string} name @param {any} field @param {Value[]} values @param {(i: number) => string} nameOf */
function checkDistinct(name, field, values, nameOf) {
  if (field.distinct !== "graph") return;
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
  const { bounds } = algorithm.on_other_graphs;
  const widened = (/** @type {Let[]} */ lets) => lets.map((each) => (bounds[each.name] === undefined ? each : { ...each, value: { ...each.value, least: bounds[each.name][0], most: bounds[each.name][1] } }));
  const lowered = { ...algorithm.lowered, start: widened(algorithm.lowered.start), becomes: widened(algorithm.lowered.becomes) };
  const made = { ...algorithm, most_steps: times * many, lowered };
  checkInputs(algorithm, graph, inputs, own.nodes);
  const machine = new Machine(made, graph, inputs);
  const start = machine.start();
  const found = machine.run(page.sides[0], start);
  const names = Object.keys(found.steps[0] ?? {});
  const written = (/** @type {Value[]} */ values) => values.map((value) => (typeof value === "bigint" ? String(value) : value));
  const trace = Object.fromEntries(names.map((name) => [name, writtenTimeline(found.steps.map((step) => step[name]))]));
  const side = {
    ...page.sides[0],
    ...found.told,
    by: "the program",
    steps: found.steps.length,
    start: Object.fromEntries(Object.entries(start).map(([name, values]) => [name, written(values)])),
    trace,
  };
  const named = { turned: own.named.map((index) => Number(index < 0)), order: own.order };
  const drawing = { directed: own.directed, nodes: own.nodes, edges: own.edges, ...named, places: own.places, room: own.room, form: "a graph", outside: {} };
  return { ...page, graph_name: "your graph", algorithm: made, graph: drawing, inputs, given, scales, sides: [side], part: null };
}

/** A field over time as a page's JSON has it. @param {Value[][]} rows */
function writtenTimeline(rows) {
  const { steps, changes } = Timeline.ofRows(rows);
  return { first: rows[0] ?? [], steps, changes };
}
