// @ts-check
"use strict";

/* What if: a concept set by hand, or another input; and the program runs on from there, beside the first run. */

/** @typedef {{settings: Setting[], inputs: Values | null, given: Record<string, string[]>, said: string[]}} Supposed */

/** Runs whose concepts come from a network, which does not run in a page. */
const SEES_BY_ITSELF = ["network", "rules"];

class WhatIf {
  /** @param {any} page @param {Words} words @param {Side} base the run that it begins with
   *  @param {() => void} changed @param {(problem: string) => void} refused */
  constructor(page, words, base, changed, refused) {
    this.page = page;
    this.words = words;
    this.base = base;
    this.changed = changed;
    this.refused = refused;
    /** @type {Supposed | null} */
    this.supposed = null;
    /** @type {Side} the run at which something more can be supposed: the first, and then the one in which it is supposed */
    this.side = base;
  }

  /** What is supposed so far. @returns {Supposed} */
  get current() {
    return this.supposed ?? { settings: [], inputs: null, given: this.page.given, said: [] };
  }

  /** Whether a concept was set by hand. @param {string} concept @param {number} element @param {number} step */
  isSet(concept, element, step) {
    return this.current.settings.some((each) => each.concept === concept && each.element === element && each.step === step);
  }

  /** @param {string} concept @param {number} element @param {number} step @param {boolean} value */
  settingOffered(concept, element, step, value) {
    const button = make("button", { type: "button", title: "See what follows from it" }, `What if ${value ? "no" : "yes"}?`);
    button.addEventListener("click", () => this.set(concept, element, step, !value));
    return button;
  }

  /** Sets a concept, where there is one such. @param {string} concept @param {number} element @param {number} step from 0 on @param {boolean} value */
  set(concept, element, step, value) {
    const { algorithm } = this.page;
    const isThere = algorithm.concepts.includes(concept) && element >= 0 && element < this.base.graph.counts[algorithm.location];
    if (!isThere || !(step >= 0 && step < this.side.steps) || this.base.machine === null) return;
    const supposed = this.current;
    const kept = supposed.settings.filter((each) => each.step !== step || each.element !== element || each.concept !== concept);
    const name = this.words.name(algorithm.location, element);
    this.suppose({
      ...supposed,
      settings: [...kept, { concept, value: value ? 1 : 0, element, step }],
      said: [...supposed.said, `“${spaced(concept)}” of ${name} were ${yesOrNo(value)} in step ${step + 1}`],
    });
  }

  /** Changes an input, where there is one such and the value can be its. @param {string} name @param {number} element @param {number} value as it is counted with */
  changeTo(name, element, value) {
    const field = this.page.algorithm.inputs[name];
    if (field === undefined || this.base.machine === null || !isCheckable(this.page.algorithm) || !Number.isInteger(value) || this.side.inputs[name][element] === undefined) return;
    const count = field.kind === "pointer" ? this.base.graph.counts[field.to] : 2;
    if (field.kind !== "number" && (value < 0 || value >= count)) return;
    this.changeInput(name, element, value, null);
  }

  /** What goes on where something is supposed, where that is not what made the run. @returns {HTMLElement[]} */
  get notes() {
    if (!SEES_BY_ITSELF.includes(this.base.by) || this.base.machine === null) return [];
    const text =
      "What if: the network itself does not run in this page. What follows is found by its rules, from concepts as they are declared.";
    return [make("p", { class: "note" }, text)];
  }

  /** Inputs of an element that can be changed. @param {string} at @param {number} element */
  changesOffered(at, element) {
    const { algorithm } = this.page;
    if (this.base.machine === null || !isCheckable(algorithm)) return [];
    const { side } = this;
    const found = [];
    for (const [name, field] of Object.entries(algorithm.inputs)) {
      if (
        at === "node" &&
        field.at === "graph" &&
        field.kind === "pointer" &&
        field.to === "node" &&
        Number(side.inputs[name][0]) !== element
      ) {
        const button = make("button", { type: "button" }, `What if it were the ${spaced(name)}?`);
        button.addEventListener("click", () => this.changeInput(name, 0, element, null));
        found.push(make("div", { class: "change" }, button));
      }
      if (field.at !== at) continue;
      if (field.kind === "mask") {
        const value = Number(side.inputs[name][element]) === 1;
        const button = make("button", { type: "button" }, `What if ${spaced(name)} were ${value ? "no" : "yes"}?`);
        button.addEventListener("click", () => this.changeInput(name, element, value ? 0 : 1, null));
        found.push(make("div", { class: "change" }, button));
      }
      if (field.kind === "number" && this.isAsGiven(name)) {
        const id = `what-if-${name}`;
        const value = this.words.inUnits(name, side.inputs[name][element]);
        const box = /** @type {HTMLInputElement} */ (make("input", { type: "number", id, value, step: "any" }));
        const button = make("button", { type: "button" }, "Run");
        const run = () => this.changeInput(name, element, box.value === "" ? NaN : Number(box.value) * this.unit(name), box);
        button.addEventListener("click", run);
        box.addEventListener("keydown", (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault(); // else the button that has the focus next would be pressed
          run();
        });
        found.push(make("div", { class: "change" }, make("label", { for: id }, `What if ${spaced(name)} were`), box, button));
      }
    }
    return found;
  }

