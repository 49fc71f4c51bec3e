// @ts-check
"use strict";

/*
 * Names, values and rules as a person reads them, and the parts of a formula that decide it; sentences.js makes sentences of these.
 * It gives text, never markup: names come from a user's file.
 */

/** A rule as programs write it. @param {Formula} rule @returns {string} */
function writeFormula(rule) {
  if (typeof rule === "boolean") return rule ? "True" : "False";
  if (typeof rule === "string") return rule;
  const enclosed = (/** @type {Formula} */ part, /** @type {string} */ kind) =>
    Array.isArray(part) && part[0] === kind ? `(${writeFormula(part)})` : writeFormula(part);
  if (rule[0] === "not") return `~${Array.isArray(rule[1]) ? `(${writeFormula(rule[1])})` : writeFormula(rule[1])}`;
  const [sign, other] = rule[0] === "and" ? [" & ", "or"] : [" | ", "and"];
  return rule
    .slice(1)
    .map((/** @type {Formula} */ part) => enclosed(part, other))
    .join(sign);
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
    if (at === "edge") {
      const [u, v] = this.graph.edges[element];
      return (this.page.graph.turned?.[element] ? [v, u] : [u, v]).map(named).join(this.graph.directed ? " -> " : " - ");
    }
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
    const pointer = this.page.algorithm.endless?.[name];
    if (pointer !== undefined && Number(this.page.inputs[pointer][0]) === element) return "∞";
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
}
