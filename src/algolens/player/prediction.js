/* Prediction as an exercise: what does the algorithm do next? The run holds the answers; at the end there is a code of
 * the score. */

class Prediction {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.isOn = false;
    this.right = this.asked = 0;
    /** whether the question of this step was answered wrongly already */
    this.isMissed = false;
    this.verdict = this.code = "";
    this.moment = -1;
    this.begun = 0;
    onClick("predict", () => this.toggle());
  }

  toggle() {
    this.isOn = !this.isOn;
    [this.right, this.asked, this.isMissed, this.verdict, this.code] = [0, 0, false, "", ""];
    [this.moment, this.begun] = [-1, Date.now()];
    byId("predict").setAttribute("aria-pressed", String(this.isOn));
    document.body.classList.toggle("predicting", this.isOn);
    if (this.isOn && this.player.moment >= this.player.last) this.player.go(0);
    else this.player.show();
  }

  /** The run that is asked about: the first. */
  get run() {
    const [{ side, task }] = this.player.drawings;
    return { side, task, at: task.page.algorithm.location };
  }

  /** Those that a step decides of, or else changes. @param {number} moment */
  answersAt(moment) {
    const { side, task, at } = this.run;
    const now = new Moment(side, moment);
    if (now.examined.length > 0) return now.examined;
    const changed = [...now.changedAt(at)];
    const { at: where, kind } = fieldOf(task.page, "current");
    if (where !== at || kind !== "mask") return changed;
    // where a walk moves on, the question is where to
    const current = side.at("current", moment - 1);
    const entered = changed.filter((element) => Number(current?.[element] ?? 0) !== 1);
    return entered.length > 0 ? entered : changed;
  }

  /** The next step that something can be asked about; null: there is none. */
  get next() {
    const { side } = this.run;
    for (let moment = this.player.now(side).moment + 1; moment <= side.steps; moment++)
      if (this.answersAt(moment).length > 0) return moment;
    return null;
  }

  /** Takes a choice as an answer, where one is asked for. @param {string} at @param {number} element */
  guess(at, element) {
    const { next } = this;
    if (!this.isOn || next === null) return false;
    const { at: location, side } = this.run;
    const now = new Moment(side, next);
    const name = side.words.name(at, element);
    if (at !== location) {
      const [one, wanted] = [at, location].map((each) => (each === "edge" ? "an edge" : "a node"));
      this.verdict = `${name} is ${one}: choose ${wanted}.`;
      this.show();
    } else if (this.answersAt(next).includes(element)) {
      if (!this.isMissed) this.right += 1;
      const found = now.tellings.find((each) => each.at === at && each.element === element);
      this.verdict = `Right: ${found === undefined ? name : found.sentence}.`;
      this.goOn(next, { at, element });
    } else {
      this.isMissed = true;
      const answers = this.answersAt(next);
      // what is said of the answer, too, is no reason
      const isReason = (/** @type {Told} */ told) => {
        const others = answers.map((answer) => now.about(told.name, answer));
        const isCase = now.algorithm.words.cases[told.name] !== undefined;
        const isAlike = (/** @type {Told | null} */ other) =>
          other !== null && isCase ? other.place === told.place && !other.isSilent : other?.formula === told.formula;
        return !told.isSilent && told.sentence !== "" && !others.some(isAlike);
      };
      const told = Object.keys(side.rules.rules).flatMap((each) => now.about(each, element) ?? []);
      const why = told.find(isReason)?.sentence;
      const said = why?.startsWith(`${name} `) ? `it${why.slice(name.length)}` : why?.replace(`${name}: `, "");
      this.verdict = `Not ${name}${said === undefined ? "" : `: ${said}`}. Try another.`;
      this.show();
    }
    return true;
  }

  /** Shows the answer, which does not count as right. */
  reveal() {
    const { next } = this;
    if (next === null) return;
    const { side, at } = this.run;
    const answers = this.answersAt(next);
    this.verdict = `It was ${inList(answers.map((element) => side.words.name(at, element)))}.`;
    this.goOn(next, { at, element: answers[0] });
  }

  /** @param {number} moment @param {Chosen} chosen */
  goOn(moment, chosen) {
    this.asked += 1;
    this.isMissed = false;
    this.player.selected = chosen;
    this.moment = moment;
    this.player.go(moment);
  }

  show() {
    const question = byId("question");
    question.hidden = !this.isOn;
    if (!this.isOn) return;
    const { player, next } = this;
    // one went elsewhere
    if (this.moment !== player.moment && this.moment !== -1) [this.isMissed, this.verdict] = [false, ""];
    this.moment = player.moment;
    const { task, at } = this.run;
    const { question: asked } = task.page.algorithm;
    const score = ` ${this.right} of ${this.asked} right so far. `;
    const verdict = this.verdict === "" ? [] : [make("p", {}, this.verdict)];
    if (next !== null) {
      const where = player.isNarrow ? "" : " in the drawing";
      const text = make("strong", {}, `${asked || `Which ${itemOf(task.page, at)} is next?`} Click it${where}.`);
      const show = buttonOf("Show the answer", () => this.reveal());
      question.replaceChildren(...verdict, make("p", {}, text, score, show));
      return;
    }
    if (this.asked > 0 && this.code === "")
      this.code = scoreCode(task.page, this.right, this.asked, Date.now() - this.begun);
    const copy = buttonOf("Copy", () => player.share.copy(this.code, "The code is on the clipboard.", "code-said"));
    const [code, said] = [make("code", { id: "score" }, this.code), make("span", { id: "code-said", role: "status" })];
    const line = this.code === "" ? [] : [make("p", {}, "Code of your score: ", code, " ", copy, said)];
    question.replaceChildren(...verdict, make("p", {}, make("strong", {}, "The run has ended."), score), ...line);
  }
}

/** The score as a code that a teacher can check: `algolens check-score CODE` says it in words. @param {Page} page
 *  @param {number} right @param {number} asked @param {number} milliseconds */
function scoreCode(page, right, asked, milliseconds) {
  const name = page.graph_name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 30);
  const given = checksum(JSON.stringify([page.graph.nodes, page.graph.edges, page.inputs])).slice(0, 6);
  const minute = new Date().toISOString().slice(0, 16).replace(/[-:]/g, "");
  const score = [`${right}of${asked}`, `${Math.round(milliseconds / 1000)}s`];
  const said = [page.algorithm.name, name || "graph", given, ...score, minute].join(".");
  return `${said}.${checksum(said)}`;
}

/** FNV-1a in 32 bits, as cli/scores.py computes it: a code that was changed is seen. @param {string} text */
function checksum(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
