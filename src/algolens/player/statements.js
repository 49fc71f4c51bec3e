// @ts-check
"use strict";

/* Whether statements of a look and rules hold, and sums that are exact. They are read as Look.to_json and Program.to_json write them. */

const MOST_SUM = 2n ** 61n;

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
