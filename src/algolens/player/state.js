// @ts-check
"use strict";

/*
 * The runs of a page, moment by moment, and the classes that elements are drawn in.
 * Moment 0 is the start; moment m shows what step m saw and gave.
 */

const PALETTE = 7; // colors told apart by everybody; of more classes, hues are made

/** One run: its fields over time, and the machine that could go on from any of its states. */
class Side {
  /**
   * @param {any} page @param {any} written what the page says of the run @param {Record<string, Timeline>} fields each over time
   * @param {Values} inputs @param {Record<string, string[]>} given
   */
  constructor(page, written, fields, inputs, given) {
    this.page = page;
    this.by = written.by;
    this.steps = written.steps;
    /** @type {"rule" | "count" | "limit"} */
    this.stopped = written.stopped;
    this.start = written.start;
    this.outcomes = written.outcomes;
    /** @type {Rules} */
    this.rules = { rules: written.rules, continues: written.continues };
    this.hasConcepts = written.has_concepts;
    /** @type {Record<string, Timeline>} how likely each concept was to a network, in percent; nothing where it is sure */
    this.sureness = Object.fromEntries(Object.entries(written.sureness).map(([name, each]) => [name, Timeline.read(each)]));
    /** @type {number[]} the steps after which a network stops or goes on against its rule */
    this.goesOnAgainst = written.goes_on_against;
    this.difference = written.difference;
    this.fields = fields;
    this.inputs = inputs;
    this.given = given;
    const graph = new Graph(page.graph.nodes.length, page.graph.edges, page.graph.directed);
    // on a part of a graph, those in view are not all there
    this.machine = page.algorithm.look === null || page.part !== null ? null : new Machine(page.algorithm, graph, inputs);
    this.graph = graph;
  }

  /** A run as the page's JSON has it. @param {any} page @param {any} written */
  static read(page, written) {
    const decoded = (/** @type {Record<string, (number | string)[]>} */ values) =>
      Object.fromEntries(Object.entries(values).map(([name, each]) => [name, each.map(decodedValue)]));
    const fields = Object.fromEntries(Object.entries(written.trace).map(([name, each]) => [name, Timeline.read(each)]));
    return new Side(page, { ...written, start: decoded(written.start) }, fields, decoded(page.inputs), page.given);
  }

  /** The step that a moment shows, from 0 on; after the end, the last one. @param {number} moment */
  step(moment) {
    return Math.min(moment, this.steps) - 1;
  }

  /** A field at a moment; null where there is none yet. @param {string} name @param {number} moment @returns {Value[] | null} */
  at(name, moment) {
    const step = this.step(moment);
    if (step >= 0) return this.fields[name]?.at(step) ?? null;
    return this.start[name] ?? null;
  }

  /** How sure a network was of a concept as it saw it, from 0.5 to 0.99; null where it is sure. @param {string} name @param {number} moment
   *  @param {number} element @returns {number | null} */
  sure(name, moment, element) {
    const percent = moment > 0 && moment <= this.steps ? this.sureness[name]?.at(moment - 1)[element] : undefined;
    const sure = percent === undefined ? 100 : Math.max(Number(percent), 100 - Number(percent));
    return sure === 100 ? null : sure / 100;
  }

  /** The state that a step begins with. @param {number} step @returns {Values} */
  before(step) {
    return Object.fromEntries(
      this.page.algorithm.state.map((/** @type {string} */ name) => [
        name,
        step === 0 ? this.start[name] : this.fields[name].at(step - 1),
      ]),
    );
  }

  /** What a step saw, for statements to be looked up in; null where the algorithm declares none. @param {number} step */
  scene(step) {
    if (this.machine === null) return null;
    const state = this.before(step);
    /** @type {Values} */
    const known = {};
    /** @type {Values | null} */
    let seen = null;
    for (const { name } of this.machine.look.observed) {
      seen = this.fields[name] === undefined ? (seen ?? this.machine.see(state)) : seen;
      known[name] = this.fields[name]?.at(step) ?? /** @type {Values} */ (seen)[name];
    }
    return this.machine.scene(state, known);
  }

