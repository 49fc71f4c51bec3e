/* The runs of a page, moment by moment. Moment 0 is the start; moment m shows what step m saw and gave. */

const KEPT_SCENES = 3; // of the step that is shown, and of the next

/** One run: its fields over time, and the machine that could go on from any of its states. */
class Side {
  /** @param {Page} page @param {any} written what the page says of the run @param {Record<string, Timeline>} fields
   *  each over time @param {Values} inputs @param {Record<string, string[]>} given */
  constructor(page, written, fields, inputs, given) {
    this.page = page;
    this.by = written.by;
    this.steps = written.steps;
    /** @type {"rule" | "count" | "limit"} */
    this.stopped = written.stopped;
    this.start = written.start;
    this.outcomes = written.outcomes;
    /** @type {Rules} */
    this.rules = written.rules;
    this.hasConcepts = written.has_concepts;
    /** @type {Record<string, Timeline>} how likely concepts were to a network, in percent, unless sure */
    this.sureness =
      Object.fromEntries(Object.entries(written.sureness).map(([name, each]) => [name, Timeline.read(each)]));
    /** @type {number[]} the steps after which a network stops or goes on against its rule */
    this.goesOnAgainst = written.goes_on_against;
    this.difference = written.difference;
    this.fields = fields;
    this.inputs = inputs;
    this.given = given;
    const graph = new Graph(page.graph.nodes.length, page.graph.edges, page.graph.directed);
    // on a part of a graph, those in view are not all there
    this.machine =
      page.algorithm.program === null || page.part !== null ? null : new Machine(page.algorithm, graph, inputs);
    this.graph = graph;
    this.words = new Words(page, graph, given);
    /** @type {Map<number, Scene>} what steps saw, of those that were asked for last */
    this.scenes = new Map();
  }

  /** Who made the run, in words. */
  get called() {
    return this.by.startsWith("what if") ? upper(this.by) : `by ${this.by}`;
  }

  /** A run as the page's JSON has it. @param {Page} page @param {any} written */
  static read(page, written) {
    const decoded = (/** @type {Record<string, (Value | string)[]>} */ values) =>
      Object.fromEntries(Object.entries(values).map(([name, each]) => [name, each.map(decodedValue)]));
    const fields = Object.fromEntries(Object.entries(written.trace).map(([name, each]) => [name, Timeline.read(each)]));
    return new Side(page, { ...written, start: decoded(written.start) }, fields, decoded(page.inputs), page.given);
  }

  /** The step that a moment shows, from 0 on; after the end, the last one. @param {number} moment */
  step(moment) {
    return Math.min(moment, this.steps) - 1;
  }

  /** A field; null where there is none yet. @param {string} name @param {number} moment @returns {Value[] | null} */
  at(name, moment) {
    const step = this.step(moment);
    if (step >= 0) return this.fields[name]?.at(step) ?? null;
    return this.start[name] ?? null;
  }

  /** Every value that a field ever has, with its element; some often. @param {string} name */
  everyValue(name) {
    const changes = this.fields[name]?.changes.flatMap((change) => pairsOf(change)) ?? [];
    const first = [this.start[name] ?? [], this.steps > 0 ? (this.fields[name]?.at(0) ?? []) : []];
    const pairs = (/** @type {Value[]} */ values) => values.map((value, i) => [i, Number(value)]);
    return [...first.flatMap(pairs), ...changes];
  }

  /** How sure a network was of a concept as it saw it, from 0.5 to 0.99; null where it is sure. @param {string} name
   *  @param {number} moment @param {number} element */
  sure(name, moment, element) {
    const percent = moment > 0 && moment <= this.steps ? this.sureness[name]?.at(moment - 1)[element] : undefined;
    const sure = percent === undefined ? 100 : Math.max(Number(percent), 100 - Number(percent));
    return sure === 100 ? null : sure / 100;
  }

  /** The state that a step begins with. @param {number} step */
  before(step) {
    const value = (/** @type {string} */ name) => (step === 0 ? this.start[name] : this.fields[name].at(step - 1));
    return Object.fromEntries(this.page.algorithm.state.map((name) => [name, value(name)]));
  }

  /** What a step saw, to look statements up in; null where none are declared. @param {number} step */
  scene(step) {
    if (this.machine === null) return null;
    const known = this.scenes.get(step);
    if (known !== undefined) return known;
    if (this.scenes.size >= KEPT_SCENES) this.scenes.delete(/** @type {number} */ (this.scenes.keys().next().value));
    const seen = this.machine.observed.filter((name) => this.fields[name] !== undefined);
    const scene =
      this.machine.scene(this.before(step), Object.fromEntries(seen.map((name) => [name, this.fields[name].at(step)])));
    this.scenes.set(step, scene);
    return scene;
  }

