/* What if: a concept set by hand, or another input; and the program runs on from there, beside the first run. */

/** @typedef {{settings: Setting[], inputs: Values | null, given: Record<string, string[]>, said: string[]}} Supposed */

/** Runs whose concepts come from a network, which does not run in a page. */
const SEES_BY_ITSELF = ["network", "rules"];

class WhatIf {
  /** @param {Side} base the first run @param {() => void} changed @param {(problem: string) => void} refused */
  constructor(base, changed, refused) {
    this.page = base.page;
    this.words = base.words;
    this.base = base;
    this.changed = changed;
    this.refused = refused;
    /** @type {Supposed | null} */
    this.supposed = null;
    /** @type {Side} where more can be supposed: the first run, and then the one supposed */
    this.side = base;
  }

  /** What is supposed so far. */
  get current() {
    return this.supposed ?? { settings: [], inputs: null, given: this.page.given, said: [] };
  }

  /** Whether a concept was set by hand. @param {string} concept @param {number} element @param {number} step */
  isSet(concept, element, step) {
    return this.current.settings.some((each) => this.isOf(each, concept, element, step));
  }

  /** @param {Setting} setting @param {string} concept @param {number} element @param {number} step */
  isOf(setting, concept, element, step) {
    return setting.concept === concept && setting.element === element && setting.step === step;
  }

  /** @param {string} concept @param {number} element @param {number} step @param {boolean} value */
  settingOffered(concept, element, step, value) {
    const act = () => this.set(concept, element, step, !value);
    return buttonOf(`What if ${yesOrNo(!value)}?`, act, { title: "See what follows from it" });
  }

  /** Sets a concept, where there is one such. @param {string} concept @param {number} element @param {number} step from
   *  0 on @param {boolean} value */
  set(concept, element, step, value) {
    const { algorithm } = this.page;
    const isElement = element >= 0 && element < this.base.graph.counts[algorithm.location];
    const isStep = step >= 0 && step < this.side.steps;
    if (!algorithm.concepts.includes(concept) || !isElement || !isStep || this.base.machine === null) return;
    const supposed = this.current;
    const kept = supposed.settings.filter((each) => !this.isOf(each, concept, element, step));
    const name = this.words.name(algorithm.location, element);
    this.suppose({
      ...supposed,
      settings: [...kept, { concept, value: value ? 1 : 0, element, step }],
      said: [...supposed.said, `“${spaced(concept)}” of ${name} were ${yesOrNo(value)} in step ${step + 1}`],
    });
  }

  /** Changes an input, where there is one such and the value can be its. @param {string} name @param {number} element
   *  @param {number} value as it is counted with */
  changeTo(name, element, value) {
    const field = this.page.algorithm.inputs[name];
    const isThere = this.side.inputs[name]?.[element] !== undefined && Number.isInteger(value);
    if (!isThere || this.base.machine === null || !isCheckable(this.page.algorithm)) return;
    const count = field.kind === "pointer" ? this.base.graph.counts[field.to ?? ""] : 2;
    if (field.kind !== "number" && (value < 0 || value >= count)) return;
    this.changeInput(name, element, value, null);
  }

  /** What goes on where something is supposed, where that is not what made the run. */
  get notes() {
    if (!SEES_BY_ITSELF.includes(this.base.by) || this.base.machine === null) return [];
    const text =
      "The network itself does not run in this page: what follows is found by its rules, from declared concepts.";
    return [make("p", { class: "note" }, text)];
  }

