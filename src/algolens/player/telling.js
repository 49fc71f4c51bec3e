/* What a run shows at one moment, and what a step did and why: the phrases that the algorithm declares, with the names
 * and numbers of the run in them; else names and values. text/sentences.py says the same in Python, to every word. */

/** @typedef {{name: string, at: string, element: number, sentence: string, formula: string, isAgainst: boolean,
 *   isSilent: boolean, place: number}} Told  formula: the logic behind it; isAgainst: whether it goes against its rule;
 *   isSilent: a step says nothing of it; place: of its phrase among those of the field */
/** @typedef {{text: string, isAgainst: boolean, told: Told | null}} Sentence */

const MOST_IN_LIST = 6; // names in a sentence; of more, a count
const UNSURE = 0.75; // below, what a network is least sure of is said

/** Names one after the other. @param {string[]} names */
function inList(names) {
  if (names.length < 2) return names[0] ?? "none";
  const more = names.length - MOST_IN_LIST;
  const shown = names.slice(0, more > 0 ? MOST_IN_LIST : -1);
  return `${shown.join(", ")} and ${more > 0 ? `${more} more` : names.at(-1)}`;
}

/** @param {boolean} truth */
const yesOrNo = (truth) => (truth ? "yes" : "no");

/** @param {number} number @param {string} what */
const counted = (number, what) => (number === 1 ? `1 ${what}` : `${number} ${plural(what)}`);

/** @param {Side} side */
const endInWords = ({ stopped, steps }) =>
  `${stopped === "limit" ? "Cut short" : "Finished"} after ${counted(steps, "step")}`;

/** @param {string} text @param {boolean} isAgainst @param {Told | null} told @param {boolean} isNamed whether it begins
 *  with a name, which is kept as it is @returns {Sentence} */
function sentence(text, isAgainst = false, told = null, isNamed = false) {
  return { text: `${isNamed ? text : upper(text)}.`, isAgainst, told };
}

/** A run at one moment: 0 is the start, and moment m shows what step m saw and gave. */
class Moment {
  /** @param {Side} side @param {number} moment */
  constructor(side, moment) {
    this.side = side;
    this.moment = moment;
    this.page = side.page;
    this.algorithm = side.page.algorithm;
    this.words = side.words;
    this.isStep = moment >= 1 && moment <= side.steps;
    this.step = side.step(moment);
    const at = this.algorithm.layout.at ?? "node";
    this.count = side.graph.counts[at]; // of what the layout places, as the next two
    /** @type {number[] | undefined} of a part of a graph, the numbers that its elements have in the whole */
    this.known = this.page.part?.numbers[at];
    /** @type {number} */
    this.total = this.page.part?.counts[at] ?? this.count;
  }

  get numbers() {
    return this.known ?? upTo(this.count);
  }

  get scene() {
    return this.isStep ? this.side.scene(this.step) : null;
  }

  get before() {
    return new Moment(this.side, this.moment - 1);
  }

  /** A field's values; null where there are none yet. @param {string} name */
  values(name) {
    return this.side.at(name, this.moment);
  }

  /** The same as layouts read it, as numbers; what is only observed, as the next step sees it. @param {string} name */
  at(name) {
    const { side, moment, algorithm } = this;
    if (Object.hasOwn(side.inputs, name)) return side.inputs[name].map(Number);
    if (algorithm.state.includes(name) || Object.hasOwn(algorithm.outputs, name))
      return (this.values(name) ?? upTo(side.graph.counts[fieldOf(this.page, name).at]).fill(0)).map(Number);
    return side.steps > 0 ? (side.fields[name]?.at(Math.min(moment, side.steps - 1)) ?? []).map(Number) : [];
  }

  /** The least and the greatest value of a field in the whole run. @param {string} name */
  ever(name) {
    const { inputs, start, fields } = this.side;
    const values = [...(inputs[name] ?? []), ...(start[name] ?? []), ...(fields[name]?.everyValue() ?? [])].map(Number);
    return values.length === 0 ? [0, 0] : [least(values), -least(values.map((value) => -value))];
  }

  /** Whether a step changes a field of an element; at first, whether it is more than nothing. @param {string} name
   *  @param {number} element */
  isNew(name, element) {
    const before = this.side.at(name, this.moment - 1);
    const value = /** @type {Value[]} */ (this.values(name))[element];
    return before === null ? Number(value) !== 0 : value != before[element]; // 1n is 1
  }