  /** The same program from a step on, with concepts set by hand, or from its start, with other inputs.
   *  @param {number} step @param {Setting[]} settings @param {Values} inputs @param {Record<string, string[]>} given
   *  @param {string} by */
  whatIf(step, settings, inputs, given, by) {
    const machine = new Machine(this.page.algorithm, this.graph, inputs);
    const isAnew = inputs !== this.inputs;
    if (isAnew) checkInputs(this.page.algorithm, this.graph, inputs, this.page.graph.nodes);
    const start = isAnew ? machine.start() : this.start;
    const first = isAnew ? 0 : step;
    const found = machine.run(this.rules, isAnew || step === 0 ? start : this.before(step), first, settings);
    /** @type {Record<string, Timeline>} */
    const fields = {};
    for (const name of Object.keys({ ...this.fields, ...found.steps[0] })) {
      const before = this.fields[name] === undefined ? [] : upTo(first).map((each) => this.fields[name].at(each));
      fields[name] = Timeline.ofRows([...before, ...found.steps.map((each) => each[name])]);
    }
    const written = { ...found.told, by, steps: first + found.steps.length, start, rules: this.rules };
    const side = new Side(this.page, written, fields, inputs, given);
    side.difference = firstDifference(side, this);
    return side;
  }
}

/** Where two runs first differ in what they see or give, or null. @param {Side} side @param {Side} other */
function firstDifference(side, other) {
  const { algorithm } = side.page;
  const names = [...algorithm.concepts, ...Object.keys(algorithm.outputs), ...Object.keys(algorithm.hints)];
  for (let step = 0; step < Math.min(side.steps, other.steps); step++) {
    for (const name of names) {
      const [mine, theirs] = [side.fields[name]?.at(step), other.fields[name]?.at(step)];
      if (mine === undefined || theirs === undefined || mine === theirs) continue;
      const places = [...mine.keys()].filter((i) => mine[i] != theirs[i]); // 1n is 1
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

/** The outputs of an algorithm, and what else it carries from step to step. @param {Page} page @param {string} at
 *  unless given, anywhere */
function fieldsOf(page, at = "") {
  const names = new Set([...Object.keys(page.algorithm.outputs), ...page.algorithm.state]);
  return [...names].filter((name) => at === "" || fieldOf(page, name).at === at);
}

/** The numbers below one. @param {number} count */
const upTo = (count) => [...Array(count).keys()];

/** @template T @param {T[]} values @param {(value: T) => any} key @returns {T[][]} those of the same key together */
function grouped(values, key) {
  /** @type {Map<any, T[]>} */
  const found = new Map();
  for (const value of values) found.set(key(value), [...(found.get(key(value)) ?? []), value]);
  return [...found.values()];
}

/** With a capital letter. @param {string} text */
const upper = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** @param {string} noun */
const plural = (noun) => noun.replace(/y$/, "ie") + "s";

/** What the elements at a location are called: nodes are numbers, points or letters to some algorithms.
 *  @param {Page} page @param {string} at */
function itemOf({ algorithm }, at) {
  const { items } = algorithm;
  if (at !== "node" || !items) return at;
  if (items === "words") return "letter";
  return items.includes(" ") ? "item" : items.replace(/ies$/, "y").replace(/s$/, "");
}

/** What kind of values a field holds, and where. @param {Page} page @param {string} name */
function fieldOf(page, name) {
  const { algorithm } = page;
  const known = algorithm.outputs[name] ?? algorithm.hints[name] ?? algorithm.inputs[name];
  return known ?? { at: algorithm.location, kind: "mask" };
}

/** What a user calls something, as it can be shown: its control characters seen, and its direction of writing kept to
 *  itself. @param {string} name */
function shownName(name) {
  if (name === "") return "(no name)";
  const seen = name.replace(/[\u0000-\u001f]/g, (each) => String.fromCharCode(0x2400 + each.charCodeAt(0)));
  return /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(seen) ? `\u2068${seen}\u2069` : seen;
}

/** What the user calls a node; of a part, one outside too. @param {Page} page @param {number} node */
function nodeName(page, node) {
  const { nodes, outside } = page.graph;
  return shownName(node < nodes.length ? nodes[node] : outside.node[node - nodes.length]);
}

/** A name as it stands in a sentence. @param {string} name */
const spaced = (name) => name.replaceAll("_", " ");

/** What readers call a field: as is declared, else its own name. @param {Page} page @param {string} name */
function calledIn(page, name) {
  const { names, states } = page.algorithm.words;
  return names?.[name] ?? states?.[name] ?? spaced(name);
}

/** The moments at which one of some fields is new. @param {Side} side @param {string[]} names */
function momentsOf(side, names) {
  const steps = names.flatMap((name) => side.fields[name]?.steps ?? []);
  const first = side.steps > 0 ? [0, 1] : [0];
  return [...new Set([...first, ...steps.map((step) => step + 1)])].sort((a, b) => a - b);
}
