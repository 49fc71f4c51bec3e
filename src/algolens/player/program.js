// @ts-check
"use strict";

/*
 * A declared algorithm, carried out in the page: what is seen in a state, what follows from it, and when to go on.
 * It reads the JSON that Look.to_json and Program.to_json write. It knows nothing of the page around it.
 */

/** @typedef {number | bigint} Value  A mask is 0 or 1, a category the number of its class, a pointer the number of an element. */
/** @typedef {Record<string, Value[]>} Values */
/** @typedef {any} Formula  A JSON tree: see Formula.to_json. */
/** @typedef {string[]} Term  Of whom it speaks ("my" or "its"), and a path of names. */
/** @typedef {{factor: number | string, terms: Term[]}} Product  Of a sum. */
/** @typedef {{at: string, kind: string, to?: string, labels?: string[], bits?: number, signed?: boolean}} Field */
/** @typedef {{mine: string[], its: string[], through_links: boolean}} Join */
/** @typedef {{own: string, others: string, words: string[], joins: Join[], others_only: boolean}} Relation */
/** @typedef {{rules: Record<string, Record<string, Formula>>, continues: [string, Formula] | null}} Rules */
/** @typedef {{concept: string, value: number, element: number, step: number}} Setting  A concept that is set by hand. */

const LINK_STEPS = { sender: "node", receiver: "node", edge: "edge", reverse: "link" };
const EDGE_STEPS = { one_end: "node", other_end: "node" };
const MOST_SUM = 2n ** 61n;
const MOST_SECONDS = 20; // of a run: a page stands still for so long

/** Whether a look's word is a step that the graph gives, and where it leads. @param {string} at @param {string} word */
function stepTo(at, word) {
  if (word === "graph" && at !== "graph") return "graph";
  const steps = at === "link" ? LINK_STEPS : at === "edge" ? EDGE_STEPS : {};
  return Object.hasOwn(steps, word) ? /** @type {Record<string, string>} */ (steps)[word] : undefined;
}

/** Nodes, edges and links of one graph. Links are the edges, then, where these have no direction, all the other way. */
class Graph {
  /** @param {number} nodes @param {number[][]} edges @param {boolean} directed */
  constructor(nodes, edges, directed) {
    this.edges = edges;
    this.directed = directed;
    const back = directed ? [] : edges;
    /** @type {Record<string, number>} */
    this.counts = { node: nodes, edge: edges.length, link: edges.length + back.length, graph: 1 };
    const number = edges.map((_, i) => i);
    /** @type {Record<string, number[]>} */
    this.steps = {
      one_end: edges.map(([u]) => u),
      other_end: edges.map(([, v]) => v),
      sender: [...edges.map(([u]) => u), ...back.map(([, v]) => v)],
      receiver: [...edges.map(([, v]) => v), ...back.map(([u]) => u)],
      edge: [...number, ...back.map((_, i) => i)],
      reverse: directed ? number : [...number.map((i) => i + edges.length), ...number],
    };
  }

  /** The element that a step leads to. @param {string} word @param {number} element */
  step(word, element) {
    return word === "graph" ? 0 : this.steps[word][element];
  }

  /** The number that every element has: its place; of a link, that of its edge. @param {string} at @param {number} element */
  number(at, element) {
    return at === "link" ? this.steps.edge[element] : element;
  }
}

/** The fields that a look may name, the graph, and the values in one state. What is in view is found once. */
class Scene {
  /** @param {Graph} graph @param {Record<string, Field>} fields @param {Record<string, Relation>} relations @param {Values} values */
  constructor(graph, fields, relations, values) {
    this.graph = graph;
    this.fields = fields;
    this.relations = relations;
    this.values = values;
    /** @type {Map<string, Map<number, number[]>[]>} */
    this.found = new Map();
  }

  /** Where a path leads: an element, or a field of it. @param {string} at @param {number} element @param {string[]} path */
  follow(at, element, path) {
    for (const word of path) {
      if (word === "number" && at !== "graph") return { at, element, field: word, value: this.graph.number(at, element) };
      const to = stepTo(at, word);
      if (to !== undefined) {
        element = this.graph.step(word, element);
        at = to;
        continue;
      }
      const value = this.values[word][element];
      const field = this.fields[word];
      if (field.kind !== "pointer") return { at, element, field: word, value };
      element = Number(value);
      at = /** @type {string} */ (field.to);
    }
    return { at, element, field: null, value: /** @type {Value} */ (element) };
  }