  /** The same program from a step on, with concepts set by hand, or from its start, with other inputs.
   *  @param {number} step @param {Setting[]} settings @param {Values} inputs @param {Record<string, string[]>} given @param {string} by */
  whatIf(step, settings, inputs, given, by) {
    const machine = new Machine(this.page.algorithm, this.graph, inputs);
    const isAnew = inputs !== this.inputs;
    const start = isAnew ? machine.start() : this.start;
    const first = isAnew ? 0 : step;
    const found = machine.run(this.rules, isAnew || step === 0 ? start : this.before(step), first, settings);
    /** @type {Record<string, Timeline>} */
    const fields = {};
    for (const name of Object.keys({ ...this.fields, ...found.steps[0] })) {
      const before = Array.from({ length: this.fields[name] === undefined ? 0 : first }, (_, i) => this.fields[name].at(i));
      fields[name] = Timeline.ofRows([...before, ...found.steps.map((each) => each[name])]);
    }
    const written = {
      by,
      steps: first + found.steps.length,
      stopped: found.stopped,
      start,
      rules: this.rules.rules,
      continues: this.rules.continues,
      outcomes: Object.fromEntries(Object.entries(found.outcomes).map(([name, value]) => [name, Number(value) === 1])),
      has_concepts: true,
      sureness: {},
      goes_on_against: [],
      difference: null,
    };
    const side = new Side(this.page, written, fields, inputs, given);
    side.difference = firstDifference(side, this);
    return side;
  }
}

/** Where two runs first differ in what they see or give; null where they do not. @param {Side} side @param {Side} other */
function firstDifference(side, other) {
  const { algorithm } = side.page;
  const names = [...algorithm.concepts, ...Object.keys(algorithm.outputs), ...Object.keys(algorithm.hints)];
  for (let step = 0; step < Math.min(side.steps, other.steps); step++) {
    for (const name of names) {
      const [mine, theirs] = [side.fields[name]?.at(step), other.fields[name]?.at(step)];
      if (mine === undefined || theirs === undefined || mine === theirs) continue;
      const places = mine.flatMap((value, i) => (value == theirs[i] ? [] : [i])); // eslint-disable-line eqeqeq -- 1n == 1
      if (places.length === 0) continue;
      const at = fieldOf(side.page, name).at;
      return { step: step + 1, field: name, at, element: places[0], wrong: places.length, found: null, true: null };
    }
  }
  const [least, most] = [Math.min(side.steps, other.steps), Math.max(side.steps, other.steps)];
  return least === most
    ? null
    : { step: least, field: "going on", at: "graph", element: null, wrong: 1, found: null, true: null };
}

/** What kind of values a field holds, and where. @param {any} page @param {string} name */
function fieldOf(page, name) {
  const { algorithm } = page;
  const known = algorithm.outputs[name] ?? algorithm.hints[name] ?? algorithm.inputs[name];
  return known ?? { at: algorithm.location, kind: "mask" };
}

/** What a user calls something, as it can be shown: its control characters seen, and its direction of writing kept to itself. @param {string} name */
function shownName(name) {
  if (name === "") return "(no name)";
  const seen = name.replace(/[\u0000-\u001f]/g, (each) => String.fromCharCode(0x2400 + each.charCodeAt(0)));
  return /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(seen) ? `\u2068${seen}\u2069` : seen;
}

/** What the user calls a node; of a part of a graph, one that lies outside too. @param {any} page @param {number} node */
function nodeName(page, node) {
  const { nodes, outside } = page.graph;
  return shownName(node < nodes.length ? nodes[node] : outside.node[node - nodes.length]);
}

/** A name as it stands in a sentence. @param {string} name */
function spaced(name) {
  return name.replaceAll("_", " ");
}

/** @typedef {{title: string, labels: string[], of: (side: Side, moment: number) => number[]}} Classes */

/** The classes that the elements at a location are drawn in: a category, else groups, else which masks hold; null: none.
 *  @param {any} page @param {Side[]} sides @param {string} at @returns {Classes | null} */
function classesAt(page, sides, at) {
  const { algorithm } = page;
  const names = [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])].filter(
    (name) => fieldOf(page, name).at === at,
  );
  const count = sides[0].graph.counts[at];
  const nothing = Array.from({ length: count }, () => 0);
  const category = names.find((name) => fieldOf(page, name).kind === "category");
  if (category !== undefined) {
    const { labels } = fieldOf(page, category);
    const first = labels.length === 2 ? 1 : 0; // of two classes, none is that of nothing done
    return {
      title: spaced(category),
      labels: first ? ["", ...labels] : labels,
      of: (side, moment) => (side.at(category, moment) ?? nothing).map((value) => Number(value) + first),
    };
  }
  const group = names.find((name) => fieldOf(page, name).kind === "pointer" && !isArrow(page, name));
  const masks = names.filter((name) => fieldOf(page, name).kind === "mask");
  const held = masks.length === 0 ? null : combinations(sides, masks, count);
  if (group === undefined) return held;
  const sets = groupsBy(page, sides, group, nothing);
  return held === null ? sets : setsBeside(sets, held, spaced(group));
}