  /** The elements of which a step changes a field. @param {string} name */
  changed(name) {
    const now = this.values(name);
    if (now === null || now === this.side.at(name, this.moment - 1)) return [];
    return [...now.keys()].filter((i) => this.isNew(name, i));
  }

  /** The elements at a location of which an output is new in a step, or a state field that is told: of others, as of
   *  where a loop stands, every element may have a new one in every step. @param {string} at */
  changedAt(at) {
    const { outputs, words: { order } } = this.algorithm;
    const isTold = (/** @type {string} */ name) =>
      Object.hasOwn(outputs, name) || order.length === 0 || order.includes(name);
    const names = this.isStep ? fieldsOf(this.page, at).filter(isTold) : [];
    return new Set(names.flatMap((name) => this.changed(name)));
  }

  /** Whether a field says something of an element. @param {string} name @param {number} element */
  isThere(name, element) {
    const where = this.algorithm.only_where[name];
    return where === undefined || Number(this.values(where)?.[element] ?? 0) === 1;
  }

  /** What a field is at an element, as text. @param {string} name @param {number} element */
  told(name, element) {
    const values = this.values(name);
    if (values !== null && isFall(this.page, name)) return fallsIn(this)[element] || "–";
    if (values === null || !this.isThere(name, element)) return "–";
    return this.words.value(name, values[element], element);
  }

  /** The same of a concept, with how sure a network was of it. @param {string} name @param {number} element */
  toldWithSureness(name, element) {
    const sure = this.side.sure(name, this.moment, element);
    return `${this.told(name, element)}${sure === null ? "" : ` (${sure.toFixed(2)})`}`;
  }

  get inWords() {
    const { steps } = this.side;
    if (this.moment === 0) return "at the start";
    return this.isStep ? `step ${this.moment} of ${steps}` : `after its ${counted(steps, "step")}`;
  }

  /** What is true of the graph as a whole: a clock, a count. */
  get wholeInWords() {
    const { layout, words } = this.algorithm;
    const drawn = [...(layout.marks ?? []), ...(layout.lines ?? [])]; // which stand in the drawing
    // of an algorithm that is told in words, only what has a name
    const isSaid = (/** @type {string} */ name) => words.order.length === 0 || Object.hasOwn(words.names ?? {}, name);
    const names = fieldsOf(this.page, "graph").filter((name) => !drawn.includes(name) && isSaid(name));
    return names.map((name) => `${calledIn(this.page, name)}: ${this.told(name, 0)}`).join(", ");
  }

  /** What a step did, in sentences. */
  get inSentences() {
    const { side, moment, algorithm } = this;
    const isCut = side.stopped === "limit";
    if (moment === 0) {
      const start = algorithm.pseudocode.find((line) => line.id === "start");
      return [sentence((start?.text ?? "nothing has been done yet").replace(/^start: /, ""))];
    }
    if (!this.isStep) return [sentence(endInWords(side), isCut)];
    const told = this.tellings;
    const isSaid = new Set(told.map(({ name, at, element }) => `${name} ${at} ${element}`));
    for (const { name, element } of this.against) {
      const found = isSaid.has(`${name} ${algorithm.location} ${element}`) ? null : this.about(name, element);
      if (found !== null) told.push(found);
    }
    const found = told.length === 0 ? [sentence("nothing changes")] : this.joined(told);
    found.push(...this.leastSure);
    if (side.goesOnAgainst.includes(moment))
      found.push(sentence(`it ${moment === side.steps ? "stops" : "goes on"} against its rule for going on`, true));
    if (moment < side.steps) return found;
    const outcomes = Object.keys(side.outcomes).map((name) => sentence(this.outcome(name)));
    return [...found, sentence(this.ending.replace(/\.$/, ""), isCut), ...outcomes];
  }

  /** What is said alike of several is said once: "2 moves to the set of 13. Likewise 6 and 7." @param {Told[]} told */
  joined(told) {
    const named = told.map((each) => {
      const name = this.words.name(each.at, each.element);
      return { each, name, isNamed: each.at !== "graph" && each.sentence.startsWith(name) };
    });
    const alike = grouped(named, ({ each, name, isNamed }) =>
      isNamed && !each.isAgainst ? `${each.name} ${each.sentence.slice(name.length)}` : each,
    );
    return alike.map(([{ each, isNamed }, ...others]) => {
      const said = sentence(each.sentence, each.isAgainst, each, isNamed);
      if (others.length > 0) said.text += ` Likewise ${inList(others.map(({ name }) => name))}.`;
      return said;
    });
  }

