"use strict"; // of all scripts, of which this is the first

/* A program, carried out in the page as it is written (language/ir.py, from JSON). An expression becomes a function of
 * a scene, of a row `me`, and of one in view, `it`. A scene is a graph in one state: columns that are given, and
 * lets, computed where asked for. */

/** @typedef {number | bigint} Value  A mask is 0 or 1, a category the number of its class, a pointer the number of an
 *   element. What JavaScript would round is a bigint, and nothing else is: equal values are identical. */
/** @typedef {Record<string, Value[]>} Values */
/** @typedef {any} Expr  Of a program, as a View of those in view of an element: see language/ir.py. */
/** @typedef {any} View */
/** @typedef {(scene: Scene, me: number, it: number) => any} Of */
/** @typedef {{name: string, at: string, value: Expr}} Let */
/** @typedef {{rules: Record<string, Record<string, Expr>>, texts: Record<string, Record<string, string>>,
 *   continues: string | null, program: {lets: Let[], becomes: Let[]} | null}} Rules  by output and class */
/** @typedef {{nodes: string[], edges: number[][], directed: boolean, places: number[][], room?: number[], form: string,
 *   order?: number[], turned?: number[], outside: Record<string, string[]>}} PageGraph */
/** @typedef {{at: string, kind: string, to?: string, labels: string[], itself_is_none?: boolean, drawn?: boolean,
 *   bits: number, signed?: boolean, low?: number, distinct?: string | null}} PageField */
/** @typedef {Pick<PageField, "at" | "kind"> & Partial<PageField>} Field */
/** @typedef {Record<string, PageField>} PageFields */
/** @typedef {{id: string, text: string, depth: number, at: string | null, when: Expr, changed: string | null}} Line */
/** @typedef {{name: string, title: string, about: string, problem: string, question: string, items: string,
 *   location: string, concepts: string[], inputs: PageFields, outputs: PageFields, hints: PageFields, state: string[],
 *   outcomes: string[], only_where: Record<string, string>, endless?: Record<string, string>, python: string[],
 *   checks: any[][], layout: any, most_steps: number, on_other_graphs: any, program: any, decides: Rules, words: any,
 *   texts: Record<string, string[]>, pseudocode: Line[]}} PageAlgorithm */
/** @typedef {{graph: PageGraph, graph_name: string, algorithm: PageAlgorithm, inputs: Record<string, any[]>,
 *   given: Record<string, string[]>, drawn: string[], scales: Record<string, number>, sides: any[], part: any}} Page
 *   As it is written: see player/data.py. */
/** @typedef {{concept: string, value: number, element: number, step: number}} Setting  A concept set by hand. */

const MOST_SECONDS = 20; // of a run: a page stands still for so long
const LARGEST = 2 ** 61; // of a sum, as in Python
/** @type {Record<string, string>} the tables that steps of the graph lead to */
const LEADS_TO = {
  sender: "node", receiver: "node", edge: "edge", reverse: "link", one_end: "node", other_end: "node", graph: "graph",
};

/** Nodes, and what holds them, from short arrays: see player/declared.py. @param {string[][]} shapes @param {any} value
 *  @returns {any} */
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
  const { program, decides, words, pseudocode } = page.algorithm;
  const algorithm = { ...page.algorithm, ...nodesIn(shapes, { program, decides, words, pseudocode }) };
  const sides = page.sides.map((/** @type {any} */ side) => {
    return { ...side, rules: side.decides === null ? algorithm.decides : nodesIn(shapes, side.decides) };
  });
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
    const sides = [...edges, ...back]
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .filter(([u, v], i, all) => i === 0 || u !== all[i - 1][0] || v !== all[i - 1][1]);
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

/** @type {Record<string, (a: any, b: any) => boolean>} */
const COMPARED = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">=": (a, b) => a >= b,
  ">": (a, b) => a > b,
};

