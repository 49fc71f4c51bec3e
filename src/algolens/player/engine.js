// @ts-check
"use strict";

/*
 * A program, carried out in the page. Its nodes (language/ir.py, read from JSON) become functions of a row, `me`, and of one in view, `it`.
 * What a step gives comes from the lowered program: each let is a column, computed for all rows at once. Why it is so comes from the
 * program as it is written: what a statement says of one element, and who in view makes it so. It knows nothing of the page around it.
 */

/** @typedef {number | bigint} Value  A mask is 0 or 1, a category the number of its class, a pointer the number of an element. What
 *   JavaScript would round is a bigint, and nothing else is: so values are equal where they are identical. */
/** @typedef {Record<string, Value[]>} Values */
/** @typedef {any} Expr  Of a program: see language/ir.py. */
/** @typedef {any} View  Those in view of an element: see language/ir.py. */
/** @typedef {(me: number, it: number) => any} Of */
/** @typedef {{name: string, at: string, value: Expr}} Let */
/** @typedef {{rules: Record<string, Record<string, Expr>>, continues: [string, Expr] | null, lowered: {lets: Let[], becomes: Let[]}}} Rules  As they are
 *   written, and lowered. */
/** @typedef {{at: string, kind: string, to?: string, labels?: string[]}} Field */
/** @typedef {{concept: string, value: number, element: number, step: number}} Setting  A concept that is set by hand. */

const MOST_SECONDS = 20; // of a run: a page stands still for so long
const GOES_ON = "goes on";
/** @type {Record<string, string>} the tables that steps of the graph lead to */
const LEADS_TO = { sender: "node", receiver: "node", edge: "edge", reverse: "link", one_end: "node", other_end: "node", graph: "graph" };

/** Nodes, and what holds them, from short arrays: see player/declared.py. @param {string[][]} shapes @param {any} value @returns {any} */
function nodesIn(shapes, value) {
  const read = (/** @type {any} */ part) => nodesIn(shapes, part);
  if (Array.isArray(value) && typeof value[0] === "number") {
    const [type, ...names] = shapes[value[0]];
    const parts = value.slice(1).flatMap((part, i) => (part === null ? [] : [[names[i], read(part)]]));
    return { type, ...Object.fromEntries(parts) };
  }
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
}

/** A page with its program and its words as nodes. @param {any} written */
function unpacked({ shapes, ...page }) {
  const { program, lowered, decides, words, pseudocode } = page.algorithm;
  const algorithm = { ...page.algorithm, ...nodesIn(shapes, { program, lowered, decides, words, pseudocode }) };
  const sides = page.sides.map((/** @type {any} */ side) => ({ ...side, ...(side.decides === null ? algorithm.decides : nodesIn(shapes, side.decides)) }));
  return { ...page, algorithm, sides };
}

/** Nodes, edges and links of one graph. Links are the edges, then, where these have no direction, all the other way. */
class Graph {
  /** @param {number} nodes @param {number[][]} edges @param {boolean} directed */
  constructor(nodes, edges, directed) {
    this.edges = edges;
    this.directed = directed;
    const back = edges.map(([u, v]) => [v, u]);
    const links = directed ? edges : [...edges, ...back];
    const sides = [...edges, ...back].sort((a, b) => a[0] - b[0] || a[1] - b[1]).filter(([u, v], i, all) => i === 0 || u !== all[i - 1][0] || v !== all[i - 1][1]);
    /** @type {Record<string, number>} */
    this.counts = { node: nodes, edge: edges.length, link: links.length, side: sides.length, graph: 1 };
    const [from, to] = [0, 1].map((end) => (/** @type {number[][]} */ pairs) => pairs.map((pair) => pair[end]));
    const number = links.map((_, i) => i % edges.length);
    const reverse = links.map((_, i) => (directed ? i : (i + edges.length) % links.length));
    /** @type {Record<string, Record<string, number[]>>} where steps lead, by table */
    this.steps = {
      node: {},
      edge: { one_end: from(edges), other_end: to(edges) },
      link: { sender: from(links), receiver: to(links), edge: number, reverse, number },
      side: { sender: from(sides), receiver: to(sides) },
      graph: {},
    };
  }
}

