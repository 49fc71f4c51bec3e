/* Names and values as a person reads them, and the parts of a rule that decide it; telling.js makes sentences of these.
 * It gives text, never markup: names come from a user's file. */

/** What a rule says of concepts. @param {Expr} rule @param {(name: string) => boolean} of @returns {boolean} */
function ruleHolds(rule, of) {
  if (rule.type === "Const") return rule.value;
  if (rule.type === "Get") return of(rule.column);
  if (rule.type === "Not") return !ruleHolds(rule.term, of);
  const says = (/** @type {Expr} */ part) => ruleHolds(part, of);
  return rule.type === "And" ? rule.terms.every(says) : rule.terms.some(says);
}

/** The atoms that a formula's truth follows from, each with its own truth: every part of an "and" that holds, one part
 *  of an "or" that does. @param {Expr} formula @param {(part: Expr) => boolean} says @returns {[Expr, boolean][]} */
function deciding(formula, says) {
  if (formula.type === "Const") return [];
  if (formula.type === "Not") return deciding(formula.term, says);
  if (formula.type !== "And" && formula.type !== "Or") return [[formula, says(formula)]];
  const truth = says(formula);
  const isOne = (/** @type {Expr} */ part) => says(part) === truth;
  if (truth !== (formula.type === "And")) return deciding(formula.terms.find(isOne), says);
  /** @type {Map<string, [Expr, boolean]>} */
  const found = new Map();
  for (const part of formula.terms) for (const each of deciding(part, says)) found.set(JSON.stringify(each), each);
  return [...found.values()];
}

/** The part of a rule that made it hold, or fail, as text. @param {Expr} rule @param {(name: string) => boolean} of */
function ruleReason(rule, of) {
  const parts = deciding(rule, (part) => ruleHolds(part, of));
  return parts.map(([{ column }, truth]) => (truth ? column : `~${column}`)).join(" & ") || String(rule.value);
}

/** Says what is seen in a graph, by the names and units that the user gave. */
class Words {
  /** @param {Page} page @param {Graph} graph @param {Record<string, string[]>} given numbers as the user wrote them */
  constructor(page, graph, given) {
    this.page = page;
    this.graph = graph;
    this.given = given;
  }

  /** What the user calls an element. @param {string} at @param {number} element */
  name(at, element) {
    const named = (/** @type {number} */ node) => nodeName(this.page, node);
    if (at === "node") return named(element);
    if (at === "graph") return "the graph";
    const count = this.graph.counts[at];
    if (element >= count) return shownName(this.page.graph.outside[at][element - count]);
    if (at === "edge") {
      const [u, v] = this.graph.edges[element];
      const ends = this.page.graph.turned?.[element] ? [v, u] : [u, v];
      return ends.map(named).join(this.graph.directed ? " -> " : " - ");
    }
    return ["sender", "receiver"].map((end) => named(this.graph.steps.link[end][element])).join(" -> ");
  }

  /** A value of a field as a person reads it. @param {string} name @param {Value} value @param {number} element
   *  @param {any} field */
  value(name, value, element, field = fieldOf(this.page, name)) {
    if (field.kind === "mask") return yesOrNo(Number(value) === 1);
    if (field.kind === "category") return field.labels[Number(value)];
    if (field.kind === "pointer")
      return field.itself_is_none && Number(value) === element ? "none" : this.name(field.to, Number(value));
    if (Object.hasOwn(this.given, name)) return this.given[name][element];
    const pointer = this.page.algorithm.endless?.[name];
    if (pointer !== undefined && Number(this.page.inputs[pointer][0]) === element) return "∞";
    return this.inUnits(name, value);
  }

  /** A number in the user's own units. @param {string} name @param {Value} value */
  inUnits(name, value) {
    const scale = Object.hasOwn(this.page.scales, name) ? this.page.scales[name] : 1;
    return scale === 1 ? String(value) : String(Number((Number(value) / scale).toPrecision(15)));
  }

  /** What a term is of an element, and of another one, in words. @param {Scene} scene @param {Expr} term
   *  @param {{at: string, element: number}} me @param {{at: string, element: number}} it @returns {string} */
  term(scene, term, me, it) {
    const of = (/** @type {Expr} */ node) => scene.of(node, me.element, it.element);
    if (term.type === "Me" || term.type === "It") {
      const who = term.type === "Me" ? me : it;
      return this.name(who.at, who.element);
    }
    const other = term.type === "The" && term.value.type === "Get" ? scene.first(term, me.element) : undefined;
    if (other !== undefined) return this.term(scene, term.value, me, { at: tableIn(term.view), element: other });
    if (term.type === "Const") return String(of(term));
    if (term.type !== "Get") return this.inUnits(firstColumn(term), of(term));
    const field = scene.fields[term.column];
    const to =
      Object.hasOwn(scene.graph.steps[term.at], term.column) || term.column === "graph"
        ? LEADS_TO[term.column]
        : field?.to;
    if (term.column === "number") return String(of(term));
    if (to !== undefined) return this.name(to, Number(of(term)));
    return this.value(term.column, of(term), of(term.of ?? { type: "Me" }), field);
  }
}

/** The first column that an expression reads. @param {Expr} node */
function firstColumn(node) {
  let found = "";
  someNode(node, ({ type, column }) => type === "Get" && (found = column) !== "");
  return found;
}