/** Whether a pointer leads from a node to another, and is drawn so; others say which set a node is in. @param {any} page @param {string} name */
function isArrow(page, name) {
  if (fieldOf(page, name).itself_is_none) return true;
  const moves = (page.algorithm.look?.moves ?? []).filter((/** @type {any} */ move) => move.name === name);
  return moves.length > 0 && moves.every((/** @type {any} */ move) => ["sender", "receiver"].includes(move.value.at(-1)));
}

/** Elements of a set in its color, those that are alone by what holds of them. @param {Classes} sets @param {Classes} held @param {string} name @returns {Classes} */
function setsBeside(sets, held, name) {
  const count = held.labels.length;
  return {
    title: "",
    labels: [...held.labels, ...sets.labels.slice(1).map((label) => `${name} ${label}`)],
    of: (side, moment) => {
      const alone = held.of(side, moment);
      return sets.of(side, moment).map((number, i) => (number > 0 ? count + number - 1 : alone[i]));
    },
  };
}

/** Elements that point to one element are of one class; those that are alone are of none.
 *  @param {any} page @param {Side[]} sides @param {string} name @param {number[]} nothing @returns {Classes} */
function groupsBy(page, sides, name, nothing) {
  const rootsOf = (/** @type {Side} */ side, /** @type {number} */ moment) => {
    const pointers = (side.at(name, moment) ?? nothing.map((_, i) => i)).map(Number);
    const sizes = new Map();
    for (const root of pointers) sizes.set(root, (sizes.get(root) ?? 0) + 1);
    return pointers.map((root) => (sizes.get(root) > 1 ? root : -1));
  };
  const found = new Set();
  for (const side of sides) {
    for (const moment of momentsOf(side, [name])) for (const root of rootsOf(side, moment)) if (root >= 0) found.add(root);
  }
  const roots = [...found];
  const numbers = new Map(roots.map((root, i) => [root, i + 1]));
  const names = roots.map((root) => nodeName(page, root));
  return {
    title: `sets by ${spaced(name)}`,
    labels: ["alone", ...names],
    of: (side, moment) => rootsOf(side, moment).map((root) => numbers.get(root) ?? 0),
  };
}

/** Which masks hold, in the combinations that occur. @param {Side[]} sides @param {string[]} masks @param {number} count @returns {Classes} */
function combinations(sides, masks, count) {
  // a combination is a number: 1 for the first mask, 2 for the second, 4, ...
  const keysAt = (/** @type {Side} */ side, /** @type {number} */ moment) => {
    const keys = Array.from({ length: count }, () => 0);
    masks.forEach((name, place) => {
      side.at(name, moment)?.forEach((value, i) => {
        if (Number(value) === 1) keys[i] += 2 ** place;
      });
    });
    return keys;
  };
  const numbers = new Map([[0, 0]]);
  for (const side of sides) {
    for (const moment of momentsOf(side, masks)) {
      for (const key of keysAt(side, moment)) if (!numbers.has(key)) numbers.set(key, numbers.size);
    }
  }
  const label = (/** @type {number} */ key) => {
    const held = masks.filter((_, place) => Math.floor(key / 2 ** place) % 2 === 1).map(spaced);
    return held.length ? held.join(", ") : masks.length === 1 ? `not ${spaced(masks[0])}` : "none of these";
  };
  return {
    title: "",
    labels: [...numbers.keys()].map(label),
    of: (side, moment) => keysAt(side, moment).map((key) => /** @type {number} */ (numbers.get(key))),
  };
}

/** The moments at which one of some fields is new. @param {Side} side @param {string[]} names */
function momentsOf(side, names) {
  const steps = names.flatMap((name) => side.fields[name]?.steps ?? []);
  const first = side.steps > 0 ? [0, 1] : [0];
  return [...new Set([...first, ...steps.map((step) => step + 1)])].sort((a, b) => a - b);
}
