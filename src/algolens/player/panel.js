/* The element that is chosen: what is given there, its state and why; for who asks for the logic, all that was seen
 * there, too. */

class Panel {
  /** @param {Task} task @param {Moment} now @param {NonNullable<Chosen>} selected */
  constructor(task, now, { at, element }) {
    this.task = task;
    this.now = now;
    this.page = task.page;
    this.words = now.words;
    this.at = at;
    this.element = element;
  }

  /** @param {string} title of the algorithm, where there are several; else empty @param {boolean} hasLogic */
  show(title, hasLogic) {
    const { task, now, at, element } = this;
    const by = [...(title === "" ? [] : [title]), ...(task.sides.length > 1 ? [now.side.called] : [])];
    const ended = now.moment > now.side.steps ? [note("This run had ended before this step.")] : [];
    const isOffered = now.side === task.whatIf.side;
    return make(
      "div", {},
      make("h3", {}, [this.words.name(at, element), ...by].join(", ")),
      ...this.given, ...(hasLogic ? this.logic() : this.facts), ...ended,
      ...(isOffered ? task.whatIf.changesOffered(at, element) : []),
      ...(isOffered && hasLogic ? task.whatIf.notes : []),
    );
  }

  /** The fields at the element that are no concepts. */
  get fields() {
    return fieldsOf(this.page, this.at).filter((name) => !this.page.algorithm.concepts.includes(name));
  }

  get given() {
    const { at, element, page, now } = this;
    const names = Object.entries(page.algorithm.inputs)
      .filter(([name, field]) => field.at === at && field.kind !== "pointer" && isShown(page, name));
    const value = (/** @type {string} */ name) => this.words.value(name, now.side.inputs[name][element], element);
    return names.map(([name]) => make("p", {}, `${calledIn(page, name)}: ${value(name)}`));
  }

  /** A line of what a step made of something. @param {string} title @param {(now: Moment) => string} textAt */
  line(title, textAt) {
    const after = textAt(this.now);
    const before = this.now.isStep ? textAt(this.now.before) : after;
    return make("p", {}, make("strong", {}, title), `: ${before === after ? after : `${before} → ${after}`}`);
  }

  /** Its state, in words, and the sentences on it. */
  get facts() {
    const { at, element, now } = this;
    const lines = this.task.factsAt(at).map(({ title, text }) => this.line(title, (each) => text(each)(element)));
    const { outputs, words: { order } } = this.page.algorithm;
    const isSpoken = (/** @type {string} */ name) =>
      order.length === 0 || order.includes(name) || Object.hasOwn(outputs, name);
    const told = this.fields.filter(isSpoken).flatMap((name) => now.about(name, element) ?? []);
    // that a number stays is seen above
    const isNews = (/** @type {Told} */ { name, isAgainst }) =>
      Object.hasOwn(now.side.rules.rules, name) || isAgainst || now.isNew(name, element);
    const news = told.filter((each) => isNews(each) && !each.isSilent && each.sentence !== "");
    const said = new Set(news.map((each) => each.sentence));
    return [...lines, ...[...said].map((text) => note(`${text}.`))];
  }

  /** Every field, with its rule, and everything that was seen. */
  logic() {
    const { at, element, now } = this;
    const parts = this.fields.flatMap((name) => [
      this.line(spaced(name), (each) => each.told(name, element)),
      ...(now.isStep ? this.decided(name) : []),
    ]);
    if (!now.isStep) return parts;
    parts.push(...this.sights(at, element));
    if (at !== "edge") return parts;
    now.side.graph.steps.link.edge.forEach((edge, link) => {
      const sights = edge === element ? this.sights("link", link) : [];
      if (sights.length) parts.push(make("h3", {}, this.words.name("link", link)), ...sights);
    });
    return parts;
  }

