// @ts-check
"use strict";

/* What a run did and why, in sentences: the phrases that the algorithm declares, with the names and numbers of the run
 * in them; else
 * names and values. text/sentences.py says the same in Python, to every word. It gives text, never markup. */

/** @typedef {{name: string, at: string, element: number, sentence: string, formula: string,
 *   isAgainst: boolean, isSilent: boolean, place:
 *  number}} Told  formula: the logic behind it; isAgainst: whether it goes against
 *   its rule; isSilent: a step says nothing of it; place: of its phrase among those of the field */
/** @typedef {any[]} Template  Texts, expressions, and other slots: see player/declared.py. */

const MOST_IN_LIST = 6; // names in a sentence; of more, a count

/** Names one after the other. @param {string[]} names */
function inList(names) {
  if (names.length === 0) return "none";
  if (names.length === 1) return names[0];
  const more = names.length - MOST_IN_LIST;
  const shown = names.slice(0, more > 0 ? MOST_IN_LIST : -1);
  return `${shown.join(", ")} and ${more > 0 ? `${more} more` : names.at(-1)}`;
}

/** Whether a step changes a field of an element; at first, whether it is more than nothing. @param {Side} side
 *  @param {number} moment @param {string} name @param {number} element */
function isNew(side, moment, name, element) {
  const before = side.at(name, moment - 1);
  const value = /** @type {Value[]} */ (side.at(name, moment))[element];
  return before === null ? Number(value) !== 0 : value != before[element]; // eslint-disable-line eqeqeq -- 1n == 1
}

/** The elements of which a step changes a field. @param {Side} side @param {number} moment @param {string} name */
function changedIn(side, moment, name) {
  const now = side.at(name, moment);
  if (now === null || now === side.at(name, moment - 1)) return [];
  return now.flatMap((_, i) => (isNew(side, moment, name, i) ? [i] : []));
}

/** @param {boolean} truth */
function yesOrNo(truth) {
  return truth ? "yes" : "no";
}

/** A statement as it is declared, or that a mask of the state becomes. @param {Side} side @param {string} name */
function declaredIn(side, name) {
  const { lets, becomes } = side.page.algorithm.program;
  return [...lets, ...becomes].find((each) => each.name === name);
}

class Sentences {
  /** @param {Page} page @param {Words} words */
  constructor(page, words) {
    this.page = page;
    this.words = words;
    this.speech = page.algorithm.words;
  }

  /** @param {Side} side @param {number} moment @param {string} name @param {number} element */
  about(side, moment, name, element) {
    if (moment < 1 || moment > side.steps) return null;
    const step = side.step(moment);
    const scene = side.scene(step);
    if (Object.hasOwn(side.rules.rules, name) && side.hasConcepts)
      return this.decided(side, moment, scene, name, element);
    if (scene !== null && side.machine?.observed.includes(name)) return this.observed(side, scene, step, name, element);
    return side.at(name, moment) === null ? null : this.moved(side, moment, scene, name, element);
  }

  /** @param {Side} side @param {number} moment */
  examined(side, moment) {
    const { location } = this.page.algorithm;
    const scene = moment < 1 || moment > side.steps ? null : side.scene(side.step(moment));
    if (scene === null || this.speech.examined === null) return [];
    return scene.where(this.speech.examined, location);
  }

  /** @param {Side} side @param {number} moment */
  told(side, moment) {
    if (moment < 1 || moment > side.steps) return [];
    const { algorithm } = this.page;
    const outputs = Object.keys(algorithm.outputs);
    const silent = this.speech.order.length > 0; // fields of the state without a phrase, where others have one
    const names = [...new Set([...this.speech.order, ...outputs, ...(silent ? [] : algorithm.state)])];
    const state = algorithm.state.filter((name) => !algorithm.concepts.includes(name));
    const spoken = names.filter((each) => outputs.includes(each) || state.includes(each));
    const changing = spoken.flatMap((name) => {
      const found =
        changedIn(side, moment, name).map((element) => /** @type {Told} */ (this.about(side, moment, name, element)));
      return found.filter(({ isSilent }) => !isSilent).sort((a, b) => a.place - b.place);
    });
    const known = new Set(changing.filter(({ at }) => at === algorithm.location).map(({ element }) => element));
    const staying = this.examined(side, moment).flatMap((element) => {
      const ruled = known.has(element) ? [] : spoken.filter((name) => Object.hasOwn(side.rules.rules, name));
      const told = ruled.map((name) => /** @type {Told} */ (this.about(side, moment, name, element)));
      return told.filter(({ isSilent }) => !isSilent).slice(0, 1);
    });
    return [...staying, ...changing];
  }

