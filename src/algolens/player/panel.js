// @ts-check
"use strict";

/* The element that is chosen: what is given there, its state and why; for who asks for the logic, all that was seen
 * there, too. */

class Panel {
  /** @param {Task} task */
  constructor(task) {
    this.task = task;
    this.page = task.page;
    this.words = task.words;
    this.teller = task.teller;
    this.whatIf = task.whatIf;
    this.moment = 0;
  }

  /** All that is to be said of an element in each run. @param {(side: Side) => number} momentOf
   *  @param {NonNullable<Chosen>} selected @param {string} title of the algorithm, where there are several; else empty
   *  @param {boolean} hasLogic */
  parts(momentOf, { at, element }, title, hasLogic) {
    const { sides } = this.task;
    return sides.map((side) => {
      this.moment = momentOf(side);
      const by = [...(title === "" ? [] : [title]), ...(sides.length > 1 ? [side.called] : [])];
      const heading = make("h3", {}, [this.words.name(at, element), ...by].join(", "));
      const parts = [
        ...this.given(side, at, element),
        ...(hasLogic ? this.logic(side, at, element) : this.facts(side, at, element)),
      ];
      if (this.moment > side.steps) parts.push(make("p", { class: "note" }, "This run had ended before this step."));
      if (side !== this.whatIf.side) return make("div", {}, heading, ...parts);
      return make(
        "div", {}, heading, ...parts, ...this.whatIf.changesOffered(at, element), ...(hasLogic ? this.whatIf.notes : [])
      );
    });
  }

  /** What is given at an element. @param {Side} side @param {string} at @param {number} element */
  given(side, at, element) {
    return Object.entries(this.page.algorithm.inputs)
      .filter(([name, field]) => field.at === at && field.kind !== "pointer" && isShown(this.page, name))
      .map(([name, field]) => {
        const value = this.words.value(name, field, side.inputs[name][element], element, side.given);
        return make("p", {}, `${calledIn(this.page, name)}: ${value}`);
      });
  }

  /** Its state, in words, and the sentences on it. @param {Side} side @param {string} at @param {number} element */
  facts(side, at, element) {
    const { moment } = this;
    const lines = this.task.factsAt(at).map(({ title, at: textAt }) => {
      const after = textAt(side, moment)(element);
      const before = moment > 0 && moment <= side.steps ? textAt(side, moment - 1)(element) : after;
      return make("p", {}, make("strong", {}, title), `: ${before === after ? after : `${before} → ${after}`}`);
    });
    if (moment < 1 || moment > side.steps) return lines;
    const names = fieldsOf(this.page).filter(
      (name) => fieldOf(this.page, name).at === at && !this.page.algorithm.concepts.includes(name)
    );
    const told = names.flatMap((name) => {
      const { order } = this.page.algorithm.words;
      const isSpoken = order.length === 0 || order.includes(name) || Object.hasOwn(this.page.algorithm.outputs, name);
      const found = isSpoken ? this.teller.sentences.about(side, moment, name, element) : null;
      // that a number stays is seen above
      const isNews =
        Object.hasOwn(side.rules.rules, name) || found?.isAgainst || isNew(side, moment, name, element);
      return found === null || !isNews || found.isSilent || found.sentence === "" ? [] : [found.sentence];
    });
    return [...lines, ...[...new Set(told)].map((text) => make("p", { class: "note" }, `${text}.`))];
  }

  /** Every field, with its rule, and everything that was seen. @param {Side} side @param {string} at
   *  @param {number} element */
  logic(side, at, element) {
    const { moment, page } = this;
    const now = moment > 0 && moment <= side.steps;
    const shown =
      fieldsOf(page).filter((name) => fieldOf(page, name).at === at && !page.algorithm.concepts.includes(name));
    const parts = shown.flatMap((name) => {
      const [before, after] = [moment - 1, moment].map((each) => this.teller.told(side, name, each, element));
      const line = make(
        "p", {}, make("strong", {}, spaced(name)), `: ${now && before !== after ? `${before} → ${after}` : after}`
      );
      return [line, ...(now ? this.decided(side, name, element) : [])];
    });
    if (!now) return parts;
    parts.push(...this.sights(side, at, element));
    if (at !== "edge") return parts;
    side.graph.steps.link.edge.forEach((edge, link) => {
      const sights = edge === element ? this.sights(side, "link", link) : [];
      if (sights.length) parts.push(make("h3", {}, this.words.name("link", link)), ...sights);
    });
    return parts;
  }