  /** Why a result is what it is: in a sentence, with its rule or its move a click away. @param {string} name */
  decided(name) {
    const told = this.now.about(name, this.element);
    if (told === null || told.sentence === "") return [];
    const why = this.now.why(name, this.element);
    if (why === null || why.holds) return [note(`${told.sentence}.`), ...behindOf(told)];
    const who = this.now.side.by === "network" ? "The network" : "It";
    const [needed, seen] = [why.text, why.reason].map((text) => make("code", {}, text));
    const against = `${who} decided against its rule: ${why.label} needs `;
    return [make("p", { class: "wrong" }, against, needed, ", and here it is ", seen)];
  }

  /** What is observed at an element, each with its statement and what decides it: concepts first. @param {string} at
   *  @param {number} element */
  sights(at, element) {
    const { page: { algorithm }, now: { side, scene, step }, task: { whatIf } } = this;
    const concepts = at === algorithm.location ? algorithm.concepts : [];
    const observed = side.machine?.observed.filter((name) => scene?.fields[name].at === at) ?? [];
    const known = concepts.filter((name) => scene === null || observed.includes(name));
    return [...new Set([...known, ...observed])].map((name) => {
      const values = side.fields[name]?.at(step);
      const value = values === undefined ? null : Number(values[element]) === 1;
      const what = make("div", { class: "what" }, make("strong", {}, spaced(name)));
      if (scene !== null) what.append(...this.reasonsOf(scene, name, element, value));
      else if (algorithm.program !== null)
        what.append(make("code", { class: "statement" }, algorithm.texts[name][0]));
      const isOffered = concepts.includes(name) && value !== null && side.machine !== null && side === whatIf.side;
      const button = isOffered ? whatIf.settingOffered(name, element, step, value) : "";
      return make("div", { class: "seen" }, this.mark(name, element, value), what, button);
    });
  }

  /** And how sure a network was of it. @param {string} name @param {number} element @param {boolean | null} value */
  mark(name, element, value) {
    const mark = make("span", { class: "mark" }, value === null ? "–" : yesOrNo(value));
    const sure = this.now.side.sure(name, this.now.moment, element);
    const title = "How sure the network is of it";
    if (sure !== null)
      mark.append(" ", make("span", { class: sure < UNSURE ? "sure unsure" : "sure", title }, `(${sure.toFixed(2)})`));
    return mark;
  }

  /** @param {Scene} scene @param {string} name @param {number} element @param {boolean | null} value */
  reasonsOf(scene, name, element, value) {
    const { now, task } = this;
    const told = now.about(name, element);
    const parts = told === null ? [] : [note(`${told.sentence}.`), ...behindOf(told)];
    const declared = scene.holds(now.declared(name).value, element);
    if (value === null || declared === value) return parts;
    const who = SEES_BY_ITSELF.includes(now.side.by) ? "the network saw" : "in this run it is";
    const text = task.whatIf.isSet(name, element, now.step)
      ? `You set this to “${yesOrNo(value)}”; really it is “${yesOrNo(declared)}”.`
      : `The definition says ${yesOrNo(declared)}; ${who} ${yesOrNo(value)}.`;
    return [...parts, make("p", { class: "wrong" }, text)];
  }
}

/** @param {string} text */
const note = (text) => make("p", { class: "note" }, text);

/** An element in a line. @param {Task} task @param {Moment} now @param {NonNullable<Chosen>} selected */
function shortOf(task, now, { at, element }) {
  const called = (/** @type {string} */ title) => (title === "state" ? "" : `${title} `);
  const facts = task.factsAt(at).map(({ title, text }) => called(title) + text(now)(element));
  return make("span", { class: "short" }, make("strong", {}, `${now.words.name(at, element)}: `), facts.join(", "));
}

/** The formula behind a sentence. @param {Told} told */
function behindOf({ formula }) {
  const code = make("code", { class: "statement" }, formula);
  return formula === "" ? [] : [make("details", { class: "behind" }, make("summary", {}, "formula"), code)];
}