/** Several values compared as words in a dictionary are: -1, 0 or 1. @param {Value[]} left @param {Value[]} right */
function order(left, right) {
  const place = left.findIndex((value, i) => value !== right[i]);
  return place < 0 ? 0 : left[place] < right[place] ? -1 : 1;
}

/** A whole number as the page counts with it: exactly. @param {bigint} whole */
function asValue(whole) {
  return whole > -(2n ** 53n) && whole < 2n ** 53n ? Number(whole) : whole;
}

/** @type {Record<string, (node: Expr) => Of>} by their types; undefined is the value of none */
const FUNCTIONS = {
  Const({ value }) {
    const found = typeof value === "string" ? BigInt(value) : Number(value); // a large number is text in JSON
    return () => found;
  },
  Me: () => (_, me) => me,
  It: () => (_, __, it) => it,
  Get({ column, at, of }) {
    const row = functionOf(of ?? { type: "Me" });
    if (column === "graph") return () => 0;
    if (column === "number" && at !== "link") return row;
    if (isStep(column, at)) return (scene, me, it) => scene.graph.steps[at][column][row(scene, me, it)];
    return (scene, me, it) => scene.value(column, row(scene, me, it));
  },
  Not(node) {
    const term = functionOf(node.term);
    return (scene, me, it) => (term(scene, me, it) === 1 ? 0 : 1);
  },
  And({ terms }) {
    const all = terms.map(functionOf);
    return (scene, me, it) => {
      for (const term of all) if (term(scene, me, it) !== 1) return 0;
      return 1;
    };
  },
  Or({ terms }) {
    const all = terms.map(functionOf);
    return (scene, me, it) => {
      for (const term of all) if (term(scene, me, it) === 1) return 1;
      return 0;
    };
  },
  Compare(node) {
    const [compare, left, right] = [COMPARED[node.op], node.left.map(functionOf), node.right.map(functionOf)];
    const [a, b] = [left[0], right[0]];
    if (left.length === 1) return (scene, me, it) => (compare(a(scene, me, it), b(scene, me, it)) ? 1 : 0);
    return (scene, me, it) => {
      for (let i = 0; i < left.length; i++) {
        const [one, other] = [left[i](scene, me, it), right[i](scene, me, it)];
        if (one !== other) return compare(one < other ? -1 : 1, 0) ? 1 : 0;
      }
      return compare(0, 0) ? 1 : 0;
    };
  },
  Arith(node) {
    const [a, b, result] = [functionOf(node.a), functionOf(node.b), ARITHMETIC[node.op]];
    return (scene, me, it) => {
      const [one, other] = [a(scene, me, it), b(scene, me, it)];
      if (one === undefined || other === undefined) return undefined;
      const found = typeof one === "number" && typeof other === "number" ? result(one, other) : NaN;
      if (Number.isSafeInteger(found)) return found;
      const exact = asValue(result(BigInt(one), BigInt(other)));
      if (exact >= LARGEST || exact <= -LARGEST) throw new RangeError("a sum grows beyond 62 bits");
      return exact;
    };
  },
  Case({ cases, otherwise }) {
    const all = cases.map((/** @type {Expr[]} */ each) => each.map(functionOf));
    const last = functionOf(otherwise);
    return (scene, me, it) => {
      for (const [when, value] of all) {
        const found = when(scene, me, it) === 1 ? value(scene, me, it) : undefined;
        if (found !== undefined) return found;
      }
      return last(scene, me, it);
    };
  },
  Quantified({ view, body, quantity, count }) {
    const says = functionOf(body);
    const wanted = quantity === "every" ? 0 : 1; // of "every", one that is not so settles it
    const most = quantity === "every" ? 1 : (count ?? 1);
    return (scene, me) => {
      let left = most;
      for (const it of scene.seenBy(view, me))
        if (!(view.apart && it === me) && says(scene, me, it) === wanted && --left === 0) return wanted;
      return 1 - wanted;
    };
  },
  The(node) {
    const value = functionOf(node.value);
    return (scene, me) => {
      const it = scene.first(node, me);
      return it === undefined ? undefined : value(scene, me, it);
    };
  },
};