/** @type {Record<string, (a: any, b: any) => any>} */
const ARITHMETIC = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b };

/** @type {Record<string, (a: any, b: any) => number>} */
const COMPARED = {
  "<": (a, b) => (a < b ? 1 : 0),
  "<=": (a, b) => (a <= b ? 1 : 0),
  "=": (a, b) => (a === b ? 1 : 0),
  "!=": (a, b) => (a !== b ? 1 : 0),
  ">=": (a, b) => (a >= b ? 1 : 0),
  ">": (a, b) => (a > b ? 1 : 0),
};

/** Several values compared as words in a dictionary are: -1, 0 or 1. @param {Value[]} left @param {Value[]} right */
function order(left, right) {
  const place = left.findIndex((value, i) => value !== right[i]);
  return place < 0 ? 0 : left[place] < right[place] ? -1 : 1;
}

/** @type {Record<string, (node: Expr, made: (part: Expr) => Of, scene: Scene) => Of>} expressions as functions of a row, by their types */
const FUNCTIONS = {
  Const({ value }) {
    const found = typeof value === "string" ? BigInt(value) : Number(value); // a large number is text in JSON
    return () => found;
  },
  Me: () => (me) => me,
  It: () => (_, it) => it,
  Not(node, made) {
    const term = made(node.term);
    return (me, it) => (term(me, it) === 1 ? 0 : 1);
  },
  And({ terms }, made) {
    const all = terms.map(made);
    return (me, it) => (all.every((/** @type {Of} */ term) => term(me, it) === 1) ? 1 : 0);
  },
  Or({ terms }, made) {
    const all = terms.map(made);
    return (me, it) => (all.some((/** @type {Of} */ term) => term(me, it) === 1) ? 1 : 0);
  },
  Compare(node, made) {
    const [compare, left, right] = [COMPARED[node.op], node.left.map(made), node.right.map(made)];
    const values = (/** @type {Of[]} */ side, /** @type {number} */ me, /** @type {number} */ it) => side.map((each) => each(me, it));
    if (left.length > 1) return (me, it) => compare(order(values(left, me, it), values(right, me, it)), 0);
    const [a, b] = [left[0], right[0]];
    return (me, it) => compare(a(me, it), b(me, it));
  },
  Arith(node, made) {
    const [a, b, result] = [made(node.a), made(node.b), ARITHMETIC[node.op]];
    return (me, it) => {
      const [one, other] = [a(me, it), b(me, it)];
      const found = typeof one === "number" && typeof other === "number" ? result(one, other) : NaN;
      if (Number.isSafeInteger(found)) return found;
      return one === undefined || other === undefined ? undefined : asValue(result(BigInt(one), BigInt(other)));
    };
  },
  Case(node, made) {
    const [cases, otherwise] = [node.cases.map((/** @type {Expr[]} */ each) => each.map(made)), made(node.otherwise)];
    return (me, it) => {
      for (const [when, value] of cases) {
        const found = when(me, it) === 1 ? value(me, it) : undefined;
        if (found !== undefined) return found;
      }
      return otherwise(me, it);
    };
  },
  Known(node, made) {
    const of = made(node.of);
    return (me, it) => (of(me, it) >= 0 ? 1 : 0);
  },
  Quantified({ view, body, quantity, count }, made, scene) {
    const says = made(body);
    return (me) => {
      const all = scene.inView(view, me);
      const least = quantity === "every" ? all.length : (count ?? 1);
      return all.filter((it) => says(me, it) === 1).length >= least ? 1 : 0;
    };
  },
  The(node, made, scene) {
    const value = made(node.value);
    return (me) => {
      const it = scene.first(node, me);
      return it === undefined ? undefined : value(me, it);
    };
  },
};

