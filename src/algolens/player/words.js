// @ts-check
"use strict";

/*
 * Why something was seen or decided, in words: the parts of a statement that decide, and who makes them so.
 * It gives text, never markup: names come from a user's file.
 */

const MOST_NAMED = 6; // of those in view, so many are named; of more, a count

/** @typedef {{statement: string, holds: boolean, evidence: string[], more: number}} Reason */

/** The opposite of an order. @type {Record<string, string>} */
const OPPOSITE = { "<": ">=", ">": "<=", "=": "!=", "!=": "=", "<=": ">", ">=": "<" };

/** How an order is written. @type {Record<string, string>} */
const SIGNS = { "<": "<", ">": ">", "=": "=", "!=": "≠", "<=": "≤", ">=": "≥" };

/** A number that a statement compares with, which is a field of the graph; null where a term is none. @param {Term} term */
function constantIn(term) {
  return /^constant_(\d+)$/.exec(term.at(-1) ?? "")?.[1] ?? null;
}

/** A term as looks write it. @param {Term} term @param {string} subject of whom bare names speak */
function writeTerm(term, subject) {
  const constant = constantIn(term);
  if (constant !== null) return constant;
  const path = term.slice(1).join("'s ");
  if (path === "") return term[0] === "my" ? "me" : "it";
  return term[0] === subject ? path : `${term[0]} ${path}`;
}

/** A statement as looks write it, a rule as programs do. @param {Formula} formula @param {string} subject @returns {string} */
function writeFormula(formula, subject = "my") {
  if (typeof formula === "boolean") return formula ? "True" : "False";
  if (typeof formula === "string") return formula;
  const enclosed = (/** @type {Formula} */ part, /** @type {string} */ kind) =>
    Array.isArray(part) && part[0] === kind ? `(${writeFormula(part, subject)})` : writeFormula(part, subject);
  switch (formula[0]) {
    case "not": {
      const inner = formula[1];
      if (inner[0] === "some") return `no ${inner[1]} (${writeFormula(inner[2], "its")})`;
      if (inner[0] === "is" && inner[2] !== null) return `${writeTerm(inner[1], subject)} is not ${inner[2]}`;
      const isJoined = Array.isArray(inner) && ["and", "or", ...Object.keys(OPPOSITE)].includes(inner[0]);
      return isJoined ? `~(${writeFormula(inner, subject)})` : `~${writeFormula(inner, subject)}`;
    }
    case "and":
      return formula
        .slice(1)
        .map((/** @type {Formula} */ part) => enclosed(part, "or"))
        .join(" & ");
    case "or":
      return formula
        .slice(1)
        .map((/** @type {Formula} */ part) => enclosed(part, "and"))
        .join(" | ");
    case "is":
      return writeTerm(formula[1], subject) + (formula[2] === null ? "" : ` is ${formula[2]}`);
    case "some":
    case "every":
      return `${formula[0]} ${formula[1]} (${writeFormula(formula[2], "its")})`;
    case "at least":
      return `at least ${formula[1]} ${formula[2]} (${writeFormula(formula[3], "its")})`;
  }
  const side = (/** @type {Term[]} */ terms) => {
    const texts = terms.map((term) => writeTerm(term, subject === "my" ? "my" : ""));
    return texts.length === 1 ? texts[0] : `(${texts.join(", ")})`;
  };
  return `${side(formula[1])} ${formula[0]} ${side(formula[2])}`;
}

/**
 * The atoms that a formula's truth follows from, each with its own truth: every part of an "and" that holds, one part of an "or" that does.
 * @param {Formula} formula @param {(part: Formula) => boolean} says @returns {[Formula, boolean][]}
 */
function deciding(formula, says) {
  if (typeof formula === "boolean") return [];
  if (formula[0] === "not") return deciding(formula[1], says);
  if (formula[0] !== "and" && formula[0] !== "or") return [[formula, says(formula)]];
  const truth = says(formula);
  const parts = formula.slice(1);
  if (truth !== (formula[0] === "and"))
    return deciding(
      parts.find((/** @type {Formula} */ part) => says(part) === truth),
      says,
    );
  /** @type {Map<string, [Formula, boolean]>} */
  const found = new Map();
  for (const part of parts) for (const each of deciding(part, says)) found.set(JSON.stringify(each), each);
  return [...found.values()];
}