  /** What is said of an outcome of the graph, as it is when all is done. @param {Side} side @param {string} name */
  outcome(side, name) {
    const value = side.outcomes[name];
    const answer = `${spaced(name)}: ${yesOrNo(value)}`;
    if (side.machine === null) return answer;
    const scene = side.machine.scene(side.before(side.steps));
    if (scene.holds(declaredIn(side, name).value, 0) !== value) return answer;
    return `${answer} (${this.said(side, scene, name, 0, value)})`;
  }

  /** How many steps a run took, and what ended it. @param {Side} side */
  ending(side) {
    const steps = `${side.steps.toLocaleString("en-US")} step${side.steps === 1 ? "" : "s"}`;
    if (side.stopped === "limit")
      return `Cut short after ${steps}: these are the most it may take, and it asks for more.`;
    return `Finished after ${steps}: ${this.speech.until}.`;
  }

  /** "distance becomes 4", after the name of the element. @param {Side} side @param {number} moment
   *  @param {string} name @param {number} element */
  effect(side, moment, name, element) {
    const field = fieldOf(this.page, name);
    const value =
      this.words.value(name, field, /** @type {Value[]} */ (side.at(name, moment))[element], element, side.given);
    const verb = isNew(side, moment, name, element) ? "becomes" : "stays";
    const whose = field.at === "graph" ? "" : `${this.words.name(field.at, element)}: `;
    const where = this.page.algorithm.only_where[name];
    const isNowhere = where !== undefined && Number(side.at(where, moment)?.[element] ?? 0) === 0;
    return isNowhere && verb === "stays"
      ? `${whose}no ${spaced(name)} yet`
      : `${whose}${spaced(name)} ${verb} ${value}`;
  }

  /** What a rule decided. @param {Side} side @param {number} moment @param {Scene | null} scene @param {string} name
   *  @param {number} element */
  decided(side, moment, scene, name, element) {
    const at = this.page.algorithm.location;
    const step = side.step(moment);
    const { label, rule, of } = ruleAt(side, name, step, element);
    const isAgainst = !ruleHolds(rule, of);
    const parts = deciding(rule, (part) => ruleHolds(part, of));
    const reasons = parts.map(([{ column: concept }, truth]) => this.said(side, scene, concept, element, truth));
    const cases = this.speech.cases[name];
    const isDeclared = ruleHolds(this.page.algorithm.decides.rules[name]?.[label] ?? rule, of);
    let sentence =
      `${this.effect(side, moment, name, element)}${reasons.length ? `, because ${reasons.join(" and ")}` : ""}`;
    let [isSilent, place] = [false, 0];
    if (isAgainst) sentence = `${this.effect(side, moment, name, element)}, against its rule`;
    else if (scene !== null && cases !== undefined && isDeclared && this.isSeenAsDeclared(side, scene, of, element)) {
      const found = this.caseOf(scene, name, element);
      place = Math.max(0, cases.indexOf(found));
      isSilent = found !== undefined && found[1].length === 0;
      if (found !== undefined && !isSilent)
        sentence = this.filled(found[1], side, scene, at, element, null, { name, moment });
    }
    return { name, at, element, sentence, formula: ruleReason(rule, of), isAgainst, isSilent, place };
  }

  /** Whether all concepts of an element were seen as they are declared: phrases speak of that. @param {Side} side
   *  @param {Scene} scene @param {(concept: string) => boolean} of @param {number} element */
  isSeenAsDeclared(side, scene, of, element) {
    return this.page.algorithm.concepts.every((concept) => {
      return scene.holds(declaredIn(side, concept).value, element) === of(concept);
    });
  }

  /** What is said of a concept, or another observation, that was seen so. @param {Side} side
   *  @param {Scene | null} scene @param {string} name @param {number} element @param {boolean} truth */
  said(side, scene, name, element, truth) {
    const answer = `${spaced(name)}: ${yesOrNo(truth)}`;
    if (scene === null) return answer;
    const { at, value } = declaredIn(side, name);
    if (scene.holds(value, element) !== truth) {
      return `the definition says ${yesOrNo(!truth)}; ${yesOrNo(truth)} was seen`;
    }
    const found = this.caseOf(scene, name, element);
    if (found !== undefined && found[1].length > 0) return this.filled(found[1], side, scene, at, element, null, null);
    return answer;
  }