  /** Inputs of an element that can be changed. @param {string} at @param {number} element */
  changesOffered(at, element) {
    const { algorithm } = this.page;
    if (this.base.machine === null || !isCheckable(algorithm)) return [];
    const { inputs } = this.side;
    return Object.entries(algorithm.inputs).flatMap(([name, field]) => {
      const button = (/** @type {string} */ text, /** @type {number} */ i, /** @type {number} */ value) => [
        make("div", { class: "change" }, buttonOf(text, () => this.changeInput(name, i, value, null))),
      ];
      const called = calledIn(this.page, name);
      const isSource = at === "node" && field.at === "graph" && field.kind === "pointer" && field.to === "node";
      if (isSource)
        return Number(inputs[name][0]) === element ? [] : button(`What if it were the ${called}?`, 0, element);
      if (field.at !== at || !isShown(this.page, name)) return [];
      const value = inputs[name][element];
      if (field.kind === "mask")
        return button(`What if ${called} were ${yesOrNo(Number(value) !== 1)}?`, element, 1 - Number(value));
      return field.kind === "number" && this.isAsGiven(name) ? [this.box(name, element)] : [];
    });
  }

  /** A box for another number. @param {string} name @param {number} element */
  box(name, element) {
    const id = `what-if-${name}`;
    const value = this.words.inUnits(name, this.side.inputs[name][element]);
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "number", id, value, step: "any" }));
    const scale = this.page.scales[name] ?? 1; // by which the user's numbers are whole
    const run = () => this.changeInput(name, element, box.value === "" ? NaN : Number(box.value) * scale, box);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else the button that has the focus next would be pressed
      run();
    });
    const label = make("label", { for: id }, `What if ${calledIn(this.page, name)} were`);
    return make("div", { class: "change" }, label, box, buttonOf("Run", run));
  }

  /** Whether the numbers of an input are used as they were given, but for their unit, so that a new one can be too.
   *  @param {string} name */
  isAsGiven(name) {
    return this.page.inputs[name].every(
      (value, i) => this.words.inUnits(name, Number(value)) === this.page.given[name][i],
    );
  }

  /** @param {string} name @param {number} element @param {number} value @param {HTMLInputElement | null} box */
  changeInput(name, element, value, box) {
    const field = this.page.algorithm.inputs[name];
    const { side } = this;
    if (field.kind === "number") {
      value = Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : value; // 0.3 * 20 is not quite 6
      const wrong = this.objection(name, element, value);
      if (wrong !== null) {
        this.refused(
          `${spaced(name)} cannot be ${box === null ? value : box.value === "" ? "empty" : box.value}: ${wrong}.`
        );
        box?.focus();
        return;
      }
    }
    const supposed = this.current;
    const values = [...side.inputs[name]];
    values[element] = value;
    const inUnits = (/** @type {Value} */ each) => this.words.inUnits(name, each);
    const given = field.kind === "number" ? { ...supposed.given, [name]: values.map(inUnits) } : supposed.given;
    const called = calledIn(this.page, name);
    const said = field.kind === "mask" ? yesOrNo(value === 1) : inUnits(value);
    const what =
      field.kind === "pointer"
        ? `${this.words.name("node", value)} were the ${called}`
        : `${called} of ${this.words.name(field.at, element)} were ${said}`;
    this.suppose({ ...supposed, inputs: { ...side.inputs, [name]: values }, given, said: [...supposed.said, what] });
  }

  /** Why a number cannot be an input; null where it can. @param {string} name @param {number} element
   *  @param {number} value as it is counted with */
  objection(name, element, value) {
    const field = this.page.algorithm.inputs[name];
    const values = this.side.inputs[name];
    const least = field.signed ? -(2 ** (field.bits - 1)) : (field.low ?? 0);
    const most = (field.signed ? 2 ** (field.bits - 1) : 2 ** field.bits) - 1;
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      const [from, to, one] = [least, most, 1].map((each) => this.words.inUnits(name, each));
      return `give ${one === "1" ? "a whole number" : `a multiple of ${one}`} from ${from} to ${to}`;
    }
    const near = () => this.page.graph.edges.filter((edge) => edge.includes(element)).flat();
    const rivals = field.distinct === "graph" ? values.keys() : field.distinct === "neighbours" ? near() : [];
    const clash = [...rivals].find((each) => each !== element && Number(values[each]) === value);
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