  /** The concept that a network was least sure of in a step, where it was not sure of all. */
  get leastSure() {
    const { side, moment } = this;
    let [least, where, element] = [UNSURE, "", 0];
    for (const name of Object.keys(side.sureness))
      for (const i of side.sureness[name].at(moment - 1).keys()) {
        const sure = side.sure(name, moment, i) ?? 1;
        if (sure < least) [least, where, element] = [sure, name, i];
      }
    if (where === "") return [];
    const name = this.words.name(this.algorithm.location, element);
    return [sentence(`least sure: ${spaced(where)} of ${name}, ${this.toldWithSureness(where, element)}`)];
  }

  /** The outputs that were decided against their rule, and where. */
  get against() {
    const { side } = this;
    if (!SEES_BY_ITSELF.includes(side.by)) return []; // the algorithm and programs go by their rules
    const elements = upTo(side.graph.counts[this.algorithm.location]);
    return Object.keys(side.rules.rules).flatMap((name) =>
      elements.filter((i) => this.why(name, i)?.holds === false).map((element) => ({ name, element })),
    );
  }

  /** The rule behind an output at an element, and what it saw; null where none decides it. @param {string} name
   *  @param {number} element */
  why(name, element) {
    const { side, step } = this;
    if (!Object.hasOwn(side.rules.rules, name) || !side.hasConcepts) return null;
    const field = fieldOf(this.page, name);
    const value = Number(side.fields[name].at(step)[element]);
    const label = field.kind === "mask" ? String(value === 1) : field.labels[value];
    const rule = side.rules.rules[name][label];
    const of = (/** @type {string} */ concept) => Number(side.fields[concept].at(step)[element]) === 1;
    const text = side.rules.texts[name][label];
    return { label, rule, of, text, holds: ruleHolds(rule, of), reason: ruleReason(rule, of) };
  }

  /** What a step says of a field of an element. @param {string} name @param {number} element @returns {Told | null} */
  about(name, element) {
    const { side, scene } = this;
    if (!this.isStep) return null;
    if (Object.hasOwn(side.rules.rules, name) && side.hasConcepts) return this.decided(name, element);
    if (scene !== null && side.machine?.observed.includes(name)) return this.observed(scene, name, element);
    return this.values(name) === null ? null : this.moved(name, element);
  }

  /** The elements that a step looks at. */
  get examined() {
    const { words, location } = this.algorithm;
    return this.scene === null || words.examined === null ? [] : this.scene.where(words.examined, location);
  }

  /** All that is said of a step. */
  get tellings() {
    if (!this.isStep) return [];
    const { outputs, state, concepts, location, words: { order } } = this.algorithm;
    // fields of the state without a phrase are silent, where others have one
    const names = new Set([...order, ...Object.keys(outputs), ...(order.length > 0 ? [] : state)]);
    const isSpoken = (/** @type {string} */ name) =>
      Object.hasOwn(outputs, name) || (state.includes(name) && !concepts.includes(name));
    const spoken = [...names].filter(isSpoken);
    const saidOf = (/** @type {string} */ name, /** @type {number[]} */ elements) =>
      elements.map((i) => /** @type {Told} */ (this.about(name, i))).filter(({ isSilent }) => !isSilent);
    const changing = spoken.flatMap((name) => saidOf(name, this.changed(name)).sort((a, b) => a.place - b.place));
    const known = new Set(changing.filter(({ at }) => at === location).map(({ element }) => element));
    const ruled = spoken.filter((name) => Object.hasOwn(this.side.rules.rules, name));
    const staying = this.examined.filter((i) => !known.has(i));
    return [...staying.flatMap((i) => ruled.flatMap((name) => saidOf(name, [i])).slice(0, 1)), ...changing];
  }

  /** What is said of an outcome of the graph, as it is when all is done. @param {string} name */
  outcome(name) {
    const { machine, steps, outcomes } = this.side;
    const value = outcomes[name];
    const scene = machine?.scene(this.side.before(steps));
    const answer = `${spaced(name)}: ${yesOrNo(value)}`;
    if (scene === undefined || scene.holds(this.declared(name).value, 0) !== value) return answer;
    return `${answer} (${this.said(scene, name, 0, value)})`;
  }

  /** How many steps a run took, and what ended it. */
  get ending() {
    const { steps, stopped } = this.side;
    const told = `${steps.toLocaleString("en-US")} step${steps === 1 ? "" : "s"}`;
    if (stopped === "limit") return `Cut short after ${told}: these are the most it may take, and it asks for more.`;
    return `Finished after ${told}: ${this.algorithm.words.until}.`;
  }

