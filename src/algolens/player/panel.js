// @ts-check
"use strict";

/* The element that is chosen: what is given there, what was decided, and everything that was seen, with what makes it so. */

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

  /** All that is to be said of an element in each run. @param {(side: Side) => number} momentOf @param {NonNullable<Chosen>} selected
   *  @param {string} title of the algorithm, where there are several; else empty @returns {HTMLElement[]} */
  parts(momentOf, selected, title) {
    const { sides } = this.task;
    return sides.map((side) => {
      this.moment = momentOf(side);
      const name = this.words.name(selected.at, selected.element);
      const by = [...(title === "" ? [] : [title]), ...(sides.length > 1 ? [`by ${side.by}`] : [])];
      const notes = side === this.whatIf.side ? this.whatIf.notes : [];
      const heading = make("h3", {}, [name, ...by].join(", "));
      return make("div", {}, heading, ...this.elementParts(side, selected.at, selected.element), ...notes);
    });
  }

  /** @param {Side} side @param {string} at @param {number} element */
  elementParts(side, at, element) {
    const { algorithm } = this.page;
    const parts = [];
    const inputs = Object.entries(algorithm.inputs).filter(([, field]) => field.at === at);
    for (const [name, field] of inputs) {
      parts.push(
        make("p", {}, `${calledIn(this.page, name)}: ${this.words.value(name, field, side.inputs[name][element], element, side.given)}`),
      );
    }

    const shown = [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])].filter(
      (name) => fieldOf(this.page, name).at === at,
    );
    const now = this.moment > 0 && this.moment <= side.steps;
    for (const name of shown.filter((each) => !algorithm.concepts.includes(each))) {
      const [before, after] = [
        this.teller.told(side, name, this.moment - 1, element),
        this.teller.told(side, name, this.moment, element),
      ];
      const line = make(
        "p",
        {},
        make("strong", {}, spaced(name)),
        `: ${now && before !== after ? `${before} → ${after}` : after}`,
      );
      parts.push(line);
      if (now) parts.push(...this.decided(side, name, element));
    }
    if (!now) {
      if (side === this.whatIf.side) parts.push(...this.whatIf.changesOffered(at, element));
      if (this.moment > side.steps) parts.push(make("p", { class: "note" }, "This run had ended before this step."));
      return parts;
    }
    parts.push(
      ...this.sights(side, at, element),
      ...(side === this.whatIf.side ? this.whatIf.changesOffered(at, element) : []),
    );
    if (at === "edge") {
      side.graph.steps.link.edge.forEach((edge, link) => {
        const sights = edge === element ? this.sights(side, "link", link) : [];
        if (sights.length) parts.push(make("h3", {}, this.words.name("link", link)), ...sights);
      });
    }
    return parts;
  }

  /** Why a result is what it is: in a sentence, with its rule or its move a click away. @param {Side} side @param {string} name @param {number} element */
  decided(side, name, element) {
    const told = this.teller.sentences.about(side, this.moment, name, element);
    if (told === null || told.sentence === "") return [];
    const why = this.teller.why(side, name, this.moment, element);
    if (why === null || why.holds) return [make("p", { class: "note" }, `${told.sentence}.`), ...behindOf(told)];
    const who = side.by === "network" ? "The network" : "It";
    const line = [`${who} decided against its rule: ${why.label} needs `, make("code", {}, why.rule), ", and here it is ", make("code", {}, why.reason)];
    return [make("p", { class: "wrong" }, ...line)];
  }

  /** What is observed at an element, each with its statement and what decides it. @param {Side} side @param {string} at
   *  @param {number} element */
  sights(side, at, element) {
    const { algorithm } = this.page;
    const step = side.step(this.moment);
    const scene = side.scene(step);
    const names =
      scene === null
        ? at === algorithm.location
          ? algorithm.concepts
          : []
        : /** @type {Machine} */ (side.machine).observed.filter((name) => scene.fields[name].at === at);
    // concepts first: they decide; then what is seen on the way to them
    const rank = (/** @type {string} */ name) => (algorithm.concepts.includes(name) ? 0 : 1);
    return [...names]
      .sort((a, b) => rank(a) - rank(b))
      .map((/** @type {string} */ name) => {
        const values = side.fields[name]?.at(step);
        const value = values === undefined ? null : Number(values[element]) === 1;
        const what = make("div", { class: "what" }, make("strong", {}, spaced(name)));
        if (scene !== null) what.append(...this.reasonsOf(side, scene, name, at, element, value));
        else if (algorithm.program !== null) what.append(make("code", { class: "statement" }, textOf(algorithm).of(declaredIn(side, name).value)));
        const isConcept = algorithm.concepts.includes(name) && at === algorithm.location;
        const button =
          isConcept && value !== null && side.machine !== null && side === this.whatIf.side
            ? this.whatIf.settingOffered(name, element, step, value)
            : "";
        return make(
          "div",
          { class: "seen" },
          this.mark(side, name, element, value),
          what,
          button,
        );
      });
  }

  /** Yes or no, and how sure a network was of it. @param {Side} side @param {string} name @param {number} element @param {boolean | null} value */
  mark(side, name, element, value) {
    const mark = make("span", { class: "mark" }, value === null ? "–" : value ? "yes" : "no");
    const sure = side.sure(name, this.moment, element);
    if (sure !== null) {
      const title = "How sure the network is of it";
      mark.append(" ", make("span", { class: sure < UNSURE ? "sure unsure" : "sure", title }, `(${sure.toFixed(2)})`));
    }
    return mark;
  }

  /** @param {Side} side @param {Scene} scene @param {string} name @param {string} at @param {number} element @param {boolean | null} value */
  reasonsOf(side, scene, name, at, element, value) {
    const told = this.teller.sentences.about(side, this.moment, name, element);
    const parts = told === null ? [] : [make("p", { class: "note" }, `${told.sentence}.`), ...behindOf(told)];
    const declared = scene.holds(declaredIn(side, name).value, element);
    if (value !== null && declared !== value) {
      const isSet = this.whatIf.isSet(name, element, side.step(this.moment));
      const who = SEES_BY_ITSELF.includes(side.by) ? "the network saw" : "in this run it is";
      const text = isSet ? "Set by hand." : `The definition says ${declared ? "yes" : "no"}; ${who} ${value ? "yes" : "no"}.`;
      parts.push(make("p", { class: "wrong" }, text));
    }
    return parts;
  }
}

/** What stands behind a sentence, a click away: its reasons one by one, and its formula. @param {Told} told @returns {HTMLElement[]} */
function behindOf({ details, formula }) {
  if (details.length === 0 && formula === "") return [];
  const list = details.length ? [make("ul", {}, ...details.map((text) => make("li", {}, text)))] : [];
  const code = formula === "" ? [] : [make("code", { class: "statement" }, formula)];
  return [make("details", { class: "behind" }, make("summary", {}, "formula"), ...list, ...code)];
}
