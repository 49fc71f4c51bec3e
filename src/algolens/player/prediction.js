// @ts-check
"use strict";

/* Prediction: which element is next? The run holds the answers. */

class Prediction {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.isOn = false;
    this.right = 0;
    this.asked = 0;
    /** whether the question of this step was answered wrongly already */
    this.isMissed = false;
    this.verdict = "";
    this.moment = -1;
    byId("predict").addEventListener("click", () => this.toggle());
  }

  toggle() {
    this.isOn = !this.isOn;
    [this.right, this.asked, this.isMissed, this.verdict, this.moment] = [0, 0, false, "", -1];
    byId("predict").setAttribute("aria-pressed", String(this.isOn));
    document.body.classList.toggle("predicting", this.isOn);
    if (this.isOn && this.player.moment >= this.player.last) this.player.go(0);
    else this.player.show();
  }

  /** The run that is asked about: the first. */
  get run() {
    const [{ side, task }] = this.player.drawings;
    return { side, task, at: task.page.algorithm.location, next: this.player.momentOf(side) + 1 };
  }

  /** Those that the next step decides of, or else changes. @returns {number[]} */
  get answers() {
    const { side, task, at, next } = this.run;
    if (next > side.steps) return [];
    const examined = task.teller.sentences.examined(side, next);
    return examined.length > 0 ? examined : [...changedAt(task.page, side, next, at)];
  }

  /** Takes a choice as an answer, where one is asked for. @param {string} at @param {number} element @returns {boolean} */
  guess(at, element) {
    const { answers, player } = this;
    if (!this.isOn || answers.length === 0) return false;
    const { task, at: location, next, side } = this.run;
    const name = task.words.name(at, element);
    if (at !== location) {
      this.verdict = `${name} is ${at === "edge" ? "an edge" : "a node"}: choose ${location === "edge" ? "an edge" : "a node"}.`;
      this.show();
    } else if (answers.includes(element)) {
      if (!this.isMissed) this.right += 1;
      this.asked += 1;
      const found = task.teller.sentences.told(side, next).find((each) => each.at === at && each.element === element);
      this.verdict = `Right: ${found === undefined ? name : found.sentence}.`;
      this.goOn({ at, element });
    } else {
      this.isMissed = true;
      this.verdict = `Not ${name}. Try another, or show the answer.`;
      this.show();
    }
    return true;
  }

  /** Shows the answer, which counts as none. */
  reveal() {
    const { task, at } = this.run;
    const [first] = this.answers;
    if (first !== undefined) {
      this.asked += 1;
      this.verdict = `It was ${this.answers.slice(0, 6).map((element) => task.words.name(at, element)).join(", ")}.`;
    }
    this.goOn(first === undefined ? null : { at, element: first });
  }

  /** @param {Chosen} chosen */
  goOn(chosen) {
    const { player } = this;
    player.selected = chosen;
    this.isMissed = false;
    this.moment = player.moments[1];
    player.go(player.moments[1]);
  }

  show() {
    const question = byId("question");
    question.hidden = !this.isOn;
    if (!this.isOn) return;
    const { player } = this;
    if (this.moment !== player.moment && this.moment !== -1) [this.isMissed, this.verdict] = [false, ""]; // one went elsewhere
    this.moment = player.moment;
    const { at } = this.run;
    const isOver = player.moment >= player.last;
    const isAsked = this.answers.length > 0;
    const asked = isOver ? "The run has ended." : isAsked ? `Which ${at} is next? Click it in the drawing or in the table.` : `No ${at} is decided of in the next step.`;
    const button = make("button", { type: "button" }, isAsked ? "Show the answer" : "Go on");
    button.addEventListener("click", () => this.reveal());
    question.replaceChildren(
      ...(this.verdict === "" ? [] : [make("p", {}, this.verdict)]),
      make("p", {}, make("strong", {}, asked), ` ${this.right} of ${this.asked} right so far. `, ...(isOver ? [] : [button])),
    );
  }
}