/** A column: its values, and how they follow from other columns. They are computed again where one of those has become another array. */
class Column {
  /** @param {any} values @param {Column[]} reads @param {() => any[]} compute */
  constructor(values, reads = [], compute = () => values) {
    this.values = values;
    this.reads = reads;
    this.compute = compute;
    /** @type {any[][] | null} */
    this.inputs = null;
    /** @type {any[]} */
    this.result = values;
  }

  renew() {
    const { inputs } = this;
    if (inputs === null || this.reads.some((each, i) => each.values !== inputs[i])) {
      const found = this.compute();
      const isSame = found.length === this.result.length && found.every((value, i) => value === this.result[i]);
      this.result = isSame ? this.result : found;
      this.inputs = this.reads.map((each) => each.values);
    }
    this.values = this.result;
  }
}

/** The columns of a graph in one state. */
class Scene {
  /** @param {Graph} graph @param {Record<string, Field>} fields @param {Map<string, Column>} columns */
  constructor(graph, fields, columns) {
    this.graph = graph;
    this.fields = fields;
    this.columns = columns;
    /** @type {Set<Column>} what is read by the expression that is being turned into a function */
    this.reads = new Set();
    /** @type {Column[]} those of the lets that are being turned into columns */
    this.made = [];
    /** @type {Map<string, Column>} theirs, by table and group */
    this.groups = new Map();
    /** @type {Map<Expr | View, any>} functions that are known */
    this.known = new Map();
  }

  /** @param {string} at @param {(me: number) => any} value */
  each(at, value) {
    return Array.from({ length: this.graph.counts[at] }, (_, me) => value(me));
  }

  /** A column by its name, or another key; made where there is none. @param {string} name @returns {Column} */
  column(name) {
    let found = this.columns.get(name);
    if (found === undefined) this.columns.set(name, (found = new Column([])));
    this.reads.add(found);
    return found;
  }

  // ---- statements as they are written, of one element

  /** What an expression is of an element, and of one in view. @param {Expr} node @param {number} me @param {number} it */
  of(node, me, it = -1) {
    if (!this.known.has(node)) this.known.set(node, this.function(node, ""));
    return this.known.get(node)(me, it);
  }

  /** Whether a statement holds. @param {Expr} node @param {number} me @param {number} it */
  holds(node, me, it = -1) {
    return this.of(node, me, it) === 1;
  }

  /** Those in view of an element, in order. @param {View} view @param {number} me @returns {number[]} */
  inView(view, me) {
    if (!this.known.has(view)) this.known.set(view, this.viewed(view));
    return this.known.get(view)(me);
  }

  /** @param {View} view @returns {(me: number) => number[]} */
  viewed({ rows, joins, it, apart }) {
    const who = it === undefined ? (/** @type {number} */ _, /** @type {number} */ row) => row : this.function(it, "");
    /** @type {[Of, Map<Value, number[]>][]} */
    const found = joins.map((/** @type {Expr[]} */ [mine, its]) => {
      const [key, those] = [this.function(its, ""), new Map()];
      for (let row = 0; row < this.graph.counts[rows]; row++) {
        const known = those.get(key(-1, row));
        if (known === undefined) those.set(key(-1, row), [who(-1, row)]);
        else known.push(who(-1, row));
      }
      return [this.function(mine, ""), those];
    });
    return (me) => {
      const all = found.flatMap(([mine, those]) => those.get(mine(me, -1)) ?? []);
      return [...new Set(all)].filter((each) => !apart || each !== me).sort((a, b) => a - b);
    };
  }

  /** The first in view who is so. @param {Expr} the @param {number} me @returns {number | undefined} */
  first({ view, where, by }, me) {
    const those = this.inView(view, me).filter((it) => this.holds(where, me, it));
    const keys = (/** @type {number} */ it) => (by ?? []).map((/** @type {Expr} */ key) => this.of(key, me, it));
    return those.sort((a, b) => order(keys(a), keys(b)) || a - b)[0];
  }

  // ---- expressions as functions of a row

