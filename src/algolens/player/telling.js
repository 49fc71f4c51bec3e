// @ts-check
"use strict";

/* What a run gave, and what a step did and why, in sentences. */

const UNSURE = 0.75; // below, what a network is least sure of is said

/** @param {Side} side */
function endInWords(side) {
  return `${side.stopped === "limit" ? "Cut short" : "Finished"} after ${counted(side.steps, "step")}`;
}

/** @typedef {{text: string, isAgainst: boolean, told: Told | null}} Sentence  isAgainst: whether it tells of what goes
 *  against a rule;
 *    told: what stands behind it */

/** @param {string} text @param {boolean} isAgainst @param {Told | null} told @param {boolean} isNamed whether it begins
 *  with a name, which is kept as it is */
function sentence(text, isAgainst = false, told = null, isNamed = false) {
  return { text: `${isNamed ? text : upper(text)}.`, isAgainst, told };
}

/** So many of something. @param {number} number @param {string} what */
function counted(number, what) {
  return number === 1 ? `1 ${what}` : `${number} ${plural(what)}`;
}

class Teller {
  /** @param {Page} page @param {Words} words */
  constructor(page, words) {
    this.page = page;
    this.words = words;
    this.sentences = new Sentences(page, words);
  }

  /** What a field is at an element and a moment, as text. @param {Side} side @param {string} name
   *  @param {number} moment @param {number} element */
  told(side, name, moment, element) {
    const values = side.at(name, moment);
    if (values === null) return "–";
    if (isFall(this.page, name)) return fallsIn(new LayoutMoment(this.page, side, moment))[element] || "–";
    const where = this.page.algorithm.only_where[name];
    if (where !== undefined && Number(side.at(where, moment)?.[element] ?? 0) === 0) return "–";
    return this.words.value(name, fieldOf(this.page, name), values[element], element, side.given);
  }

  /** The same of a concept, with how sure a network was of it. @param {Side} side @param {string} name
   *  @param {number} moment @param {number} element */
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
    const { words } = algorithm;
    const isOwn = words.order.length === 0; // of an algorithm that is told in words, only what has a name
    const { layout } = algorithm;
    const drawn = [...(layout.marks ?? []), ...(layout.lines ?? [])]; // which stand in the drawing
    return fieldsOf(this.page)
      .filter(
        (name) => fieldOf(this.page, name).at === "graph" && !drawn.includes(name) && (
          isOwn || Object.hasOwn(words.names ?? {}, name)
        )
      )
      .map((name) => `${calledIn(this.page, name)}: ${this.told(side, name, moment, 0)}`)
      .join(", ");
  }

  /** @param {Side} side */
  differenceInWords(side) {
    const { step, field, at, element, found, true: right } = side.difference;
    const where = element === null ? "" : ` of ${this.words.name(at, element)}`;
    const values = found === null ? "" : `: ${found}, and ${right} by the algorithm`;
    return `first differs at step ${step}: ${spaced(field)}${where}${values}`;
  }

  /** What a step did, in sentences. @param {Side} side @param {number} moment */
  stepInWords(side, moment) {
    if (moment === 0) {
      const start = this.page.algorithm.pseudocode.find((line) => line.id === "start");
      return [sentence((start?.text ?? "nothing has been done yet").replace(/^start: /, ""))];
    }
    if (moment > side.steps) return [sentence(endInWords(side), side.stopped === "limit")];
    const told = this.sentences.told(side, moment);
    const isSaid = new Set(told.map(({ name, at, element }) => `${name} ${at} ${element}`));
    const at = this.page.algorithm.location;
    for (const [name, element] of this.against(side, moment)) {
      const found = isSaid.has(`${name} ${at} ${element}`) ? null : this.sentences.about(side, moment, name, element);
      if (found !== null) told.push(found);
    }
    const found = this.joined(told);
    if (found.length === 0) found.push(sentence("nothing changes"));
    found.push(...this.leastSure(side, moment).map((text) => sentence(text)));
    if (side.goesOnAgainst.includes(moment)) {
      found.push(sentence(`it ${moment === side.steps ? "stops" : "goes on"} against its rule for going on`, true));
    }
    if (moment === side.steps) {
      found.push(sentence(this.sentences.ending(side).replace(/\.$/, ""), side.stopped === "limit"));
      for (const name of Object.keys(side.outcomes)) found.push(sentence(this.sentences.outcome(side, name)));
    }
    return found;
  }

  /** What is said alike of several elements is said once: "2 moves to the set of 13. Likewise 6 and 7."
   *  @param {Told[]} told */
  joined(told) {
    /** @type {Map<string, {first: Told, others: string[]}>} */
    const alike = new Map();
    told.forEach((each, i) => {
      const name = this.words.name(each.at, each.element);
      const isOfIt = each.at !== "graph" && !each.isAgainst && each.sentence.startsWith(name);
      const key = isOfIt ? `${each.name} ${each.sentence.slice(name.length)}` : `${i}`;
      const known = alike.get(key);
      if (known === undefined) alike.set(key, { first: each, others: [] });
      else known.others.push(name);
    });
    return [...alike.values()].map(({ first, others }) => {
      const isNamed = first.at !== "graph" && first.sentence.startsWith(this.words.name(first.at, first.element));
      const said = sentence(first.sentence, first.isAgainst, first, isNamed);
      return others.length === 0 ? said : { ...said, text: `${said.text} Likewise ${inList(others)}.` };
    });
  }

  /** The concept that a network was least sure of in a step, where it was not sure of all. @param {Side} side
   *  @param {number} moment */
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
    return [`least sure: ${spaced(where)} of ${name}, ${this.toldWithSureness(side, where, moment, element)}`];
  }

  /** The outputs that were decided against their rule, and where. @param {Side} side @param {number} moment */
  against(side, moment) {
    if (!SEES_BY_ITSELF.includes(side.by)) return []; // the algorithm and programs go by their rules
    const elements = Array.from({ length: side.graph.counts[this.page.algorithm.location] }, (_, i) => i);
    return Object.keys(side.rules.rules).flatMap((name) =>
      elements.flatMap(
        (i) => (this.why(side, name, moment, i)?.holds === false ? [/** @type {[string, number]} */ ([name, i])] : [])
      ),
    );
  }

  /** The rule behind an output at an element; null where none decides it. @param {Side} side @param {string} name
   *  @param {number} moment @param {number} element */
  why(side, name, moment, element) {
    if (!Object.hasOwn(side.rules.rules, name) || !side.hasConcepts) return null;
    const { label, rule, of } = ruleAt(side, name, side.step(moment), element);
    return { label, holds: ruleHolds(rule, of), rule: side.rules.texts[name][label], reason: ruleReason(rule, of) };
  }
}

/** The rule of what was decided at an element, and what it saw. @param {Side} side @param {string} name
 *  @param {number} step @param {number} element */
function ruleAt(side, name, step, element) {
  const field = fieldOf(side.page, name);
  const value = Number(side.fields[name].at(step)[element]);
  const label = field.kind === "mask" ? (value === 1 ? "true" : "false") : field.labels[value];
  const of = (/** @type {string} */ concept) => Number(side.fields[concept].at(step)[element]) === 1;
  return { label, rule: side.rules.rules[name][label], of };
}