/** The part of a rule that made it hold, or fail, as text. @param {Formula} rule @param {(name: string) => boolean} of */
function ruleReason(rule, of) {
  const parts = deciding(rule, (part) => ruleHolds(part, of));
  return parts.map(([name, truth]) => (truth ? name : `~${name}`)).join(" & ") || String(rule);
}

/** Says what is seen in a graph, by the names and units that the user gave. */
class Words {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    this.graph = new Graph(page.graph.nodes.length, page.graph.edges, page.graph.directed);
  }

  /** What the user calls an element. @param {string} at @param {number} element @returns {string} */
  name(at, element) {
    const named = (/** @type {number} */ node) => nodeName(this.page, node);
    if (at === "node") return named(element);
    if (at === "graph") return "the graph";
    const count = this.graph.counts[at];
    if (element >= count) return shownName(this.page.graph.outside[at][element - count]);
    if (at === "edge") return this.graph.edges[element].map(named).join(this.graph.directed ? " -> " : " - ");
    return ["sender", "receiver"].map((end) => named(this.graph.steps[end][element])).join(" -> ");
  }

  /** A value of a field as a person reads it. @param {string} name @param {any} field @param {Value} value @param {number} element
   *  @param {Record<string, string[]>} given numbers as the user wrote them @returns {string} */
  value(name, field, value, element, given = this.page.given) {
    if (field.kind === "mask") return Number(value) === 1 ? "yes" : "no";
    if (field.kind === "category") return field.labels[Number(value)];
    if (field.kind === "pointer") {
      return field.itself_is_none && Number(value) === element ? "none" : this.name(field.to, Number(value));
    }
    if (Object.hasOwn(given, name)) return given[name][element];
    return this.inUnits(name, value);
  }

  /** A number in the user's own units. @param {string} name @param {Value} value */
  inUnits(name, value) {
    const scale = Object.hasOwn(this.page.scales, name) ? this.page.scales[name] : 1;
    return scale === 1 ? String(value) : String(Number((Number(value) / scale).toPrecision(15)));
  }

  /** What a term is, in words. @param {Scene} scene @param {string} at @param {number} element @param {string[]} path
   *  @param {Record<string, string[]>} given */
  term(scene, at, element, path, given) {
    const found = scene.follow(at, element, path);
    if (found.field === null) return this.name(found.at, found.element);
    if (found.field === "number") return String(found.value);
    return this.value(found.field, scene.fields[found.field], found.value, found.element, given);
  }

  /**
   * An atom with the values that it speaks of: "priority 3 < 12", "not visited".
   * @param {Formula} atom @param {boolean} truth @param {Scene} scene @param {string} own @param {string} other @param {number} me
   * @param {number} it @param {string} subject @param {Record<string, string[]>} given
   */
  atom(atom, truth, scene, own, other, me, it, subject, given) {
    const at = (/** @type {Term} */ term) => (term[0] === "my" ? own : other);
    const who = (/** @type {Term} */ term) => (term[0] === "my" ? me : it);
    if (atom[0] === "is") {
      const said = writeTerm(atom[1], subject);
      if (atom[2] === null) return truth ? said : `not ${said}`;
      return `${said} is ${this.term(scene, at(atom[1]), who(atom[1]), atom[1].slice(1), given)}`;
    }
    const side = (/** @type {Term[]} */ terms) => {
      const texts = terms.map((term) => this.term(scene, at(term), who(term), term.slice(1), given));
      return texts.length === 1 ? texts[0] : `(${texts.join(", ")})`;
    };
    const called = (/** @type {Term[]} */ terms) => {
      const names = terms.filter((term) => term.length > 1 && constantIn(term) === null).map((term) => term.slice(1).join("'s "));
      return names.length > 1 ? `(${names.join(", ")})` : names.join("");
    };
    const order = SIGNS[truth ? atom[0] : OPPOSITE[atom[0]]];
    const [left, right] = [called(atom[1]), called(atom[2])];
    // "priority 3 < 12" where the same is compared
    return `${left} ${side(atom[1])} ${order} ${right === left ? "" : `${right} `}${side(atom[2])}`.trim();
  }

  /**
   * Why an observation is as it is at an element: the statements that decide, and those in view that make them so.
   * @param {Formula} formula @param {Scene} scene @param {string} own @param {number} me @param {Machine | null} machine
   * @param {Record<string, string[]>} given @returns {Reason[]}
   */
  reasons(formula, scene, own, me, machine = null, given = this.page.given) {
    const says = (/** @type {Formula} */ part) => holds(part, scene, own, own, me, me);
    return deciding(formula, says).map(([atom, truth]) => {
      if (!["some", "every", "at least"].includes(atom[0])) {
        const statement = this.atom(atom, truth, scene, own, own, me, me, "my", given);
        return { statement, holds: truth, evidence: [], more: 0 };
      }
      return this.quantified(atom, truth, scene, own, me, machine, given);
    });
  }

  /** @param {Formula} atom @param {boolean} truth @param {Scene} scene @param {string} own @param {number} me
   *  @param {Machine | null} machine @param {Record<string, string[]>} given @returns {Reason} */
  quantified(atom, truth, scene, own, me, machine, given) {
    const { phrase, body } = quantifier(atom);
    const relation = scene.relations[phrase];
    const others = relation.others;
    const view = scene.inView(phrase, me);
    const says = (/** @type {number} */ it) => holds(body, scene, own, others, me, it);
    const showsThose =
      atom[0] === "every" ? (/** @type {number} */ it) => truth || !says(it) : (/** @type {number} */ it) => !truth || says(it);
    const parts = (/** @type {number} */ it) =>
      deciding(body, (/** @type {Formula} */ part) => holds(part, scene, own, others, me, it));
    // of those that fail, one that fails by a comparison of numbers tells more than one that fails before it
    const isCompared = (/** @type {number} */ it) => parts(it).some(([part]) => part[0] in OPPOSITE);
    const shown = view.filter(showsThose).sort((a, b) => Number(isCompared(b)) - Number(isCompared(a)) || a - b);
    /** @type {Map<string, string[]>} */
    const alike = new Map(); // those of whom the same is to be said, together
    for (const it of shown.slice(0, MOST_NAMED)) {
      const said = parts(it).map(([part, holdsThere]) => {
        const text = this.atom(part, holdsThere, scene, own, others, me, it, "its", given);
        const inner = machine === null ? "" : this.behind(part, scene, others, it, machine, given);
        return inner === "" ? text : `${text}: ${inner}`;
      });
      alike.set(said.join(", "), [...(alike.get(said.join(", ")) ?? []), this.name(others, it)]);
    }
    const evidence = [...alike].map(([said, names]) => `${names.join(", ")} (${said})`);
    const how = atom[0] === "some" && !truth ? `no ${phrase}` : writeFormula(atom).split(" (")[0];
    const only = view.filter(says).length;
    const many = atom[0] === "at least" ? `, and ${only} of ${view.length} ${only === 1 ? "is" : "are"} so` : "";
    const nobody = view.length === 0 ? `, and there is no ${phrase}` : "";
    const negated = !truth && atom[0] !== "some" ? "not " : "";
    return {
      statement: `${negated}${how} (${writeFormula(body, "its")})${many}${nobody}`,
      holds: truth,
      evidence,
      more: Math.max(0, shown.length - MOST_NAMED),
    };
  }

  /** What is behind a mark that was itself observed, in short. @param {Formula} atom @param {Scene} scene @param {string} at
   *  @param {number} element @param {Machine} machine @param {Record<string, string[]>} given */
  behind(atom, scene, at, element, machine, given) {
    if (atom[0] !== "is" || atom[1].length !== 2 || atom[1][0] !== "its") return "";
    const observed = machine.look.observed.find((/** @type {any} */ each) => each.name === atom[1][1]);
    if (observed === undefined || observed.at !== at) return "";
    const found = this.reasons(observed.formula, scene, at, element, null, given);
    return found.map((reason) => reason.statement).join(", ");
  }
}