  /** @param {Expr} node @param {string} at the table of me, where the program is lowered; else "" @returns {Of} */
  function(node, at) {
    const made = (/** @type {Expr} */ part) => this.function(part, at);
    const kind = Object.hasOwn(FUNCTIONS, node.type) ? FUNCTIONS[node.type] : null;
    if (kind !== null) return kind(node, made, this);
    if (node.type === "Get") return this.got(node, at);
    if (at === "") return made(node.of); // numbers are refused in columns alone
    const column = this.whole(node, at);
    return (me) => column.values[me];
  }

  /** A column of a row. @param {Expr} node @param {string} at @returns {Of} */
  got({ column, at: table, of }, at) {
    if (column === "graph") return () => 0;
    const row = of === undefined ? null : this.function(of, at);
    if (column === "number" && table !== "link") return row ?? ((me) => me);
    const steps = this.graph.steps[table][column];
    const found = steps === undefined ? this.column(column) : { values: steps };
    return row === null ? (me) => found.values[me] : (me, it) => found.values[row(me, it)] ?? 0; // of no row, any value
  }

  // ---- lowered programs, column by column

  /** Columns of lets, in the order in which they are computed. @param {Let[]} lets @param {boolean} areRead whether others read them by their names */
  columnsOf(lets, areRead) {
    this.made = [];
    this.groups.clear(); // others are not computed together with these
    const named = lets.map(({ name, at, value }) => {
      const column = this.whole(value, at, name);
      if (areRead) this.columns.set(name, column);
      return [name, column];
    });
    return { made: this.made, named: /** @type {[string, Column][]} */ (named) };
  }

  /** An expression as a column: of all rows of a table, used or not. @param {Expr} node @param {string} at @param {string} name @returns {Column} */
  whole(node, at, name = "") {
    return this.built(() => this.computed(node, at, name));
  }

  /** A column. @param {() => () => any[]} build turns expressions into functions, and so says which columns are read @returns {Column} */
  built(build) {
    const outer = this.reads;
    this.reads = new Set();
    const compute = build();
    const column = new Column([], [...this.reads], compute);
    this.made.push(column);
    this.reads = outer.add(column);
    return column;
  }

  /** @param {Expr} node @param {string} at @param {string} name @returns {() => any[]} */
  computed(node, at, name) {
    switch (node.type) {
      case "Within": {
        const of = this.function(node.of, at);
        const [least, most] = [BigInt(node.least), BigInt(node.most)];
        const [low, high] = [Number(least), Number(most)]; // a number is not as large as what this rounds
        return () =>
          this.each(at, (me) => {
            const found = of(me, -1);
            if (typeof found === "number" ? found < low || found > high : found < least || found > most) throw new RangeError(least === -most ? "a sum grows beyond 62 bits" : `${name} leaves its bits, which hold ${least} to ${most}`);
            return found;
          });
      }
      case "Any":
      case "Count": {
        const [group, where] = [this.group(node.group, at), this.function(node.where, node.group.rows)];
        return () => {
          const [its, mine, count] = group.values;
          const found = new Array(count + 1).fill(0);
          for (let it = 0; it < its.length; it++) if (where(it, -1) === 1) found[its[it]] += 1;
          return mine.map((/** @type {number} */ one) => (node.type === "Any" ? Math.min(1, found[one]) : found[one]));
        };
      }
      case "First": {
        const [group, where] = [this.group(node.group, at), this.function(node.where, node.group.rows)];
        const keys = (node.keys ?? []).map((/** @type {Expr} */ key) => this.function(key, node.group.rows));
        return () => {
          const [its, mine, count] = group.values;
          const values = keys.map((/** @type {Of} */ key) => this.each(node.group.rows, (it) => key(it, -1)));
          const isBefore = (/** @type {number} */ one, /** @type {number} */ other) => {
            const differs = other < 0 ? undefined : values.find((/** @type {Value[]} */ each) => each[one] !== each[other]);
            return other < 0 || (differs !== undefined && differs[one] < differs[other] !== (node.last === true));
          };
          const [firsts, seconds] = [new Array(count + 1).fill(-1), new Array(count + 1).fill(-1)];
          for (let it = 0; it < its.length; it++) {
            if (where(it, -1) !== 1) continue;
            const one = its[it];
            if (isBefore(it, firsts[one])) [firsts[one], seconds[one]] = [it, firsts[one]];
            else if (isBefore(it, seconds[one])) seconds[one] = it;
          }
          const found = node.rank === 1 ? seconds : firsts;
          return mine.map((/** @type {number} */ one) => found[one]);
        };
      }
      case "Pairs": {
        const where = this.function(node.where, at);
        const others = this.each(node.rows, (it) => it);
        return () => this.each(at, (me) => others.reduce((count, it) => count + where(me, it), 0));
      }
    }
    const value = this.function(node, at);
    return () => this.each(at, (me) => value(me, -1));
  }

