// @ts-check
"use strict";

/* The page: a timeline, drawings side by side, the reason of a step, an element with all that was seen there, tables. */

const MOST_IN_SENTENCE = 8; // names in a sentence; of more, a count
const SPEED = 900; // milliseconds of a step that plays

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** An element of the page; text is only ever text. @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Names in a sentence, long lists cut with a count. @param {string[]} names */
function listed(names) {
  const shown = names.slice(0, MOST_IN_SENTENCE).join(", ");
  return names.length > MOST_IN_SENTENCE ? `${shown} and ${names.length - MOST_IN_SENTENCE} more` : shown;
}

class Player {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    this.words = new Words(page);
    this.sides = page.sides.map((/** @type {any} */ each) => Side.read(page, each));
    /** @type {{settings: Setting[], inputs: Values | null, given: Record<string, string[]>, said: string[]} | null} */
    this.supposed = null;
    this.moment = 0;
    this.zoom = 1;
    /** @type {number | null} */
    this.timer = null;
    /** @type {{at: string, element: number} | null} */
    this.selected = null;
    byId("title").textContent = `${page.algorithm.name} on ${page.graph_name}`;
    byId("about").textContent = page.algorithm.about;
    this.listen();
    this.build();
    this.show();
  }

  get last() {
    return Math.max(...this.sides.map((/** @type {Side} */ side) => side.steps));
  }

  /** Everything that depends on which runs there are. */
  build() {
    const { page, sides } = this;
    this.classes = { node: classesAt(page, sides, "node"), edge: classesAt(page, sides, "edge") };
    byId("slider").setAttribute("max", String(this.last));
    document.querySelector("main")?.classList.toggle("several", sides.length > 1);
    byId("chosen").classList.toggle("several", sides.length > 1);
    this.drawings = sides.map(
      (/** @type {Side} */ side) =>
        new Drawing(page, side, this.words, /** @type {any} */ (this.classes), (at, element) => this.select(at, element)),
    );
    byId("drawings").replaceChildren(
      ...sides.map((/** @type {Side} */ side, /** @type {number} */ i) => {
        const caption = make("figcaption", {}, `by ${side.by}`);
        if (side.difference !== null) caption.append(" ", make("span", { class: "wrong" }, this.differenceInWords(side)));
        const isAlone = sides.length === 1 && side.difference === null;
        const canvas = make("div", { class: "canvas" });
        canvas.append(this.drawings[i].root);
        return make("figure", {}, ...(isAlone ? [] : [caption]), canvas);
      }),
    );
    byId("jump").hidden = !sides.some((/** @type {Side} */ side) => side.difference !== null);
    byId("drop").hidden = this.supposed === null;
    this.buildLegend();
    this.buildTables();
    this.buildRules();
    this.fit();
  }

  fit() {
    const canvases = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".canvas"));
    // many nodes need room, however low the window is
    const height = Math.max(380, window.innerHeight * 0.66, Math.min(900, 75 * Math.sqrt(this.page.graph.nodes.length)));
    canvases.forEach((canvas, i) => this.drawings[i].fit(Math.max(260, canvas.clientWidth), height, this.zoom));
    this.draw();
  }

  buildLegend() {
    const { page } = this;
    const signs = signsOf(page);
    const keys = [];
    for (const [at, classes] of Object.entries(/** @type {any} */ (this.classes))) {
      if (classes === null) continue;
      if (classes.title !== "") keys.push(make("span", { class: "key" }, make("strong", {}, classes.title)));
      classes.labels.forEach((/** @type {string} */ label, /** @type {number} */ number) => {
        if (label === "" || number > 16) return;
        const swatch = make("span", { class: at === "edge" ? "swatch bar" : "swatch" });
        paint(swatch, number, classes.labels.length);
        keys.push(make("span", { class: "key" }, swatch, label));
      });
      if (classes.labels.length > 17)
        keys.push(make("span", { class: "key" }, `and ${classes.labels.length - 17} more colors`));
    }
    const say = (/** @type {string} */ sign, /** @type {string[]} */ names) => {
      if (names.length) keys.push(make("span", { class: "key" }, `${sign}: ${names.map(spaced).join(", ")}`));
    };
    say("◎ ring", signs.rings);
    say("dashed", signs.dashed);
    say("number above", signs.above);
    say(this.drawings[0].isDense ? "number at edges (of the chosen node)" : "number at edges", signs.weights);
    say(this.drawings[0].isInside ? "number below" : "number inside", signs.below);
    say("→ arrow", signs.pointer === undefined ? [] : [signs.pointer]);
    keys.push(make("span", { class: "key" }, "thick: new in this step"));
    byId("legend").replaceChildren(...keys);
  }

  // ---- the tables

  /** What a table tells of each element at the main location. */
  columns() {
    const { algorithm } = this.page;
    const others = algorithm.state.filter(
      (/** @type {string} */ name) =>
        !(name in algorithm.outputs) &&
        !algorithm.concepts.includes(name) &&
        fieldOf(this.page, name).at === algorithm.location,
    );
    return { concepts: algorithm.concepts, results: [...Object.keys(algorithm.outputs), ...others] };
  }

  buildTables() {
    const { algorithm } = this.page;
    const { concepts, results } = this.columns();
    const count = this.sides[0].graph.counts[algorithm.location];
    byId("listed-title").textContent = `All ${algorithm.location}s`;
    this.tables = this.sides.map((/** @type {Side} */ side) => {
      const names = [...(side.hasConcepts ? concepts : []), ...results];
      const head = make("tr", {}, ...[algorithm.location, ...names].map((name) => make("th", { scope: "col" }, name)));
      const rows = Array.from({ length: count }, (_, i) => {
        const name = this.words.name(algorithm.location, i);
        const button = make("button", { type: "button", title: name }, name);
        button.addEventListener("click", () => this.select(algorithm.location, i));
        const cells = names.map(() => make("td"));
        return { row: make("tr", {}, make("th", { scope: "row" }, button), ...cells), cells };
      });
      const caption = make("caption");
      const table = make("table", {}, caption, make("thead", {}, head), make("tbody", {}, ...rows.map(({ row }) => row)));
      const scroll = make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of the run by ${side.by}` },
        table,
      );
      return { side, names, rows, caption, scroll };
    });
    byId("tables").replaceChildren(...this.tables.map((/** @type {any} */ each) => each.scroll));
  }

  /** What a field is at an element and a moment, as text. @param {Side} side @param {string} name @param {number} moment @param {number} element */
  told(side, name, moment, element) {
    const values = side.at(name, moment);
    if (values === null) return "–";
    const where = this.page.algorithm.only_where[name];
    if (where !== undefined && Number(/** @type {Value[]} */ (side.at(where, moment))[element]) === 0) return "–";
    return this.words.value(name, fieldOf(this.page, name), values[element], element, side.given);
  }

  fillTables() {
    const { location } = this.page.algorithm;
    const selected = this.selected?.at === location ? this.selected.element : null;
    for (const { side, names, rows, caption } of this.tables) {
      const changed =
        this.moment > 0 && this.moment <= side.steps ? changedAt(this.page, side, this.moment, location) : new Set();
      caption.textContent = `By ${side.by}, ${this.momentInWords(side)}. Concepts are as seen in the step, results as given by it.`;
      rows.forEach((/** @type {{row: HTMLElement, cells: HTMLElement[]}} */ { row, cells }, /** @type {number} */ i) => {
        row.classList.toggle("changed", changed.has(i));
        row.classList.toggle("selected", selected === i);
        cells.forEach((cell, column) => {
          const text =
            this.moment === 0 && this.page.algorithm.concepts.includes(names[column])
              ? "–"
              : this.told(side, names[column], this.moment, i);
          if (cell.textContent !== text) cell.textContent = text;
        });
      });
    }
  }

  // ---- words

  /** @param {Side} side */
  momentInWords(side) {
    if (this.moment === 0) return "at the start";
    return this.moment > side.steps ? `after its ${side.steps} steps` : `step ${this.moment} of ${side.steps}`;
  }

  /** @param {Side} side */
  differenceInWords(side) {
    const { step, field, at, element, found, true: right } = side.difference;
    const where = element === null ? "" : ` of ${this.words.name(at, element)}`;
    const values = found === null ? "" : `: ${found}, and ${right} by the algorithm`;
    return `first differs at step ${step}: ${field}${where}${values}`;
  }

  /** What a step did, in sentences. @param {Side} side @returns {string[]} */
  stepInWords(side) {
    const { algorithm } = this.page;
    if (this.moment === 0) return ["Nothing has been done yet."];
    if (this.moment > side.steps) return [`It was done after ${side.steps} steps.`];
    const at = algorithm.location;
    const sentences = [];
    for (const name of new Set([...Object.keys(algorithm.outputs), ...algorithm.state])) {
      const field = fieldOf(this.page, name);
      const [before, now] = [side.at(name, this.moment - 1), side.at(name, this.moment)];
      if (now === null) continue;
      /** @type {Map<string, string[]>} */
      const groups = new Map();
      now.forEach((value, i) => {
        if (before === null ? Number(value) === 0 : value == before[i]) return; // eslint-disable-line eqeqeq -- 1n == 1
        const key = `${spaced(name)} becomes ${this.told(side, name, this.moment, i)}${this.becauseOf(side, name, i)}`;
        groups.set(key, [...(groups.get(key) ?? []), this.words.name(field.at, i)]);
      });
      for (const [key, names] of groups) {
        const [what, because] = key.split("\u0000");
        sentences.push(`${listed(names)}: ${what}${because === undefined ? "" : `, ${because}`}.`);
      }
    }
    // what was looked at and left as it was: an edge that is rejected says why
    const outputs = Object.keys(algorithm.outputs);
    for (const i of changedAt(this.page, side, this.moment, at)) {
      const isNew = (/** @type {string} */ name) => side.at(name, this.moment - 1)?.[i] !== side.at(name, this.moment)?.[i];
      if (outputs.some(isNew)) continue;
      for (const output of Object.keys(side.rules.rules)) {
        const because = this.becauseOf(side, output, i).split("\u0000")[1];
        const what = `${spaced(output)} stays ${this.told(side, output, this.moment, i)}`;
        sentences.push(`${this.words.name(at, i)}: ${what}${because ? `, ${because}` : ""}.`);
      }
    }
    if (sentences.length === 0) sentences.push("Nothing changes.");
    if (this.moment === side.steps) {
      sentences.push(`Done after ${side.steps} steps: ${side.stopped}.`);
      for (const [name, value] of Object.entries(side.outcomes)) sentences.push(`${spaced(name)}: ${value ? "yes" : "no"}.`);
    }
    return sentences;
  }

  /** By which part of its rule an output was decided, after a mark that ends what comes before it; nothing where none decides.
   *  @param {Side} side @param {string} name @param {number} element */
  becauseOf(side, name, element) {
    const why = this.why(side, name, element);
    if (why === null) return "";
    return `\u0000${why.holds ? "because" : "against its rule, for"} ${why.reason}`;
  }

  /** The rule behind an output at an element; null where none decides it. @param {Side} side @param {string} name @param {number} element */
  why(side, name, element) {
    if (!Object.hasOwn(side.rules.rules, name) || !side.hasConcepts) return null;
    const step = side.step(this.moment);
    const classes = side.rules.rules[name];
    const field = fieldOf(this.page, name);
    const value = Number(side.rows[name][step][element]);
    const label = field.kind === "mask" ? (value === 1 ? "true" : "false") : field.labels[value];
    const of = (/** @type {string} */ concept) => Number(side.rows[concept][step][element]) === 1;
    const rule = classes[label];
    return { label, rule: writeFormula(rule), holds: ruleHolds(rule, of), reason: ruleReason(rule, of) };
  }

  // ---- the element that is chosen

  fillChosen() {
    const { selected, sides } = this;
    if (selected === null) {
      const hint = `Choose a ${this.page.algorithm.location} in the drawing or in the table, to read what is seen there and why.`;
      byId("chosen").replaceChildren(make("p", { class: "note" }, hint));
      return;
    }
    byId("chosen").replaceChildren(
      ...sides.map((/** @type {Side} */ side, /** @type {number} */ i) => {
        const name = this.words.name(selected.at, selected.element);
        const title = sides.length > 1 ? `${name}, by ${side.by}` : name;
        return make("div", {}, make("h3", {}, title), ...this.elementParts(side, selected.at, selected.element, i));
      }),
    );
  }

  /** @param {Side} side @param {string} at @param {number} element @param {number} place of the side */
  elementParts(side, at, element, place) {
    const { algorithm } = this.page;
    const parts = [];
    const inputs = Object.entries(algorithm.inputs).filter(([, field]) => field.at === at);
    for (const [name, field] of inputs) {
      parts.push(
        make("p", {}, `${spaced(name)}: ${this.words.value(name, field, side.inputs[name][element], element, side.given)}`),
      );
    }

    const shown = [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])].filter(
      (name) => fieldOf(this.page, name).at === at,
    );
    const now = this.moment > 0 && this.moment <= side.steps;
    for (const name of shown.filter((each) => !algorithm.concepts.includes(each))) {
      const [before, after] = [this.told(side, name, this.moment - 1, element), this.told(side, name, this.moment, element)];
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
      if (this.offers(place)) parts.push(...this.changesOffered(at, element));
      if (this.moment > side.steps) parts.push(make("p", { class: "note" }, "This run had ended before this step."));
      return parts;
    }
    parts.push(...this.sights(side, at, element, place), ...(this.offers(place) ? this.changesOffered(at, element) : []));
    if (at === "edge") {
      side.graph.steps.edge.forEach((edge, link) => {
        const sights = edge === element ? this.sights(side, "link", link, place) : [];
        if (sights.length) parts.push(make("h3", {}, this.words.name("link", link)), ...sights);
      });
    }
    return parts;
  }

  /** Whether something can be supposed at a run: at the first, and then at the one in which it is supposed. @param {number} place */
  offers(place) {
    return place === (this.supposed === null ? 0 : this.sides.length - 1);
  }

  /** Why an output is what it is: its rule, or its move. @param {Side} side @param {string} name @param {number} element */
  decided(side, name, element) {
    const why = this.why(side, name, element);
    if (why !== null) {
      if (!why.holds) {
        const who = side.by === "network" ? "The network" : "It";
        return [
          make(
            "p",
            { class: "wrong" },
            `${who} decided against its rule: ${why.label} needs `,
            make("code", {}, why.rule),
            ", and here it is ",
            make("code", {}, why.reason),
          ),
        ];
      }
      const line = make("p", { class: "note" }, "because ", make("code", {}, why.reason));
      if (why.rule !== why.reason) line.append(` (rule for ${why.label}: `, make("code", {}, why.rule), ")");
      return [line];
    }
    const step = side.step(this.moment);
    const scene = Object.hasOwn(this.page.algorithm.moves, name) ? side.scene(step) : null;
    if (scene === null || side.machine === null) return [];
    const moved = side.machine.moved(scene, name, element);
    if (moved === null) return []; // it stays
    const texts = this.page.algorithm.moves[name];
    const places = side.machine.look.moves.filter((/** @type {any} */ move) => move.name === name);
    const line = make("p", { class: "note" }, "it becomes ", make("code", {}, texts[places.indexOf(moved.move)]));
    if (moved.from !== null) line.append(`: ${this.words.name(scene.relations[moved.move.relation].others, moved.from)}`);
    return [line];
  }

  /** What is observed at an element, each with its statement and what decides it. @param {Side} side @param {string} at
   *  @param {number} element @param {number} place */
  sights(side, at, element, place) {
    const { algorithm } = this.page;
    const step = side.step(this.moment);
    const scene = side.scene(step);
    const names =
      scene === null
        ? at === algorithm.location
          ? algorithm.concepts
          : []
        : /** @type {Machine} */ (side.machine).look.observed
            .filter((/** @type {any} */ each) => each.at === at)
            .map((/** @type {any} */ each) => each.name);
    // concepts first: they decide; then what is seen on the way to them
    const rank = (/** @type {string} */ name) => (algorithm.concepts.includes(name) ? 0 : 1);
    return [...names]
      .sort((a, b) => rank(a) - rank(b))
      .map((/** @type {string} */ name) => {
        const rows = side.rows[name];
        const value = rows === undefined ? null : Number(rows[step][element]) === 1;
        const what = make("div", { class: "what" }, make("strong", {}, name));
        if (scene !== null) what.append(...this.reasonsOf(side, scene, name, at, element, value));
        const isConcept = algorithm.concepts.includes(name) && at === algorithm.location;
        const button =
          isConcept && value !== null && side.machine !== null && this.offers(place)
            ? this.settingOffered(name, element, step, value)
            : "";
        return make(
          "div",
          { class: "seen" },
          make("span", { class: "mark" }, value === null ? "–" : value ? "yes" : "no"),
          what,
          button,
        );
      });
  }

  /** @param {Side} side @param {Scene} scene @param {string} name @param {string} at @param {number} element @param {boolean | null} value */
  reasonsOf(side, scene, name, at, element, value) {
    const machine = /** @type {Machine} */ (side.machine);
    const { formula } = machine.look.observed.find((/** @type {any} */ each) => each.name === name);
    const parts = [make("code", { class: "statement" }, this.page.algorithm.texts[name])];
    const found = this.words.reasons(formula, scene, at, element, machine, side.given);
    const items = found.map(({ statement, evidence, more }) => {
      const item = make("li", {}, statement);
      if (evidence.length) item.append(": ", evidence.join("; "), more ? `; and ${more} more` : "");
      return item;
    });
    if (items.length) parts.push(make("ul", {}, ...items));
    const declared = holds(formula, scene, at, at, element, element);
    if (value !== null && declared !== value) {
      const isSet = this.supposed?.settings.some(
        (each) => each.concept === name && each.element === element && each.step === side.step(this.moment),
      );
      const text = isSet ? "Set by hand." : `As declared it would be ${declared ? "yes" : "no"}: it is seen otherwise here.`;
      parts.push(make("p", { class: "wrong" }, text));
    }
    return parts;
  }

  // ---- what if

  /** @param {string} concept @param {number} element @param {number} step @param {boolean} value */
  settingOffered(concept, element, step, value) {
    const button = make("button", { type: "button", title: "See what follows from it" }, `What if ${value ? "no" : "yes"}?`);
    button.addEventListener("click", () => {
      const supposed = this.supposed ?? { settings: [], inputs: null, given: this.page.given, said: [] };
      const kept = supposed.settings.filter(
        (each) => each.step !== step || each.element !== element || each.concept !== concept,
      );
      const settings = [...kept, { concept, value: value ? 0 : 1, element, step }];
      const name = this.words.name(this.page.algorithm.location, element);
      this.suppose({
        ...supposed,
        settings,
        said: [...supposed.said, `${concept} of ${name} ${value ? "no" : "yes"} in step ${step + 1}`],
      });
    });
    return button;
  }

  /** Inputs of an element that can be changed. @param {string} at @param {number} element */
  changesOffered(at, element) {
    const { algorithm } = this.page;
    if (algorithm.look === null) return [];
    const side = this.supposed === null ? this.sides[0] : this.sides.at(-1);
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
        const box = /** @type {HTMLInputElement} */ (
          make("input", { type: "number", id, value: String(side.inputs[name][element]), step: "1" })
        );
        const button = make("button", { type: "button" }, "Run");
        button.addEventListener("click", () => this.changeInput(name, element, Number(box.value), box));
        found.push(make("div", { class: "change" }, make("label", { for: id }, `What if ${spaced(name)} were`), box, button));
      }
    }
    return found;
  }

  /** Whether the numbers of an input are used as they were given, so that a new one can be too. @param {string} name */
  isAsGiven(name) {
    return this.page.inputs[name].every(
      (/** @type {number | string} */ value, /** @type {number} */ i) => String(value) === this.page.given[name][i],
    );
  }

  /** @param {string} name @param {number} element @param {number} value @param {HTMLInputElement | null} box */
  changeInput(name, element, value, box) {
    const field = this.page.algorithm.inputs[name];
    const side = this.supposed === null ? this.sides[0] : this.sides.at(-1);
    const wrong = field.kind === "number" ? this.objection(field, side.inputs[name], element, value) : null;
    if (wrong !== null) {
      byId("reason").replaceChildren(
        make("p", { class: "wrong" }, `${spaced(name)} cannot be ${Number.isNaN(value) ? "empty" : value}: ${wrong}.`),
      );
      box?.focus();
      return;
    }
    const supposed = this.supposed ?? { settings: [], inputs: null, given: this.page.given, said: [] };
    const values = [...side.inputs[name]];
    values[element] = value;
    const given = field.kind === "number" ? { ...supposed.given, [name]: values.map(String) } : supposed.given;
    const what =
      field.kind === "pointer"
        ? `${name} ${this.words.name("node", value)}`
        : `${name} of ${this.words.name(field.at, element)} ${field.kind === "mask" ? (value ? "yes" : "no") : value}`;
    this.suppose({ ...supposed, inputs: { ...side.inputs, [name]: values }, given, said: [...supposed.said, what] });
  }

  /** Why a number cannot be an input; null where it can. @param {any} field @param {Value[]} values @param {number} element @param {number} value */
  objection(field, values, element, value) {
    const least = field.signed ? -(2 ** (field.bits - 1)) : (field.low ?? 0);
    const most = (field.signed ? 2 ** (field.bits - 1) : 2 ** field.bits) - 1;
    if (!Number.isSafeInteger(value) || value < least || value > most) return `give a whole number from ${least} to ${most}`;
    const rivals =
      field.distinct === "graph"
        ? values.map((_, i) => i)
        : field.distinct === "neighbours"
          ? this.page.graph.edges.filter((/** @type {number[]} */ edge) => edge.includes(element)).flat()
          : [];
    const clash = rivals.find((/** @type {number} */ each) => each !== element && Number(values[each]) === value);
    return clash === undefined ? null : `${this.words.name(field.at, clash)} has it, and these are to differ`;
  }

  /** Runs the program of the first run with what is supposed, beside it. @param {NonNullable<Player["supposed"]>} supposed */
  suppose(supposed) {
    const original = this.page.sides.length;
    const base = this.sides[0];
    const step = supposed.settings.length ? Math.min(...supposed.settings.map((each) => each.step)) : 0;
    try {
      const by = `the program, what if ${supposed.said.join("; ")}`;
      const side = base.whatIf(step, supposed.settings, supposed.inputs ?? base.inputs, supposed.given, by);
      this.supposed = supposed;
      this.sides = [...this.sides.slice(0, original), side];
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      byId("reason").replaceChildren(make("p", { class: "wrong" }, `This cannot be run: ${problem.message}.`));
      return;
    }
    this.build();
    this.show();
  }

  drop() {
    this.supposed = null;
    this.sides = this.sides.slice(0, this.page.sides.length);
    this.moment = Math.min(this.moment, this.last);
    this.build();
    this.show();
  }

  // ---- the program

  buildRules() {
    const { algorithm } = this.page;
    /** @type {HTMLElement[]} */
    const rows = [];
    const add = (/** @type {string} */ name, /** @type {string} */ text) =>
      rows.push(make("dt", {}, name), make("dd", {}, make("code", {}, text)));
    for (const [name, text] of Object.entries(algorithm.texts)) add(name, /** @type {string} */ (text));
    for (const [name, texts] of Object.entries(algorithm.moves))
      for (const text of /** @type {string[]} */ (texts)) add(`${name} becomes`, text);
    const { rules, continues } = this.sides[0].rules;
    for (const [output, classes] of Object.entries(rules)) {
      for (const [label, rule] of Object.entries(classes)) add(`${output} = ${label}`, writeFormula(rule));
    }
    if (continues !== null) add("goes on while", `${continues[0]} ${algorithm.location}: ${writeFormula(continues[1])}`);
    byId("rules").replaceChildren(make("dl", {}, ...rows));
  }

  // ---- moments

  listen() {
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("first", () => this.go(0));
    on("back", () => this.go(this.moment - 1));
    on("forward", () => this.go(this.moment + 1));
    on("last", () => this.go(this.last));
    on("play", () => this.play());
    on("larger", () => this.resize(1.25));
    on("smaller", () => this.resize(0.8));
    on("drop", () => this.drop());
    on("jump", () => this.jump());
    byId("slider").addEventListener("input", () => this.go(Number(/** @type {HTMLInputElement} */ (byId("slider")).value)));
    document.addEventListener("keydown", (event) => this.key(event));
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return; // a phone's address bar comes and goes
      width = window.innerWidth;
      this.fit();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.tagName === "INPUT" || target.tagName === "SELECT";
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const moments = { ArrowLeft: this.moment - 1, ArrowRight: this.moment + 1, Home: 0, End: this.last };
    if (Object.hasOwn(moments, event.key)) {
      if (target.closest(".scroll, .canvas") && !event.key.startsWith("Arrow")) return; // there, these keys scroll
      event.preventDefault();
      this.go(moments[/** @type {keyof typeof moments} */ (event.key)]);
    } else if (event.key === "p") {
      this.play();
    }
  }

  /** @param {number} moment */
  go(moment) {
    this.moment = Math.max(0, Math.min(this.last, moment));
    this.show();
  }

  jump() {
    const side = this.sides.find((/** @type {Side} */ each) => each.difference !== null);
    if (side.difference.element !== null && side.difference.at !== "link")
      this.selected = { at: side.difference.at, element: side.difference.element };
    this.go(side.difference.step);
  }

  play() {
    if (this.timer !== null) {
      window.clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.moment >= this.last) this.go(0);
      this.timer = window.setInterval(() => {
        this.go(this.moment + 1);
        if (this.moment >= this.last) this.play();
      }, SPEED);
    }
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
  }

  /** @param {number} factor */
  resize(factor) {
    this.zoom = Math.min(4, Math.max(0.4, this.zoom * factor));
    this.fit();
  }

  /** @param {string} at @param {number} element */
  select(at, element) {
    this.selected = { at, element };
    this.show();
  }

  draw() {
    this.drawings.forEach((/** @type {Drawing} */ drawing, /** @type {number} */ i) => {
      drawing.show(
        this.moment,
        this.selected,
        this.sides[i].difference !== null && this.moment >= this.sides[i].difference.step,
      );
    });
  }

  show() {
    const { moment, last } = this;
    const slider = /** @type {HTMLInputElement} */ (byId("slider"));
    slider.value = String(moment);
    slider.setAttribute("aria-valuetext", moment === 0 ? "start" : `step ${moment} of ${last}`);
    for (const id of ["first", "back"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === 0;
    for (const id of ["forward", "last"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = moment === last;
    byId("moment").textContent =
      `${moment === 0 ? "Start" : `Step ${moment} of ${last}`}. Keys: ← → step, Home and End, p plays.`;
    this.draw();
    byId("reason").replaceChildren(
      make("p", {}, make("strong", {}, moment === 0 ? "Start" : `Step ${moment} of ${last}`)),
      ...this.sides.map((/** @type {Side} */ side) => {
        const items = this.stepInWords(side).map((text) => make("li", {}, text));
        const list = make(
          "ul",
          {},
          ...items.slice(0, 12),
          ...(items.length > 12 ? [make("li", {}, `and ${items.length - 12} more changes`)] : []),
        );
        return this.sides.length > 1 ? make("div", {}, make("strong", {}, `by ${side.by}`), list) : list;
      }),
    );
    this.fillChosen();
    this.fillTables();
  }
}

new Player(JSON.parse(/** @type {string} */ (byId("run").textContent)));