/** @type {number[]} */
const NOBODY = [];
/** @type {WeakMap<Expr, Of>} */
const made = new WeakMap();

/** @param {Expr} node */
function functionOf(node) {
  let found = made.get(node);
  if (found === undefined) made.set(node, (found = FUNCTIONS[node.type](node)));
  return found;
}

/** A graph in one state. */
class Scene {
  /** @param {Graph} graph @param {Record<string, Field>} fields @param {Values} columns @param {Let[]} lets of what is
   *  no column @param {Map<View, Map<Value, number[]>[]>} fixed views that are the same in every state */
  constructor(graph, fields, columns, lets = [], fixed = new Map()) {
    this.graph = graph;
    this.fields = fields;
    this.columns = columns;
    this.lets = new Map(lets.map((each) => /** @type {[string, Let]} */ ([each.name, each])));
    this.fixed = fixed;
    /** @type {Map<View, Map<Value, number[]>[]>} */
    this.views = new Map();
    /** @type {Values} what lets were found to be */
    this.known = {};
  }

  /** A column at a row; undefined where there is no row. @param {string} name @param {number} row */
  value(name, row) {
    const given = this.columns[name];
    if (given !== undefined) return given[row];
    const known = (this.known[name] ??= []);
    return (known[row] ??= functionOf(/** @type {Let} */ (this.lets.get(name)).value)(this, row, -1));
  }

  /** A column, whole. @param {string} name */
  column(name) {
    return this.columns[name] ?? this.all(this.fields[name].at, (row) => this.value(name, row));
  }

  /** @template T @param {string} at @param {(me: number) => T} value */
  all(at, value) {
    return Array.from({ length: this.graph.counts[at] }, (_, me) => value(me));
  }

  /** What an expression is of two elements. @param {Expr} node @param {number} me @param {number} it */
  of(node, me, it = -1) {
    return functionOf(node)(this, me, it);
  }

  /** Whether a statement holds. @param {Expr} node @param {number} me @param {number} it */
  holds(node, me, it = -1) {
    return this.of(node, me, it) === 1;
  }

  /** The elements of which a statement holds. @param {Expr} node @param {string} at */
  where(node, at) {
    return this.all(at, (me) => me).filter((me) => this.holds(node, me));
  }

  /** Those in view of an element, in order. @param {View} view @param {number} me */
  inView(view, me) {
    return this.seenBy(view, me).filter((each) => !(view.apart && each === me));
  }

  /** The same, oneself included. @param {View} view @param {number} me */
  seenBy(view, me) {
    const groups = this.groupsOf(view);
    const { joins } = view;
    if (joins.length === 1) return groups[0].get(this.of(joins[0][0], me)) ?? NOBODY;
    return ascending(groups.flatMap((group, i) => group.get(this.of(joins[i][0], me)) ?? NOBODY));
  }

  /** Of each join of a view, who is in view of an element by its key. @param {View} view */
  groupsOf(view) {
    let groups = this.fixed.get(view) ?? this.views.get(view);
    if (groups !== undefined) return groups;
    const { rows, joins, it } = view;
    const keys = joins.map((/** @type {Expr[]} */ [, its]) => its);
    const isRead = (/** @type {Expr} */ part) => part.type === "Get" && !isStep(part.column, part.at);
    const views = [...keys, it].some((each) => someNode(each, isRead)) ? this.views : this.fixed;
    groups = keys.map((/** @type {Expr} */ key) => {
      /** @type {Map<Value, number[]>} */
      const found = new Map();
      for (let row = 0; row < this.graph.counts[rows]; row++) {
        const value = this.of(key, -1, row);
        const who = it === undefined ? row : this.of(it, -1, row);
        const others = found.get(value);
        if (others === undefined) found.set(value, [who]);
        else others.push(who);
      }
      if (it !== undefined) for (const [value, those] of found) found.set(value, ascending(those));
      return found;
    });
    views.set(view, /** @type {Map<Value, number[]>[]} */ (groups));
    return /** @type {Map<Value, number[]>[]} */ (groups);
  }