  /** A statement as it is declared, or that a mask of the state becomes. @param {string} name */
  declared(name) {
    const { lets, becomes } = this.algorithm.program;
    return [...lets, ...becomes].find((each) => each.name === name);
  }

  /** @param {string} name @param {string} at @param {number} element @param {string} sentence
   *  @param {Partial<Told>} more @returns {Told} */
  telling(name, at, element, sentence, more) {
    return { name, at, element, sentence, formula: "", isAgainst: false, isSilent: false, place: 0, ...more };
  }

  /** "distance becomes 4", after the name of the element. @param {string} name @param {number} element */
  effect(name, element) {
    const { at } = fieldOf(this.page, name);
    const verb = this.isNew(name, element) ? "becomes" : "stays";
    const whose = at === "graph" ? "" : `${this.words.name(at, element)}: `;
    if (verb === "stays" && !this.isThere(name, element)) return `${whose}no ${spaced(name)} yet`;
    const value = /** @type {Value[]} */ (this.values(name))[element];
    return `${whose}${spaced(name)} ${verb} ${this.words.value(name, value, element)}`;
  }

  /** What a rule decided. @param {string} name @param {number} element */
  decided(name, element) {
    const { scene, algorithm } = this;
    const at = algorithm.location;
    const { label, rule, of, holds, reason } = /** @type {NonNullable<ReturnType<Moment["why"]>>} */ (
      this.why(name, element)
    );
    const effect = this.effect(name, element);
    const told = { formula: reason, isAgainst: !holds };
    if (!holds) return this.telling(name, at, element, `${effect}, against its rule`, told);
    const cases = algorithm.words.cases[name];
    // phrases speak of concepts that were seen as they are declared
    const isDeclared = ruleHolds(algorithm.decides.rules[name]?.[label] ?? rule, of)
      && algorithm.concepts.every((each) => scene?.holds(this.declared(each).value, element) === of(each));
    const found = scene === null || !isDeclared ? undefined : this.caseOf(scene, name, element);
    const more = { ...told, isSilent: found?.[1].length === 0, place: Math.max(0, cases?.indexOf(found) ?? 0) };
    if (scene !== null && found !== undefined && !more.isSilent)
      return this.telling(name, at, element, this.filled(scene, found[1], at, element, name), more);
    const parts = deciding(rule, (part) => ruleHolds(part, of));
    const reasons = parts.map(([{ column: concept }, truth]) => this.said(scene, concept, element, truth));
    const because = reasons.length ? `, because ${reasons.join(" and ")}` : "";
    return this.telling(name, at, element, `${effect}${because}`, more);
  }

  /** What is said of a concept, or another observation, that was seen so. @param {Scene | null} scene
   *  @param {string} name @param {number} element @param {boolean} truth @returns {string} */
  said(scene, name, element, truth) {
    const answer = `${spaced(name)}: ${yesOrNo(truth)}`;
    if (scene === null) return answer;
    const { at, value } = this.declared(name);
    if (scene.holds(value, element) !== truth)
      return `the definition says ${yesOrNo(!truth)}; ${yesOrNo(truth)} was seen`;
    const phrase = this.caseOf(scene, name, element)?.[1] ?? [];
    return phrase.length > 0 ? this.filled(scene, phrase, at, element) : answer;
  }

  /** What was observed. @param {Scene} scene @param {string} name @param {number} element */
  observed(scene, name, element) {
    const { at, value } = this.declared(name);
    const truth = Number(scene.value(name, element)) === 1;
    const isAgainst = scene.holds(value, element) !== truth;
    const found = isAgainst ? undefined : this.caseOf(scene, name, element);
    const isSilent = found?.[1].length === 0;
    const whose = at === "graph" ? "" : `${this.words.name(at, element)}: `;
    const sentence =
      found === undefined || isSilent
        ? `${whose}${this.said(scene, name, element, truth)}`
        : this.filled(scene, found[1], at, element);
    const place = found === undefined ? 0 : this.algorithm.words.cases[name].indexOf(found);
    const formula = this.algorithm.texts[name][0];
    return this.telling(name, at, element, sentence, { formula, isAgainst, isSilent, place });
  }

  /** The first case that holds, with its phrase. @param {Scene} scene @param {string} name @param {number} element */
  caseOf(scene, name, element) {
    return this.algorithm.words.cases[name]?.find((/** @type {any} */ [when]) => scene.holds(when, element));
  }

