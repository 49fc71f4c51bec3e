// @ts-check
"use strict";

/*
 * A declared algorithm, carried out in the page: what is seen in a state, what follows from it, and when to go on.
 * It knows nothing of the page around it.
 */

const MOST_SECONDS = 20; // of a run: a page stands still for so long

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
