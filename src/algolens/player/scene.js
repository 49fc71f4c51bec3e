// @ts-check
"use strict";

/* A graph with the values of one state: where paths of names lead, and who is in view. */

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