  /** The names of those in view who are so. @param {Scene} scene @param {View} view @param {Expr} body
   *  @param {number} element */
  those(scene, view, body, element) {
    const found = scene.inView(view, element).filter((it) => scene.holds(body, element, it));
    return found.map((it) => this.words.name(tableIn(view), it));
  }

  /** What was observed. @param {Side} side @param {Scene} scene @param {number} step @param {string} name
   *  @param {number} element */
  observed(side, scene, step, name, element) {
    const { at, value } = declaredIn(side, name);
    const truth = Number(scene.value(name, element)) === 1;
    const isAgainst = scene.holds(value, element) !== truth;
    const found = this.caseOf(scene, name, element);
    let sentence =
      `${at === "graph" ? "" : `${this.words.name(at, element)}: `}${this.said(side, scene, name, element, truth)}`;
    const isSilent = !isAgainst && found !== undefined && found[1].length === 0;
    if (!isAgainst && found !== undefined && !isSilent)
      sentence = this.filled(found[1], side, scene, at, element, null, null);
    const place = isAgainst || found === undefined ? 0 : this.speech.cases[name].indexOf(found);
    return { name, at, element, sentence, formula: this.page.algorithm.texts[name][0], isAgainst, isSilent, place };
  }

  /** The first case of a phrase that holds, with what is said. @param {Scene} scene @param {string} name
   *  @param {number} element */
  caseOf(scene, name, element) {
    return this.speech.cases[name]?.find((/** @type {any} */ [when]) => scene.holds(when, element));
  }

  /** How a pointer or a number moved. @param {Side} side @param {number} moment @param {Scene | null} scene
   *  @param {string} name @param {number} element */
  moved(side, moment, scene, name, element) {
    const { at } = fieldOf(this.page, name);
    const value = /** @type {Value[]} */ (side.at(name, moment))[element];
    const sentence = this.effect(side, moment, name, element);
    const told = { name, at, element, sentence, formula: "", isAgainst: false, isSilent: false, place: 0 };
    if (scene === null || movesIn(this.page.algorithm, name).length === 0) return told;
    const found = /** @type {Machine} */ (side.machine).moved(scene, name, element);
    const expected = found === null ? side.at(name, moment - 1)?.[element] : found.value;
    // eslint-disable-line eqeqeq -- 1n == 1
    if (expected != value) return { ...told, sentence: `${told.sentence}, against its move`, isAgainst: true };
    if (found === null) return told;
    const { place, from: other } = found;
    const formula = this.page.algorithm.texts[name][place];
    const moves = this.speech.moves[name];
    const said = moves === undefined ? this.caseOf(scene, name, element)?.[1] : moves[place];
    if (said !== undefined && said.length > 0) {
      return {
        ...told,
        sentence: this.filled(said, side, scene, at, element, other, { name, moment }),
        formula,
        place,
      };
    }
    const from = other === null ? "" : `, from ${this.words.name(other.at, other.element)}`;
    return { ...told, sentence: `${told.sentence}${from}`, formula, place, isSilent: said !== undefined };
  }

  /** A template with its slots filled. @param {Template} template @param {Side} side @param {Scene} scene
   *  @param {string} at @param {number} element @param {{at: string, element: number} | null} other
   *  @param {{name: string, moment: number} | null} after the field whose new value is said */
  filled(template, side, scene, at, element, other, after) {
    return template
      .map((part) => {
        if (typeof part === "string") return part;
        if (part[0] === "new") {
          const { name, moment } = /** @type {{name: string, moment: number}} */ (after);
          const value = /** @type {Value[]} */ (side.at(name, moment))[element];
          return this.words.value(name, fieldOf(this.page, name), value, element, side.given);
        }
        if (part[0] === "those" || part[0] === "how") {
          const found = this.those(scene, part[1], part[2], element);
          return part[0] === "how" ? String(found.length) : inList(found);
        }
        return this.words.term(scene, part, { at, element }, other ?? { at, element }, side.given);
      })
      .join("");
  }
}