  /** Why a result is what it is: in a sentence, with its rule or its move a click away. @param {Side} side
   *  @param {string} name @param {number} element */
  decided(side, name, element) {
    const told = this.teller.sentences.about(side, this.moment, name, element);
    if (told === null || told.sentence === "") return [];
    const why = this.teller.why(side, name, this.moment, element);
    if (why === null || why.holds) return [make("p", { class: "note" }, `${told.sentence}.`), ...behindOf(told)];
    const who = side.by === "network" ? "The network" : "It";
    const code = (/** @type {string} */ text) => make("code", {}, text);
    const line =
      [`${who} decided against its rule: ${why.label} needs `, code(why.rule), ", and here it is ", code(why.reason)];
    return [make("p", { class: "wrong" }, ...line)];
  }

  /** What is observed at an element, each with its statement and what decides it: concepts first. @param {Side} side
   *  @param {string} at @param {number} element */
  sights(side, at, element) {
    const { algorithm } = this.page;
    const step = side.step(this.moment);
    const scene = side.scene(step);
    const concepts = at === algorithm.location ? algorithm.concepts : [];
    const observed = side.machine?.observed.filter((name) => scene?.fields[name].at === at) ?? [];
    const names =
      scene === null ? concepts : [...new Set([...concepts.filter((name) => observed.includes(name)), ...observed])];
    return names.map((name) => {
      const values = side.fields[name]?.at(step);
      const value = values === undefined ? null : Number(values[element]) === 1;
      const what = make("div", { class: "what" }, make("strong", {}, spaced(name)));
      if (scene !== null) what.append(...this.reasonsOf(side, scene, name, at, element, value));
      else if (algorithm.program !== null)
        what.append(make("code", { class: "statement" }, algorithm.texts[name][0]));
      const isOffered = concepts.includes(name) && value !== null && side.machine !== null && side === this.whatIf.side;
      const button = isOffered ? this.whatIf.settingOffered(name, element, step, value) : "";
      return make("div", { class: "seen" }, this.mark(side, name, element, value), what, button);
    });
  }

  /** Yes or no, and how sure a network was of it. @param {Side} side @param {string} name @param {number} element
   *  @param {boolean | null} value */
  mark(side, name, element, value) {
    const mark = make("span", { class: "mark" }, value === null ? "–" : yesOrNo(value));
    const sure = side.sure(name, this.moment, element);
    if (sure === null) return mark;
    const title = "How sure the network is of it";
    mark.append(" ", make("span", { class: sure < UNSURE ? "sure unsure" : "sure", title }, `(${sure.toFixed(2)})`));
    return mark;
  }

  /** @param {Side} side @param {Scene} scene @param {string} name @param {string} at @param {number} element
   *  @param {boolean | null} value */
  reasonsOf(side, scene, name, at, element, value) {
    const told = this.teller.sentences.about(side, this.moment, name, element);
    const parts = told === null ? [] : [make("p", { class: "note" }, `${told.sentence}.`), ...behindOf(told)];
    const declared = scene.holds(declaredIn(side, name).value, element);
    if (value === null || declared === value) return parts;
    const who = SEES_BY_ITSELF.includes(side.by) ? "the network saw" : "in this run it is";
    const text = this.whatIf.isSet(name, element, side.step(this.moment))
      ? `You set this to “${yesOrNo(value)}”; really it is “${yesOrNo(declared)}”.`
      : `The definition says ${yesOrNo(declared)}; ${who} ${yesOrNo(value)}.`;
    return [...parts, make("p", { class: "wrong" }, text)];
  }
}

/** An element in a line: its name and its state. @param {Task} task @param {Side} side @param {number} moment
 *  @param {NonNullable<Chosen>} selected */
function shortOf(task, side, moment, { at, element }) {
  const facts = task.factsAt(at).map(({ title, at: textAt }) => {
    const text = textAt(side, moment)(element);
    return title === "state" ? text : `${title} ${text}`;
  });
  return make("span", { class: "short" }, make("strong", {}, `${task.words.name(at, element)}: `), facts.join(", "));
}

/** The formula behind a sentence. @param {Told} told */
function behindOf({ formula }) {
  if (formula === "") return [];
  return [
    make("details", { class: "behind" }, make("summary", {}, "formula"), make("code", { class: "statement" }, formula))
  ];
}