  /** Those that an element has in view, in order. @param {string} phrase @param {number} me @returns {number[]} */
  inView(phrase, me) {
    const relation = this.relations[phrase];
    const groups = this.groups(phrase);
    const found = relation.joins.map((join, i) => {
      const key = join.through_links ? me : this.follow(relation.own, me, join.mine).element;
      return groups[i].get(key) ?? [];
    });
    let others = found.length === 1 ? found[0] : [...new Set(found.flat())].sort((a, b) => a - b);
    if (relation.others_only && relation.own === relation.others) others = others.filter((it) => it !== me);
    return others;
  }

  /** For each join of a relation, those that can be in view, by the element that they are joined by. @param {string} phrase */
  groups(phrase) {
    const known = this.found.get(phrase);
    if (known !== undefined) return known;
    const relation = this.relations[phrase];
    const groups = relation.joins.map((join) => {
      /** @type {Map<number, number[]>} */
      const group = new Map();
      const add = (/** @type {number} */ key, /** @type {number} */ it) => {
        const members = group.get(key);
        if (members === undefined) group.set(key, [it]);
        else members.push(it);
      };
      if (join.through_links) {
        const mine = this.graph.steps[join.mine[0]];
        this.graph.steps[join.its[0]].forEach((it, link) => add(mine[link], it));
        for (const members of group.values()) members.sort((a, b) => a - b);
      } else {
        for (let it = 0; it < this.graph.counts[relation.others]; it++) {
          add(this.follow(relation.others, it, join.its).element, it);
        }
      }
      return group;
    });
    this.found.set(phrase, groups);
    return groups;
  }
}

/** The number of a class in a category. @param {Field} field @param {string | null} label */
function classOf(field, label) {
  return label === null ? 1 : /** @type {string[]} */ (field.labels).indexOf(label);
}

/** Whether an order allows an outcome of -1, 0 or 1. @param {string} order @param {number} outcome */
function allows(order, outcome) {
  if (order === "<") return outcome < 0;
  if (order === ">") return outcome > 0;
  if (order === "=") return outcome === 0;
  if (order === "!=") return outcome !== 0;
  return order === "<=" ? outcome <= 0 : outcome >= 0;
}

/** Several values compared as words in a dictionary are: -1, 0 or 1. @param {Value[]} left @param {Value[]} right */
function compared(left, right) {
  for (let i = 0; i < left.length; i++) {
    if (left[i] < right[i]) return -1;
    if (left[i] > right[i]) return 1;
  }
  return 0;
}

/** What a statement says of an element. @param {Formula} formula @param {Scene} scene @param {string} own @param {string} other
 *  @param {number} me @param {number} it @returns {boolean} */
function holds(formula, scene, own, other, me, it) {
  if (typeof formula === "boolean") return formula;
  const of = (/** @type {Term} */ term) =>
    scene.follow(term[0] === "my" ? own : other, term[0] === "my" ? me : it, term.slice(1));
  switch (formula[0]) {
    case "not":
      return !holds(formula[1], scene, own, other, me, it);
    case "and":
      return formula.slice(1).every((/** @type {Formula} */ part) => holds(part, scene, own, other, me, it));
    case "or":
      return formula.slice(1).some((/** @type {Formula} */ part) => holds(part, scene, own, other, me, it));
    case "is": {
      const found = of(formula[1]);
      return Number(found.value) === classOf(scene.fields[/** @type {string} */ (found.field)], formula[2]);
    }
    case "some":
    case "every":
    case "at least": {
      const { phrase, body, count } = quantifier(formula);
      const others = scene.relations[phrase].others;
      const says = (/** @type {number} */ each) => holds(body, scene, own, others, me, each);
      const view = scene.inView(phrase, me);
      if (formula[0] === "some") return view.some(says);
      return formula[0] === "every" ? view.every(says) : view.filter(says).length >= count;
    }
  }
  const value = (/** @type {Term} */ term) => of(term).value;
  return allows(formula[0], compared(formula[1].map(value), formula[2].map(value)));
}

/** The parts of a quantified statement. @param {Formula} formula */
function quantifier(formula) {
  if (formula[0] === "at least") return { phrase: formula[2], body: formula[3], count: formula[1] };
  return { phrase: formula[1], body: formula[2], count: 1 };
}

