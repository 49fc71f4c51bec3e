// @ts-check
"use strict";

/* What a run gave, and what a step did and why, in sentences. */

const MOST_IN_SENTENCE = 8; // names in a sentence; of more, a count
const AGAINST = "against its rule";
const MOST_ASKED = 200; // values of which a step says how they came
const UNSURE = 0.75; // below, what a network is least sure of is said

/** Names in a sentence, long lists cut with a count. @param {string[]} names */
function listed(names) {
  const shown = names.slice(0, MOST_IN_SENTENCE).join(", ");
  return names.length > MOST_IN_SENTENCE ? `${shown} and ${names.length - MOST_IN_SENTENCE} more` : shown;
}

const WHY_STOPPED = {
  rule: "nothing asks for another",
  count: "these are all there are",
  limit: "these are the most it may take, though it asks for more",
};

/** @param {Side} side */
function endInWords(side) {
  return `${side.stopped === "limit" ? "Cut short" : "Done"} after ${counted(side.steps, "step")}`;
}

/** @typedef {{text: string, isAgainst: boolean}} Sentence  isAgainst: whether it tells of what goes against a rule */

/** @param {string} text @param {boolean} isAgainst @returns {Sentence} */
function sentence(text, isAgainst = false) {
  return { text, isAgainst };
}