  /** The first in view who is so. @param {Expr} the @param {number} me */
  first({ view, where, by = [] }, me) {
    const [says, keysOf] = [functionOf(where), by.map(functionOf)];
    let [best, keys] = [/** @type {number | undefined} */ (undefined), /** @type {Value[]} */ ([])];
    for (const it of this.seenBy(view, me)) {
      if ((view.apart && it === me) || says(this, me, it) !== 1) continue;
      const own = keysOf.map((/** @type {Of} */ key) => key(this, me, it));
      if (best === undefined || order(own, keys) < 0) [best, keys] = [it, own];
    }
    return best;
  }
}

/** Whether a column is given by the graph. @param {string} column @param {string} at */
function isStep(column, at) {
  return column === "graph" || column === "number" || (at !== "node" && Object.hasOwn(LEADS_TO, column));
}

/** Each once, in order. @param {number[]} numbers */
function ascending(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** What kind of values an expression has. @param {Expr} node @param {Record<string, Field>} fields */
function kindOf(node, fields) {
  if (node.type === "Get") return fields[node.column]?.kind ?? "number";
  if (node.type === "Const") return typeof node.value === "boolean" ? "mask" : "number";
  return node.type === "Arith" ? "number" : "mask";
}

/** A column of the state that carries a concept over goes by the concept's name. @param {string} name */
function calledState(name) {
  return name.replace(/^last /, "");
}

/** A declared algorithm on one graph. */
class Machine {
  /** @param {PageAlgorithm} algorithm what the page says of it @param {Graph} graph @param {Values} inputs
   *  @param {boolean} isBounded whether numbers are refused beyond their bits */
  constructor(algorithm, graph, inputs, isBounded = true) {
    this.algorithm = algorithm;
    this.graph = graph;
    this.inputs = inputs;
    this.isBounded = isBounded;
    const { program } = algorithm;
    /** @type {Record<string, Field>} */
    this.fields = { ...program.inputs, ...program.state };
    for (const { name, at, value } of program.lets) this.fields[name] = { at, kind: kindOf(value, this.fields) };
    /** @type {string[]} statements, without sums */
    this.observed = program.lets
      .map((/** @type {Let} */ { name }) => name)
      .filter((/** @type {string} */ name) => this.fields[name].kind === "mask");
    this.fixed = new Map();
  }

  /** The state before the first step. */
  start() {
    return this.become(this.algorithm.program.start, new Scene(this.graph, this.fields, this.inputs, [], this.fixed));
  }

  /** What fields become. @param {Let[]} lets @param {Scene} scene */
  become(lets, scene) {
    return Object.fromEntries(
      lets.map(({ name, at, value }) => {
        const found = scene.all(at, (me) => scene.of(value, me));
        const field = this.fields[name] ?? {};
        if (field.kind === "number" && this.isBounded) refuseBeyond(field, name, found);
        return [calledState(name), found];
      }),
    );
  }

  /** What is seen in a state. @param {Values} state @param {Values} known what was seen otherwise */
  scene(state, known = {}) {
    const names = Object.keys(this.algorithm.program.state);
    const carried = Object.fromEntries(names.map((name) => [name, state[calledState(name)]]));
    return new Scene(
      this.graph, this.fields, { ...this.inputs, ...carried, ...known }, this.algorithm.program.lets, this.fixed
    );
  }

  /** The first move of a field that applies to an element, its value and from whom it has it; null where none does.
   *  @param {Scene} scene @param {string} name @param {number} me */
  moved(scene, name, me) {
    for (const [place, [guard, value]] of movesIn(this.algorithm, name).entries()) {
      if (!scene.holds(guard, me)) continue;
      const it = value.type === "The" ? scene.first(value, me) : -1;
      if (it === undefined) continue;
      return { place, from: it < 0 ? null : { at: tableIn(value.view), element: it }, value: scene.of(value, me) };
    }
    return null;
  }

  /** Every step from a state on: all that was seen and given in it. Concepts may be set by hand: what rules decide goes
   *  by them, moves do not. @param {Rules} rules @param {Values} state @param {number} first the number of the first
   *  step, from 0 on @param {Setting[]} settings */
  run({ program }, state, first = 0, settings = []) {
    const { lets, becomes } = /** @type {{lets: Let[], becomes: Let[]}} */ (program);
    const see = (/** @type {number} */ step) => {
      const scene = this.scene(state);
      for (const { name } of this.algorithm.program.lets) scene.column(name); // sums too: those too large are refused
      const seen = Object.fromEntries(this.observed.map((name) => [name, scene.column(name)]));
      for (const { concept, element, value } of settings.filter((each) => each.step === step))
        seen[concept] = seen[concept].map((each, i) => (i === element ? value : each));
      const decided = this.scene(state, seen);
      return { scene, seen, decided, goes: lets.every((each) => decided.holds(each.value, 0)) };
    };
    const steps = [];
    const latest = Date.now() + 1000 * MOST_SECONDS;
    let now = see(first);
    let goes = now.goes || first === 0; // a concept set by hand may have ended the run before its step
    while (goes && first + steps.length < this.algorithm.most_steps) {
      if (Date.now() > latest) throw new RangeError(`it takes more than ${MOST_SECONDS} seconds in a browser`);
      const moves = this.become(this.algorithm.program.becomes, now.scene);
      state = { ...now.seen, ...moves, ...this.become(becomes, now.decided) };
      steps.push(state);
      now = see(first + steps.length);
      goes = now.goes;
    }
    const stopped = lets.length === 0 ? "count" : goes && first + steps.length > 0 ? "limit" : "rule";
    const outcome = (/** @type {string} */ name) => [name, Number((now.seen[name] ?? state[name])[0]) === 1];
    const outcomes = Object.fromEntries(this.algorithm.outcomes.map(outcome));
    const told = { stopped, outcomes, has_concepts: true, sureness: {}, goes_on_against: [], difference: null };
    return { steps, after: now.seen, told };
  }
}

/** Refuses numbers that a field does not hold. @param {Field} field @param {string} name @param {Value[]} values */
function refuseBeyond({ bits = 0, signed = false, low = 0 }, name, values) {
  const least = BigInt(low) - (signed ? 2n ** BigInt(bits - 1) : 0n);
  const most = least - BigInt(low) + 2n ** BigInt(bits) - 1n;
  const [from, to] = [asValue(least), asValue(most)]; // numbers and bigints compare by what they are
  if (values.some((value) => value < from || value > to))
    throw new RangeError(`${name} leaves its bits, which hold ${least} to ${most}`);
}

/** The table of those in view. @param {View} view */
function tableIn({ rows, it }) {
  return it === undefined || it.type === "It" ? rows : LEADS_TO[it.column];
}

/** What a field becomes as it is declared, by conditions. @param {PageAlgorithm} algorithm @param {string} name
 *  @returns {[Expr, Expr][]} */
function movesIn({ program }, name) {
  const value = program?.becomes.find((/** @type {Let} */ each) => each.name === name)?.value;
  return value === undefined ? [] : value.cases ?? [[{ type: "Const", value: true }, value]];
}

/** Whether a part, or one inside it, is so. @param {any} node @param {(part: any) => boolean} is @returns {boolean} */
function someNode(node, is) {
  return typeof node === "object" && node !== null
    && (is(node) || Object.values(node).some((part) => someNode(part, is)));
}