  /** How a pointer or a number moved. @param {string} name @param {number} element */
  moved(name, element) {
    const { scene, side, algorithm } = this;
    const { at } = fieldOf(this.page, name);
    const effect = this.effect(name, element);
    const told = (sentence = effect, more = {}) => this.telling(name, at, element, sentence, more);
    if (scene === null || movesIn(algorithm, name).length === 0) return told();
    const found = side.machine?.moved(scene, name, element) ?? null;
    const expected = found === null ? side.at(name, this.moment - 1)?.[element] : found.value;
    if (expected != this.values(name)?.[element]) // 1n is 1
      return told(`${effect}, against its move`, { isAgainst: true });
    if (found === null) return told();
    const { place, from: other } = found;
    const moves = algorithm.words.moves[name];
    const phrase = moves === undefined ? this.caseOf(scene, name, element)?.[1] : moves[place];
    const more = { formula: algorithm.texts[name][place], place, isSilent: phrase?.length === 0 };
    if (phrase?.length > 0) return told(this.filled(scene, phrase, at, element, name, other), more);
    return told(`${effect}${other === null ? "" : `, from ${this.words.name(other.at, other.element)}`}`, more);
  }

  /** A template with its slots filled: texts, expressions, and others, for which see player/declared.py.
   *  @param {Scene} scene @param {any[]} template @param {string} at @param {number} element @param {string} name of
   *  the field whose new value is said @param {{at: string, element: number} | null} other */
  filled(scene, template, at, element, name = "", other = null) {
    const filled = template.map((part) => {
      if (typeof part === "string") return part;
      if (!Array.isArray(part)) return this.words.term(scene, part, { at, element }, other ?? { at, element });
      const [slot, view, body] = part;
      if (slot === "new") return this.words.value(name, /** @type {Value[]} */ (this.values(name))[element], element);
      const found = scene.inView(view, element).filter((it) => scene.holds(body, element, it));
      return slot === "how" ? String(found.length) : inList(found.map((it) => this.words.name(tableIn(view), it)));
    });
    return filled.join("");
  }

  /** The lines of pseudo-code that a step carried out: tests/told.py says the same.
   *  @returns {{id: string, at: string | null, elements: number[]}[]} */
  get fired() {
    const { side, scene } = this;
    const lines = this.algorithm.pseudocode;
    const around = (/** @type {string} */ id) =>
      lines.filter((line) => line.id === id).map(() => ({ id, at: null, elements: [] }));
    if (!this.isStep) return around(this.moment === 0 ? "start" : "until");
    const fired = lines.flatMap(({ id, at, when, changed }) => {
      const holds = when === null || scene === null ? [] : scene.where(when, /** @type {string} */ (at));
      const elements = changed === null ? holds : this.changed(changed);
      return elements.length === 0 ? [] : [{ id, at, elements }];
    });
    const isLast = this.moment === side.steps && side.stopped !== "limit";
    return [...around("repeat"), ...fired, ...(isLast ? around("until") : [])];
  }
}

/** @param {Side} side whose difference from another run is told */
function differenceInWords({ difference, words }) {
  const { step, field, at, element, found, true: right } = difference;
  const where = element === null ? "" : ` of ${words.name(at, element)}`;
  const values = found === null ? "" : `: ${found}, and ${right} by the algorithm`;
  return `first differs at step ${step}: ${spaced(field)}${where}${values}`;
}

const MOST_BESIDE = 4; // names beside a line; of more, a count

/** The program beside the run: the lines that a step carried out are lit, with those for whom. @param {Moment} now
 *  @param {string} title of the algorithm, where there are several; else empty */
function codeOf(now, title) {
  const fired = new Map(now.fired.map((each) => [each.id, each]));
  const lines = now.algorithm.pseudocode.map((line) => {
    const found = fired.get(line.id);
    const { at, elements } = found ?? { at: null, elements: [] };
    const names = elements.slice(0, MOST_BESIDE).map((element) => now.words.name(String(at), element)).join(", ");
    const more = elements.length > MOST_BESIDE ? ` and ${elements.length - MOST_BESIDE} more` : "";
    const who = at === null || at === "graph" ? [] : [" ", make("span", { class: "who" }, names + more)];
    const text = make("span", { class: `depth${Math.min(line.depth, 3)}` }, line.text);
    return make("li", { class: found === undefined ? "" : "fired" }, text, ...who);
  });
  const heading = make("h3", {}, title === "" ? "The program" : `The program: ${title}`);
  return make("div", {}, heading, make("ol", { class: "code" }, ...lines));
}