  /** Which group each row is in, which one each row looks at, and how many groups there are; rows that look at none have the number after these.
   *  @param {Expr} group @param {string} at @returns {Column} */
  group(group, at) {
    const name = JSON.stringify([at, group]);
    const found = this.groups.get(name) ?? this.built(() => this.grouped(group, at));
    this.groups.set(name, found);
    this.reads.add(found);
    return found;
  }

  /** @param {Expr} group @param {string} at @returns {() => any[]} */
  grouped({ rows, key, mine }, at) {
    const keyed = (/** @type {Expr[]} */ nodes, /** @type {string} */ table) => {
      const parts = nodes.filter((_, i) => key[i].column !== "graph" || mine[i].column !== "graph").map((node) => this.function(node, table));
      return (/** @type {number} */ row) => (parts.length === 1 ? parts[0](row, -1) : parts.map((part) => part(row, -1)).join());
    };
    const [its, own] = [keyed(key, rows), keyed(mine, at)];
    return () => {
      const numbers = new Map();
      const numbered = this.each(rows, (it) => {
        const value = its(it);
        if (!numbers.has(value)) numbers.set(value, numbers.size);
        return numbers.get(value);
      });
      return [numbered, this.each(at, (me) => numbers.get(own(me)) ?? numbers.size), numbers.size];
    };
  }
}

/** What kind of values an expression has. @param {Expr} node @param {Record<string, Field>} fields @returns {string} */
function kindOf(node, fields) {
  if (node.type === "Get") return fields[node.column]?.kind ?? "number";
  if (node.type === "Const") return typeof node.value === "boolean" ? "mask" : "number";
  return node.type === "Arith" ? "number" : "mask";
}

/** What the page calls a column of the state: one that carries a concept over goes by the concept's name. @param {string} name */
function calledState(name) {
  return name.replace(/^last /, "");
}

/** A declared algorithm on one graph. */
class Machine {
  /** @param {any} algorithm what the page says of it @param {Graph} graph @param {Values} inputs */
  constructor(algorithm, graph, inputs) {
    this.algorithm = algorithm;
    const { program, lowered } = algorithm;
    /** @type {Record<string, Field>} */
    this.fields = { ...program.inputs, ...program.state };
    for (const { name, at, value } of program.lets) this.fields[name] = { at, kind: kindOf(value, this.fields) };
    /** @type {string[]} statements, without sums */
    this.observed = program.lets.map((/** @type {Let} */ { name }) => name).filter((/** @type {string} */ name) => this.fields[name].kind === "mask");
    this.now = new Scene(graph, this.fields, new Map(Object.entries(inputs).map(([name, values]) => [name, new Column(values)])));
    this.starts = this.now.columnsOf(lowered.start, false);
    this.lets = this.now.columnsOf(lowered.lets, true);
    this.moves = this.now.columnsOf(lowered.becomes, false);
  }

  /** The state before the first step. @returns {Values} */
  start() {
    return renewed(this.starts);
  }

  /** All that is seen in a state. @param {Values} state */
  look(state) {
    for (const name of Object.keys(this.algorithm.program.state)) this.now.column(name).values = state[calledState(name)];
    renewed(this.lets);
  }

  /** What is seen in a state, for statements to be looked up in. @param {Values} state @param {Values} known what was seen otherwise */
  scene(state, known = {}) {
    this.look(state);
    const columns = [...this.now.columns].map(([name, { values }]) => /** @type {[string, Column]} */ ([name, new Column(known[name] ?? values)]));
    return new Scene(this.now.graph, this.fields, new Map(columns));
  }

