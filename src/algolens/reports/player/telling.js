// @ts-check
"use strict";

/* What a run gave, and what a step did and why, in sentences. */

const MOST_IN_SENTENCE = 8; // names in a sentence; of more, a count

/** Names in a sentence, long lists cut with a count. @param {string[]} names */
function listed(names) {
  const shown = names.slice(0, MOST_IN_SENTENCE).join(", ");
  return names.length > MOST_IN_SENTENCE ? `${shown} and ${names.length - MOST_IN_SENTENCE} more` : shown;
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

  /** @param {Side} side @param {number} moment */
  momentInWords(side, moment) {
    if (moment === 0) return "at the start";
    return moment > side.steps ? `after its ${counted(side.steps, "step")}` : `step ${moment} of ${side.steps}`;
  }

  /** @param {Side} side */
  differenceInWords(side) {
    const { step, field, at, element, found, true: right } = side.difference;
    const where = element === null ? "" : ` of ${this.words.name(at, element)}`;
    const values = found === null ? "" : `: ${found}, and ${right} by the algorithm`;
    return `first differs at step ${step}: ${field}${where}${values}`;
  }

  /** What a step did, in sentences. @param {Side} side @param {number} moment @returns {string[]} */
  stepInWords(side, moment) {
    const { algorithm } = this.page;
    if (moment === 0) return ["Nothing has been done yet."];
    if (moment > side.steps) return [`It was done after ${counted(side.steps, "step")}.`];
    const at = algorithm.location;
    const sentences = [];
    for (const name of new Set([...Object.keys(algorithm.outputs), ...algorithm.state])) {
      const field = fieldOf(this.page, name);
      const [before, now] = [side.at(name, moment - 1), side.at(name, moment)];
      if (now === null) continue;
      /** @type {Map<string, string[]>} */
      const groups = new Map();
      now.forEach((value, i) => {
        if (before === null ? Number(value) === 0 : value == before[i]) return; // eslint-disable-line eqeqeq -- 1n == 1
        const key = `${spaced(name)} becomes ${this.told(side, name, moment, i)}${this.becauseOf(side, name, moment, i)}.`;
        groups.set(key, [...(groups.get(key) ?? []), this.words.name(field.at, i)]);
      });
      for (const [what, names] of groups) sentences.push(`${listed(names)}: ${what}`);
    }
    // what was looked at and left as it was: an edge that is rejected says why
    const outputs = Object.keys(algorithm.outputs);
    for (const i of changedAt(this.page, side, moment, at)) {
      const isNew = (/** @type {string} */ name) => side.at(name, moment - 1)?.[i] !== side.at(name, moment)?.[i];
      if (outputs.some(isNew)) continue;
      for (const output of Object.keys(side.rules.rules)) {
        const what = `${spaced(output)} stays ${this.told(side, output, moment, i)}${this.becauseOf(side, output, moment, i)}`;
        sentences.push(`${this.words.name(at, i)}: ${what}.`);
      }
    }
    if (sentences.length === 0) sentences.push("Nothing changes.");
    if (moment === side.steps) {
      sentences.push(`Done after ${counted(side.steps, "step")}: ${side.stopped}.`);
      for (const [name, value] of Object.entries(side.outcomes)) sentences.push(`${spaced(name)}: ${value ? "yes" : "no"}.`);
    }
    return sentences;
  }

  /** By which part of its rule an output was decided, as the end of a sentence; nothing where none decides.
   *  @param {Side} side @param {string} name @param {number} moment @param {number} element */
  becauseOf(side, name, moment, element) {
    const why = this.why(side, name, moment, element);
    return why === null ? "" : `, ${why.holds ? "because" : "against its rule, for"} ${why.reason}`;
  }

  /** The rule behind an output at an element; null where none decides it. @param {Side} side @param {string} name @param {number} moment @param {number} element */
  why(side, name, moment, element) {
    if (!Object.hasOwn(side.rules.rules, name) || !side.hasConcepts) return null;
    const step = side.step(moment);
    const classes = side.rules.rules[name];
    const field = fieldOf(this.page, name);
    const value = Number(side.rows[name][step][element]);
    const label = field.kind === "mask" ? (value === 1 ? "true" : "false") : field.labels[value];
    const of = (/** @type {string} */ concept) => Number(side.rows[concept][step][element]) === 1;
    const rule = classes[label];
    return { label, rule: writeFormula(rule), holds: ruleHolds(rule, of), reason: ruleReason(rule, of) };
  }
}