/** So many of something. @param {number} number @param {string} what */
function counted(number, what) {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

class Teller {
  /** @param {any} page @param {Words} words */
  constructor(page, words) {
    this.page = page;
    this.words = words;
  }

  /** What a field is at an element and a moment, as text. @param {Side} side @param {string} name @param {number} moment @param {number} element */
  told(side, name, moment, element) {
    const values = side.at(name, moment);
    if (values === null) return "–";
    const where = this.page.algorithm.only_where[name];
    if (where !== undefined && Number(side.at(where, moment)?.[element] ?? 0) === 0) return "–";
    return this.words.value(name, fieldOf(this.page, name), values[element], element, side.given);
  }

  /** The same of a concept, with how sure a network was of it. @param {Side} side @param {string} name @param {number} moment @param {number} element */
  toldWithSureness(side, name, moment, element) {
    const sure = side.sure(name, moment, element);
    return `${this.told(side, name, moment, element)}${sure === null ? "" : ` (${sure.toFixed(2)})`}`;
  }

  /** @param {Side} side @param {number} moment */
  momentInWords(side, moment) {
    if (moment === 0) return "at the start";
    return moment > side.steps ? `after its ${counted(side.steps, "step")}` : `step ${moment} of ${side.steps}`;
  }

  /** What is true of the graph as a whole: a clock, a count. @param {Side} side @param {number} moment */
  wholeInWords(side, moment) {
    const { algorithm } = this.page;
    return [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])]
      .filter((name) => fieldOf(this.page, name).at === "graph")
      .map((name) => `${spaced(name)}: ${this.told(side, name, moment, 0)}`)
      .join(", ");
  }

  /** @param {Side} side */
  differenceInWords(side) {
    const { step, field, at, element, found, true: right } = side.difference;
    const where = element === null ? "" : ` of ${this.words.name(at, element)}`;
    const values = found === null ? "" : `: ${found}, and ${right} by the algorithm`;
    return `first differs at step ${step}: ${field}${where}${values}`;
  }

  /** What a step did, in sentences. @param {Side} side @param {number} moment @returns {Sentence[]} */
  stepInWords(side, moment) {
    if (moment === 0) return [sentence("Nothing has been done yet.")];
    if (moment > side.steps) return [sentence(`${endInWords(side)}.`, side.stopped === "limit")];
    const found = [...this.becoming(side, moment), ...this.staying(side, moment)].map(([what, names]) =>
      sentence(`${listed(names)}: ${what}`, what.includes(AGAINST)),
    );
    if (found.length === 0) found.push(sentence("Nothing changes."));
    found.push(...this.leastSure(side, moment).map((text) => sentence(text)));
    if (side.goesOnAgainst.includes(moment)) {
      found.push(sentence(`It ${moment === side.steps ? "stops" : "goes on"} against its rule for going on.`, true));
    }
    if (moment === side.steps) {
      found.push(sentence(`${endInWords(side)}: ${WHY_STOPPED[side.stopped]}.`, side.stopped === "limit"));
      for (const [name, value] of Object.entries(side.outcomes)) found.push(sentence(`${spaced(name)}: ${value ? "yes" : "no"}.`));
    }
    return found;
  }

  /** What is new, and of whom the same is to be said. @param {Side} side @param {number} moment @returns {Map<string, string[]>} */
  becoming(side, moment) {
    const { algorithm } = this.page;
    /** @type {Map<string, string[]>} */
    const groups = new Map();
    const wayOf = this.waysAt(side, moment);
    for (const name of new Set([...Object.keys(algorithm.outputs), ...algorithm.state])) {
      const field = fieldOf(this.page, name);
      const [before, now] = [side.at(name, moment - 1), side.at(name, moment)];
      if (now === null) continue;
      now.forEach((value, i) => {
        if (before === null ? Number(value) === 0 : value == before[i]) return; // eslint-disable-line eqeqeq -- 1n == 1
        const key = `${spaced(name)} becomes ${this.told(side, name, moment, i)}${this.becauseOf(side, name, moment, i)}${wayOf(name, i, value)}.`;
        groups.set(key, [...(groups.get(key) ?? []), this.words.name(field.at, i)]);
      });
    }
    return groups;
  }

  /** How a field that no rule decides became a value at an element, as the end of a sentence: by a move (", by graph's here where rises"), or
   *  because of what decides an observation. Nothing where a network gave another value, and where too many change to ask of each.
   *  @param {Side} side @param {number} moment @returns {(name: string, element: number, value: Value) => string} */
  waysAt(side, moment) {
    const { machine } = side;
    const scene = machine === null ? null : side.scene(side.step(moment));
    let asked = 0;
    return (name, element, value) => {
      if (machine === null || scene === null || Object.hasOwn(side.rules.rules, name) || ++asked > MOST_ASKED) return "";
      const observed = machine.look.observed.find((/** @type {any} */ each) => each.name === name);
      if (observed !== undefined) {
        const { at, formula } = observed;
        if (holds(formula, scene, at, at, element, element) !== (Number(value) === 1)) return "";
        const reasons = this.words.reasons(formula, scene, at, element, null, side.given).map((reason) => reason.statement);
        return reasons.length === 0 ? "" : `, because ${reasons.join(" & ")}`;
      }
      const declared = machine.look.moves.filter((/** @type {any} */ move) => move.name === name);
      const moved = machine.moved(scene, name, element);
      if (moved === null || moved.value != value) return ""; // eslint-disable-line eqeqeq -- 1n == 1
      return `, by ${this.page.algorithm.moves[name][declared.indexOf(moved.move)]}`;
    };
  }

  /** What was looked at and left as it was: an edge that is rejected says why. @param {Side} side @param {number} moment @returns {Map<string, string[]>} */
  staying(side, moment) {
    const at = this.page.algorithm.location;
    const outputs = Object.keys(this.page.algorithm.outputs);
    /** @type {Map<string, string[]>} */
    const staying = new Map();
    const looked = [...new Set([...changedAt(this.page, side, moment, at), ...this.against(side, moment)])];
    for (const i of looked.sort((a, b) => a - b)) {
      const isNew = (/** @type {string} */ name) => side.at(name, moment - 1)?.[i] !== side.at(name, moment)?.[i];
      const isAllOld = !outputs.some(isNew);
      for (const output of Object.keys(side.rules.rules)) {
        // where another output is new, this one is told if a comparison kept it: a task that is looked at and not selected
        if (!isAllOld && (isNew(output) || this.comparedFor(side, output, moment, i) === "")) continue;
        const what = `${spaced(output)} stays ${this.told(side, output, moment, i)}${this.becauseOf(side, output, moment, i)}${this.comparedFor(side, output, moment, i)}.`;
        staying.set(what, [...(staying.get(what) ?? []), this.words.name(at, i)]);
      }
    }
    return staying;
  }

  /** The comparisons behind the concepts that decided an output, in brackets: "(one_end's parent 4 = other_end's parent 4)".
   *  @param {Side} side @param {string} name @param {number} moment @param {number} element */
  comparedFor(side, name, moment, element) {
    const why = this.why(side, name, moment, element);
    const scene = why === null ? null : side.scene(side.step(moment));
    if (why === null || scene === null) return "";
    const at = this.page.algorithm.location;
    const found = why.parts.flatMap(([concept]) => {
      const { formula } = /** @type {Machine} */ (side.machine).look.observed.find((/** @type {any} */ each) => each.name === concept);
      const says = (/** @type {Formula} */ part) => holds(part, scene, at, at, element, element);
      return deciding(formula, says)
        .filter(([atom]) => atom[0] in OPPOSITE)
        .map(([atom, truth]) => this.words.atom(atom, truth, scene, at, at, element, element, "my", side.given));
    });
    return found.length === 0 ? "" : ` (${found.join(", ")})`;
  }

  /** The concept that a network was least sure of in a step, where it was not sure of all. @param {Side} side @param {number} moment @returns {string[]} */
  leastSure(side, moment) {
    let [least, where, element] = [UNSURE, "", 0];
    for (const name of Object.keys(side.sureness)) {
      side.sureness[name].at(moment - 1).forEach((_, i) => {
        const sure = side.sure(name, moment, i) ?? 1;
        if (sure < least) [least, where, element] = [sure, name, i];
      });
    }
    if (where === "") return [];
    const name = this.words.name(this.page.algorithm.location, element);
    return [`Least sure: ${where} of ${name}, ${this.toldWithSureness(side, where, moment, element)}.`];
  }

  /** The elements at which an output was decided against its rule. @param {Side} side @param {number} moment @returns {number[]} */
  against(side, moment) {
    const elements = Array.from({ length: side.graph.counts[this.page.algorithm.location] }, (_, i) => i);
    const names = Object.keys(side.rules.rules);
    return elements.filter((i) => names.some((name) => this.why(side, name, moment, i)?.holds === false));
  }

  /** By which part of its rule an output was decided, as the end of a sentence; nothing where none decides.
   *  @param {Side} side @param {string} name @param {number} moment @param {number} element */
  becauseOf(side, name, moment, element) {
    const why = this.why(side, name, moment, element);
    return why === null ? "" : `, ${why.holds ? "because" : `${AGAINST}, for`} ${why.reason}`;
  }

  /** The rule behind an output at an element; null where none decides it. @param {Side} side @param {string} name @param {number} moment @param {number} element */
  why(side, name, moment, element) {
    if (!Object.hasOwn(side.rules.rules, name) || !side.hasConcepts) return null;
    const step = side.step(moment);
    const classes = side.rules.rules[name];
    const field = fieldOf(this.page, name);
    const value = Number(side.fields[name].at(step)[element]);
    const label = field.kind === "mask" ? (value === 1 ? "true" : "false") : field.labels[value];
    const of = (/** @type {string} */ concept) => Number(side.fields[concept].at(step)[element]) === 1;
    const rule = classes[label];
    return {
      label,
      holds: ruleHolds(rule, of),
      get rule() {
        return writeFormula(rule);
      },
      get reason() {
        return ruleReason(rule, of);
      },
      get parts() {
        return deciding(rule, (part) => ruleHolds(part, of));
      },
    };
  }
}