/** What a rule says of concepts. @param {Formula} rule @param {(name: string) => boolean} of @returns {boolean} */
function ruleHolds(rule, of) {
  if (typeof rule === "boolean") return rule;
  if (typeof rule === "string") return of(rule);
  if (rule[0] === "not") return !ruleHolds(rule[1], of);
  const parts = rule.slice(1);
  const says = (/** @type {Formula} */ part) => ruleHolds(part, of);
  return rule[0] === "and" ? parts.every(says) : parts.some(says);
}

/** A sum that is exact, however large: what a number does not hold comes as text. @param {Value | string} a @param {Value | string} b @returns {Value} */
function added(a, b) {
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a + b)) return a + b;
  const sum = BigInt(a) + BigInt(b);
  if (sum >= MOST_SUM || sum <= -MOST_SUM) throw new RangeError("a sum grows beyond 62 bits");
  return sum;
}

/** A product that is exact, however large. @param {Value | string} a @param {Value | string} b @returns {Value} */
function multiplied(a, b) {
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a * b)) return a * b;
  return added(BigInt(a) * BigInt(b), 0n);
}

/** A declared algorithm on one graph. */
class Machine {
  /**
   * @param {any} algorithm what the page says of it
   * @param {Graph} graph
   * @param {Values} inputs
   */
  constructor(algorithm, graph, inputs) {
    this.algorithm = algorithm;
    this.look = algorithm.look;
    this.graph = graph;
    this.inputs = inputs;
    this.observed = new Set(this.look.observed.map((/** @type {any} */ each) => each.name));
    /** @type {Record<string, Field>} */
    this.fields = { ...this.look.fields };
    for (const [name, sum] of Object.entries(this.look.sums)) this.fields[name] = { at: sum.at, kind: "number" };
    for (const each of this.look.observed) this.fields[each.name] = { at: each.at, kind: "mask" };
  }

  /** The state before the first step. @returns {Values} */
  start() {
    const scene = new Scene(this.graph, this.look.starting, this.algorithm.relations, this.inputs);
    /** @type {Values} */
    const state = {};
    for (const [name, field] of Object.entries(this.look.state)) {
      const start = this.look.start[name];
      state[name] = Array.from({ length: this.graph.counts[field.at] }, (_, me) => {
        const says = (/** @type {Formula} */ formula) => holds(formula, scene, field.at, field.at, me, me);
        if ("where" in start) return says(start.where) ? 1 : 0;
        if ("class" in start) return classOf(field, start.class);
        if ("path" in start) return scene.follow(field.at, me, start.path.slice(1)).value;
        if ("value" in start) return added(start.value, 0);
        const first = start.classes.find((/** @type {[string, Formula]} */ [, where]) => says(where));
        return first === undefined ? 0 : classOf(field, first[0]);
      });
    }
    return state;
  }

  /** A state with its sums, and what else is known, under the names that statements call them. @param {Values} state @param {Values} known */
  scene(state, known = {}) {
    /** @type {Values} */
    const values = {};
    for (const name of Object.keys(this.look.fields)) if (Object.hasOwn(this.inputs, name)) values[name] = this.inputs[name];
    for (const name of Object.keys(this.look.state)) values[this.observed.has(name) ? `last ${name}` : name] = state[name];
    const scene = new Scene(this.graph, this.fields, this.algorithm.relations, values);
    for (const [name, sum] of Object.entries(this.look.sums)) {
      values[name] = Array.from({ length: this.graph.counts[sum.at] }, (_, me) =>
        sum.terms.reduce((/** @type {Value} */ total, /** @type {Term | Product} */ part) => {
          const { factor, terms } = Array.isArray(part) ? { factor: 1, terms: [part] } : part;
          const values = terms.map((/** @type {Term} */ term) => scene.follow(sum.at, me, term.slice(1)).value);
          return added(total, [factor, ...values].reduce(multiplied));
        }, added(sum.constant, 0)),
      );
    }
    Object.assign(values, known);
    return scene;
  }

  /** All that is seen in a state, and what pointers and numbers become. @param {Values} state @returns {Values} */
  see(state) {
    const scene = this.scene(state);
    /** @type {Values} */
    const found = {};
    for (const { name, at, formula } of this.look.observed) {
      found[name] = Array.from({ length: this.graph.counts[at] }, (_, me) => (holds(formula, scene, at, at, me, me) ? 1 : 0));
      scene.values[name] = found[name];
    }
    for (const name of new Set(this.look.moves.map((/** @type {any} */ move) => move.name))) {
      found[/** @type {string} */ (name)] = state[/** @type {string} */ (name)].map((before, me) => {
        const moved = this.moved(scene, /** @type {string} */ (name), me);
        return moved === null ? before : moved.value;
      });
    }
    return found;
  }