  /** The first move of a field that applies to an element, its value and from whom it has it; null where none does.
   *  @param {Scene} scene @param {string} name @param {number} me */
  moved(scene, name, me) {
    for (const [place, [guard, value]] of movesIn(this.algorithm, name).entries()) {
      if (!scene.holds(guard, me)) continue;
      const it = value.type === "The" ? scene.first(value, me) : -1;
      if (it !== undefined) return { place, from: it < 0 ? null : { at: tableIn(value.view), element: it }, value: scene.of(value, me) };
    }
    return null;
  }

  /**
   * Every step from a state on: all that was seen and given in it. Concepts may be set by hand: what rules decide goes by them, moves do not.
   * @param {Rules} rules @param {Values} state @param {number} first the number of the first step, from 0 on @param {Setting[]} settings
   */
  run({ lowered }, state, first = 0, settings = []) {
    const concepts = this.observed.map((name) => /** @type {[string, Column]} */ ([name, new Column([])]));
    const scene = new Scene(this.now.graph, this.fields, new Map([...this.now.columns, ...concepts]));
    const lets = scene.columnsOf(lowered.lets, true);
    const becomes = scene.columnsOf(lowered.becomes, false);
    const see = (/** @type {number} */ step) => {
      this.look(state);
      for (const [name, column] of concepts) {
        const set = settings.filter((each) => each.step === step && each.concept === name);
        const { values } = this.now.column(name);
        column.values = set.length === 0 ? values : values.map((/** @type {Value} */ each, /** @type {number} */ i) => set.findLast(({ element }) => element === i)?.value ?? each);
      }
      goes = renewed(lets)[GOES_ON]?.[0] !== 0;
      return Object.fromEntries(concepts.map(([name, { values }]) => [name, values]));
    };
    let goes = true;
    const steps = [];
    const latest = Date.now() + 1000 * MOST_SECONDS;
    let seen = see(first);
    goes ||= first === 0; // a concept set by hand may have ended the run before its step
    while (goes && first + steps.length < this.algorithm.most_steps) {
      if (Date.now() > latest) throw new RangeError(`it takes more than ${MOST_SECONDS} seconds in a browser`);
      state = { ...seen, ...renewed(this.moves), ...renewed(becomes) };
      steps.push(state);
      seen = see(first + steps.length);
    }
    const hasEnd = lets.named.length > 0;
    const stopped = !hasEnd ? "count" : goes && first + steps.length > 0 ? "limit" : "rule";
    const outcomes = Object.fromEntries(this.algorithm.outcomes.map((/** @type {string} */ name) => [name, Number((seen[name] ?? state[name])[0]) === 1]));
    return { steps, after: seen, told: { stopped, outcomes, has_concepts: true, sureness: {}, goes_on_against: [], difference: null } };
  }
}

/** Columns computed where they are to be, in order. @param {{made: Column[], named: [string, Column][]}} columns @returns {Record<string, any[]>} */
function renewed({ made, named }) {
  for (const column of made) column.renew();
  return Object.fromEntries(named.map(([name, column]) => [calledState(name), column.values]));
}

/** The table of those in view. @param {View} view @returns {string} */
function tableIn({ rows, it }) {
  return it === undefined || it.type === "It" ? rows : LEADS_TO[it.column];
}

/** What a field becomes as it is declared, by conditions. @param {any} algorithm @param {string} name @returns {[Expr, Expr][]} */
function movesIn({ program }, name) {
  const value = program?.becomes.find((/** @type {Let} */ each) => each.name === name)?.value;
  return value === undefined ? [] : value.cases ?? [[{ type: "Const", value: true }, value]];
}

/** Whether a part of a program is so, or one inside it. @param {any} node @param {(part: any) => boolean} is @returns {boolean} */
function someNode(node, is) {
  return typeof node === "object" && node !== null && (is(node) || Object.values(node).some((part) => someNode(part, is)));
}
