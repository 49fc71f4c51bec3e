// @ts-check
"use strict";

/* The graph, changed in the page: nodes and edges drawn and removed, values edited, CSV pasted. The program then runs on it. */

const ROOM = [7, 4]; // of a drawing that begins with nothing, in units of an edge

class Editor {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.first = player.pages;
    /** @type {"choose" | "node" | "edge" | "remove"} */
    this.tool = "choose";
    /** @type {number | null} the node at which an edge begins that is drawn */
    this.begun = null;
    /** @type {OwnGraph | null} the graph as it was changed, be it refused or not; null: as it came */
    this.own = null;
    this.isOffered = player.pages.every((page) => page.part === null && page.algorithm.on_other_graphs !== null);
    byId("own").hidden = !this.isOffered;
    byId("fixed").hidden = this.isOffered;
    const other = player.pages.find((page) => page.algorithm.python.length > 0);
    if (other !== undefined) byId("fixed").textContent = inPython(other.algorithm);
    if (this.isOffered) this.listen();
  }

  get isOpen() {
    return /** @type {HTMLDetailsElement} */ (byId("editing")).open;
  }

  listen() {
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("own-run", () => this.readTexts());
    on("own-copy", () => this.player.share.copy(this.graph.edgesCsv, "The edges are on the clipboard.", "own-said"));
    on("own-save", () => download(new Blob([`${this.graph.edgesCsv}\n`], { type: "text/csv" }), "graph.csv"));
    on("own-empty", () => this.beginAnew());
    on("own-back", () => {
      this.own = null;
      this.say("");
      this.player.replace(this.first);
    });
    byId("editing").addEventListener("toggle", () => this.show());
    for (const button of document.querySelectorAll(".tool"))
      button.addEventListener("click", () => {
        this.tool = /** @type {any} */ (button).dataset.tool;
        this.begun = null;
        for (const each of document.querySelectorAll(".tool")) each.setAttribute("aria-pressed", String(each === button));
        const hints = { choose: "", node: "Click where a node is to be.", edge: "Click two nodes, one after the other.", remove: "Click what is to go." };
        this.say(hints[this.tool]);
        // on a phone, the drawing is far above
        if (this.tool !== "choose") byId("drawings").scrollIntoView({ block: "nearest" });
      });
    document.addEventListener("keydown", (event) => {
      const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(/** @type {HTMLElement} */ (event.target).tagName);
      const { selected } = this.player;
      if (event.key === "Delete" && this.isOpen && !isTyping && selected !== null) this.remove(selected.at, selected.element);
    });
  }

  /** The graph that is changed next. */
  get graph() {
    return this.own ?? OwnGraph.ofPages(this.player.pages);
  }

  /** A copy to be changed. */
  copy() {
    const { nodes, edges, directed, columns, places } = this.graph;
    const copied = Object.fromEntries(Object.entries(columns).map(([at, each]) => [at, Object.fromEntries(Object.entries(each).map(([name, texts]) => [name, [...texts]]))]));
    const own = new OwnGraph([...nodes], edges.map((ends) => [...ends]), directed, copied, places.map((place) => [...place]));
    own.named = [...this.graph.named];
    return own.reaching(this.graph.room);
  }

  /** One node, with room around it. */
  beginAnew() {
    const columns = { edge: {}, node: {} };
    for (const [at, texts] of Object.entries({ edge: [], node: ["0"] }))
      for (const name of Object.keys(this.graph.columns[at])) /** @type {any} */ (columns)[at][name] = [...texts];
    const middle = ROOM.map((far) => far / 2);
    this.player.selected = null;
    this.change(new OwnGraph(["0"], [], this.graph.directed, columns, [middle]).reaching(ROOM));
    /** @type {HTMLElement} */ (document.querySelector('[data-tool="node"]')).click();
  }

  /** @param {string} words @param {boolean} isWrong */
  say(words, isWrong = false) {
    byId("own-said").textContent = words;
    byId("own-said").classList.toggle("wrong", isWrong);
    if (words !== "") byId("strip").replaceChildren(make("span", isWrong ? { class: "wrong" } : {}, words)); // where a phone shows it beside the drawing
  }

  /** Runs the program on a graph; where it is refused, says why, and keeps it to be mended. @param {OwnGraph} own @param {string} said */
  change(own, said = "") {
    this.own = own;
    const { pages } = this.player;
    try {
      const made = pages.map((page) => pageOn(page, own, this.chosenOf(page)));
      this.player.replace(made);
      this.say(said);
    } catch (problem) {
      if (!(problem instanceof Refused || problem instanceof RangeError)) throw problem;
      this.say(`${problem.message}${problem instanceof RangeError ? "." : ""}${said === "" ? "" : ` ${said}`}`, true);
      this.write();
    }
  }

  /** What is chosen for the whole graph, by the names of nodes. @param {any} page @returns {Record<string, string>} */
  chosenOf(page) {
    const pointers = Object.entries(page.algorithm.inputs).filter(([, field]) => field.at === "graph" && field.kind === "pointer");
    return Object.fromEntries(pointers.map(([name]) => [name, page.graph.nodes[Number(page.inputs[name][0])] ?? ""]));
  }

  readTexts() {
    const text = (/** @type {string} */ id) => /** @type {HTMLTextAreaElement} */ (byId(id)).value;
    this.runCsv(text("own-edges"), text("own-nodes"));
  }

  /** @param {string} edges @param {string} nodes both as CSV */
  runCsv(edges, nodes) {
    try {
      const isOther = this.graph.isOther(edges, nodes);
      this.change(OwnGraph.read(edges, isOther ? "" : nodes, this.player.pages, this.graph), isOther ? "These are other nodes: those of before are left out." : "");
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      this.say(problem.message, true);
    }
  }

  /** Adds a node where the drawing was clicked. @param {number[]} place */
  addNode(place) {
    if (!this.isOpen || this.tool !== "node") return;
    const own = this.copy();
    let number = own.nodes.length;
    while (own.nodes.includes(String(number))) number++;
    own.nodes.push(String(number));
    own.places.push(place.map((far) => Math.max(0, far)));
    own.reaching(place);
    for (const texts of Object.values(own.columns.node)) texts.push("0");
    this.change(own, `Node ${number} is added.`);
  }

  /** Takes a click on an element, where a tool is chosen. @param {string} at @param {number} element @returns {boolean} */
  take(at, element) {
    if (!this.isOpen || this.tool === "choose" || this.tool === "node") return false;
    if (this.tool === "remove") this.remove(at, element);
    else if (at === "node" && this.begun === null) {
      this.begun = element;
      this.say(`From ${this.graph.nodes[element]} to which node?`);
    } else if (at === "node") this.addEdge(element);
    return true;
  }

  /** @param {number} to */
  addEdge(to) {
    const own = this.copy();
    own.addEdge(/** @type {number} */ (this.begun), to);
    this.begun = null;
    const isRefused = this.isRefusedNow(own);
    if (isRefused) return; // a line that cannot be is not kept
    const added = /** @type {number[]} */ (own.edges.at(-1));
    own.inOrder();
    this.player.selected = { at: "edge", element: own.edges.findIndex((ends) => ends.every((node) => added.includes(node)) && (!own.directed || ends[0] === added[0])) };
    this.change(own, `The edge ${added.map((node) => own.nodes[node]).join(" - ")} is added.`);
  }

  /** Whether an edge just drawn is refused, which is said. @param {OwnGraph} own */
  isRefusedNow(own) {
    try {
      for (const page of this.player.pages) own.check(page);
      return false;
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      this.say(problem.message, true);
      return true;
    }
  }

  /** @param {string} at @param {number} element */
  remove(at, element) {
    const own = this.copy();
    own.keep(own.edges.map((ends, edge) => (at === "edge" ? edge !== element : !ends.includes(element))));
    if (at === "node") {
      own.edges = own.edges.map((ends) => ends.map((node) => (node > element ? node - 1 : node)));
      own.nodes.splice(element, 1);
      own.places.splice(element, 1);
      for (const texts of Object.values(own.columns.node)) texts.splice(element, 1);
    }
    this.player.selected = null;
    this.change(own);
  }

  show() {
    if (!this.isOffered || !this.isOpen) return;
    if (this.own !== null) this.own.places = this.player.pages[0].graph.places.length === this.own.nodes.length ? this.player.pages[0].graph.places : this.own.places;
    this.write();
    this.showValues();
  }

  /** The graph as CSV, unless someone is writing there. */
  write() {
    const { graph } = this;
    for (const [id, text] of [["own-edges", graph.edgesCsv], ["own-nodes", graph.nodesCsv]]) {
      const area = /** @type {HTMLTextAreaElement} */ (byId(id));
      if (document.activeElement !== area) area.value = text;
    }
  }

  /** Boxes for what is given at the chosen element, and for its name. */
  showValues() {
    const { selected } = this.player;
    const { graph } = this;
    if (selected === null || selected.element >= (selected.at === "node" ? graph.nodes : graph.edges).length) {
      byId("own-values").replaceChildren();
      return;
    }
    const { at, element } = selected;
    const boxes = Object.keys(graph.columns[at]).map((name) =>
      this.box(name, graph.columns[at][name][element], (own, text) => (own.columns[at][name][element] = text)),
    );
    if (at === "node") boxes.unshift(this.box("name", graph.nodes[element], (own, text) => this.rename(own, element, text)));
    const remove = make("button", { type: "button" }, `Remove this ${at}`);
    remove.addEventListener("click", () => this.remove(at, element));
    byId("own-values").replaceChildren(make("div", { class: "change" }, ...boxes.flat(), remove));
  }

  /** @param {OwnGraph} own @param {number} node @param {string} name */
  rename(own, node, name) {
    if (name === "" || own.nodes.includes(name)) throw new Refused(name === "" ? "A node has a name: write one." : `Another node is called ${name}: write another name.`);
    own.nodes[node] = name;
  }

  /** @param {string} name @param {string} value @param {(own: OwnGraph, text: string) => void} set */
  box(name, value, set) {
    const id = `own-value-${name}`;
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "text", id, value, size: "8" }));
    box.addEventListener("change", () => {
      const own = this.copy();
      try {
        set(own, box.value.trim());
      } catch (problem) {
        if (!(problem instanceof Refused)) throw problem;
        this.say(problem.message, true);
        return;
      }
      this.change(own);
    });
    return [make("label", { for: id }, spaced(name)), box];
  }
}