  /** The first move of a field that applies to an element, its value and from whom it has it; null where none does.
   *  @param {Scene} scene @param {string} name @param {number} me */
  moved(scene, name, me) {
    const at = this.look.state[name].at;
    for (const move of this.look.moves) {
      if (move.name !== name) continue;
      if (move.guard !== null && !holds(move.guard, scene, at, at, me, me)) continue;
      const path = move.value.slice(1);
      if (move.relation === null) return { move, from: null, value: scene.follow(at, me, path).value };
      const others = scene.relations[move.relation].others;
      const from = scene.inView(move.relation, me).find((it) => holds(move.mark, scene, at, others, me, it));
      if (from !== undefined) return { move, from, value: scene.follow(others, from, path).value };
    }
    return null;
  }

  /** Eq. 4: outputs from the concepts of an element, by rules. @param {Rules} rules @param {Values} seen @returns {Values} */
  decide(rules, seen) {
    /** @type {Values} */
    const outputs = {};
    for (const [name, classes] of Object.entries(rules.rules)) {
      const { kind, labels } = this.algorithm.outputs[name]; // in order: keys of an object that read as numbers are not
      const isMask = kind === "mask";
      outputs[name] = Array.from({ length: this.graph.counts[this.algorithm.location] }, (_, me) => {
        const of = (/** @type {string} */ concept) => Number(seen[concept][me]) === 1;
        if (isMask) return ruleHolds(classes.true, of) ? 1 : 0;
        return Math.max(
          0,
          labels.findIndex((/** @type {string} */ label) => ruleHolds(classes[label], of)),
        );
      });
    }
    return outputs;
  }

  /** Whether the concepts seen after a step ask for another. @param {Rules} rules @param {Values} seen */
  goesOn(rules, seen) {
    if (rules.continues === null) return true;
    const [quantity, formula] = rules.continues;
    const elements = Array.from({ length: this.graph.counts[this.algorithm.location] }, (_, me) => me);
    const says = (/** @type {number} */ me) => ruleHolds(formula, (concept) => Number(seen[concept][me]) === 1);
    if (quantity === "exists") return elements.some(says);
    return quantity === "every" ? elements.every(says) : !elements.some(says);
  }

  /**
   * Every step from a state on: all that was seen and given in it. Concepts may be set by hand.
   * @param {Rules} rules @param {Values} state @param {number} first the number of the first step, from 0 on @param {Setting[]} settings
   */
  run(rules, state, first = 0, settings = []) {
    const see = (/** @type {Values} */ now, /** @type {number} */ step) => {
      const seen = this.see(now);
      for (const { concept, value, element, step: when } of settings) {
        if (when !== step) continue;
        seen[concept] = [...seen[concept]];
        seen[concept][element] = value;
      }
      return seen;
    };
    const steps = [];
    const latest = Date.now() + 1000 * MOST_SECONDS;
    let seen = see(state, first);
    let goes = first === 0 || this.goesOn(rules, seen); // a concept set by hand may have ended the run before its step
    while (goes && first + steps.length < this.algorithm.most_steps) {
      if (Date.now() > latest) throw new RangeError(`it takes more than ${MOST_SECONDS} seconds in a browser`);
      const given = { ...seen, ...this.decide(rules, seen) };
      steps.push(given);
      state = Object.fromEntries(Object.keys(this.look.state).map((name) => [name, given[name]]));
      this.check(state);
      seen = see(state, first + steps.length);
      goes = this.goesOn(rules, seen);
    }
    const stopped = rules.continues === null ? "count" : goes && first + steps.length > 0 ? "limit" : "rule";
    const outcomes = Object.fromEntries(this.algorithm.outcomes.map((/** @type {string} */ name) => [name, seen[name][0]]));
    return { steps, stopped, outcomes };
  }

  /** Refuses a number that its bits do not hold. @param {Values} state */
  check(state) {
    for (const [name, [least, most]] of Object.entries(this.algorithm.bounds)) {
      if (state[name].some((value) => value < BigInt(least) || value > BigInt(most))) {
        throw new RangeError(`${name} leaves its bits, which hold ${least} to ${most}`);
      }
    }
  }
}
