/* Where the page stands, as the end of its address: the step, what is chosen, what is supposed, and a graph that was
 * changed. */

class Link {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    window.addEventListener("hashchange", () => {
      this.follow();
      player.show();
      player.reveal();
    });
  }

  /** "#step=7&node=2&set=0.has_priority.3.2.1": in the first algorithm, a concept of element 3 in step 2 is set. */
  get hash() {
    const { player } = this;
    const parts = [`step=${player.moment}`];
    if (player.selected !== null) parts.push(`${player.selected.at}=${player.selected.element}`);
    if (player.isByShare) parts.push("together=share");
    if (player.hasLogic) parts.push("logic");
    const { own } = player.editor;
    if (own !== null)
      parts.push(`edges=${encodeURIComponent(own.edgesCsv)}`, `nodes=${encodeURIComponent(own.nodesCsv)}`);
    player.tasks.forEach((task, number) => {
      const { settings, inputs } = task.whatIf.current;
      for (const each of settings)
        parts.push(`set=${[number, each.concept, each.element, each.step, each.value].join(".")}`);
      for (const [name, values] of Object.entries(inputs ?? {}))
        values.forEach((value, i) => {
          if (value !== task.written[0].inputs[name][i]) parts.push(`input=${[number, name, i, value].join(".")}`);
        });
    });
    return `#${parts.join("&")}`;
  }

  /** Goes where the end of the address says; what it says of nothing that is here is passed over. */
  follow() {
    const { player } = this;
    const asked = new URLSearchParams(location.hash.slice(1));
    const edges = asked.get("edges");
    if (edges !== null && player.editor.isOffered && edges !== player.editor.graph.edgesCsv)
      player.editor.runCsv(edges, asked.get("nodes") ?? "", true);
    this.supposeAll(asked);
    for (const at of ["node", "edge"]) {
      const element = Number(asked.get(at) ?? NaN);
      if (Number.isInteger(element) && element >= 0 && element < player.sides[0].graph.counts[at])
        player.selected = { at, element };
    }
    player.isByShare = asked.get("together") === "share";
    inputOf("together").value = player.isByShare ? "share" : "steps";
    const number = (/** @type {string} */ key) => {
      const found = Number(asked.get(key) ?? NaN);
      return Number.isInteger(found) ? Math.max(0, Math.min(player.last, found)) : null;
    };
    if (asked.has("logic") !== player.hasLogic) player.showLogic(asked.has("logic"));
    this.frame(asked, number("from"), number("to"));
    player.moment = number("step") ?? number("from") ?? player.moment;
  }

  /** How the page stands in a frame, or plays. @param {URLSearchParams} asked @param {number | null} from
   *  @param {number | null} to */
  frame(asked, from, to) {
    const { player } = this;
    const { controls } = player;
    const { classList } = document.body;
    if (asked.has("embed")) {
      classList.add("compact", "embed");
      player.fit(false);
    }
    if (asked.has("present") && !controls.isPresenting) controls.present();
    controls.range = { from: from ?? 0, to: to ?? Infinity, isLoop: asked.has("loop") };
    const speed = asked.get("speed") ?? "";
    if (Object.hasOwn(SPEEDS, speed)) controls.speed.value = speed;
    const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (asked.has("loop") && controls.timer === null && !isCalm) controls.play();
  }

  /** @param {URLSearchParams} asked */
  supposeAll(asked) {
    this.player.tasks.forEach((task, number) => {
      const own = (/** @type {string} */ key) =>
        asked.getAll(key).map((text) => text.split(".")).filter(([first]) => Number(first) === number);
      for (const [, concept, element, step, value] of own("set"))
        task.whatIf.set(concept, Number(element), Number(step), Number(value) === 1);
      for (const [, name, element, value] of own("input")) task.whatIf.changeTo(name, Number(element), Number(value));
    });
  }
}