  /** Whether the numbers of an input are used as they were given, but for their unit, so that a new one can be too. @param {string} name */
  isAsGiven(name) {
    return this.page.inputs[name].every(
      (/** @type {number | string} */ value, /** @type {number} */ i) =>
        this.words.inUnits(name, Number(value)) === this.page.given[name][i],
    );
  }

  /** What the user's numbers are multiplied by to be whole. @param {string} name @returns {number} */
  unit(name) {
    return this.page.scales[name] ?? 1;
  }

  /** @param {string} name @param {number} element @param {number} value @param {HTMLInputElement | null} box */
  changeInput(name, element, value, box) {
    const field = this.page.algorithm.inputs[name];
    const { side } = this;
    if (field.kind === "number") {
      value = Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : value; // 0.3 * 20 is not quite 6
      const wrong = this.objection(name, element, value);
      if (wrong !== null) {
        this.refused(`${spaced(name)} cannot be ${box === null ? value : box.value === "" ? "empty" : box.value}: ${wrong}.`);
        box?.focus();
        return;
      }
    }
    const supposed = this.current;
    const values = [...side.inputs[name]];
    values[element] = value;
    const inUnits = (/** @type {Value} */ each) => this.words.inUnits(name, each);
    const given = field.kind === "number" ? { ...supposed.given, [name]: values.map(inUnits) } : supposed.given;
    const what =
      field.kind === "pointer"
        ? `${this.words.name("node", value)} were the ${calledIn(this.page, name)}`
        : `${calledIn(this.page, name)} of ${this.words.name(field.at, element)} were ${field.kind === "mask" ? yesOrNo(value === 1) : inUnits(value)}`;
    this.suppose({ ...supposed, inputs: { ...side.inputs, [name]: values }, given, said: [...supposed.said, what] });
  }

  /** Why a number cannot be an input; null where it can. @param {string} name @param {number} element @param {number} value as it is counted with */
  objection(name, element, value) {
    const field = this.page.algorithm.inputs[name];
    const values = this.side.inputs[name];
    const least = field.signed ? -(2 ** (field.bits - 1)) : (field.low ?? 0);
    const most = (field.signed ? 2 ** (field.bits - 1) : 2 ** field.bits) - 1;
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      const [from, to, one] = [least, most, 1].map((each) => this.words.inUnits(name, each));
      return `give ${one === "1" ? "a whole number" : `a multiple of ${one}`} from ${from} to ${to}`;
    }
    const rivals =
      field.distinct === "graph"
        ? values.map((_, i) => i)
        : field.distinct === "neighbours"
          ? this.page.graph.edges.filter((/** @type {number[]} */ edge) => edge.includes(element)).flat()
          : [];
    const clash = rivals.find((/** @type {number} */ each) => each !== element && Number(values[each]) === value);
    return clash === undefined ? null : `${this.words.name(field.at, clash)} has it, and these are to differ`;
  }

  /** Runs the program with what is supposed. @param {Supposed} supposed */
  suppose(supposed) {
    const { base } = this;
    const step = supposed.settings.length ? Math.min(...supposed.settings.map((each) => each.step)) : 0;
    try {
      const who = SEES_BY_ITSELF.includes(base.by) ? " (by its rules, not the network)" : "";
      const by = `what if ${supposed.said.join("; ")}${who}`;
      this.side = base.whatIf(step, supposed.settings, supposed.inputs ?? base.inputs, supposed.given, by);
    } catch (problem) {
      if (problem instanceof Refused) this.refused(problem.message);
      else if (problem instanceof RangeError) this.refused(`This cannot be run: ${problem.message}.`);
      else throw problem;
      return;
    }
    this.supposed = supposed;
    this.changed();
  }

  /** Supposes nothing any more. */
  drop() {
    this.supposed = null;
    this.side = this.base;
    this.changed();
  }
}
