// @ts-check
"use strict";

/* An algorithm on the page's graph: its runs, and how they are told. A page has one, or several side by side. */

/** @typedef {{at: string, element: number} | null} Chosen */
/** @typedef {{node: Set<number>, edge: Set<number>}} Lit  what is lit by a choice, as a path */

class Task {
  /** @param {any} page @param {(task: Task) => void} changed when what is supposed changes @param {(problem: string) => void} refused */
  constructor(page, changed, refused) {
    this.page = page;
    this.words = new Words(page);
    this.teller = new Teller(page, this.words);
    /** @type {Side[]} */
    this.written = page.sides.map((/** @type {any} */ each) => Side.read(page, each));
    this.whatIf = new WhatIf(page, this.words, this.written[0], () => changed(this), refused);
    this.build();
  }

  get name() {
    return this.page.algorithm.name;
  }

  get title() {
    return this.page.algorithm.title;
  }

  /** All its runs: those of the file, and the one that is supposed. @returns {Side[]} */
  get sides() {
    return this.whatIf.supposed === null ? this.written : [...this.written, this.whatIf.side];
  }

  /** What depends on which runs there are. */
  build() {
    const { page, sides } = this;
    this.classes = { node: classesAt(page, sides, "node"), edge: classesAt(page, sides, "edge") };
    const names = [...new Set([...Object.keys(page.algorithm.outputs), ...page.algorithm.state])];
    /** @type {number[]} the moments at which something is new */
    this.news = [...new Set(sides.flatMap((side) => momentsOf(side, names)))].sort((a, b) => a - b);
  }
}
