/* The graph, changed in the page: nodes and edges drawn and removed, values edited, CSV pasted. The program then runs
 * on it. */

const ROOM = [7, 4]; // of a drawing that begins with nothing, in units of an edge
const HINTS = {
  choose: "",
  node: "Click where a node is to be.",
  edge: "Click two nodes, one after the other.",
  remove: "Click what is to go.",
};

class Editor {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.first = player.pages;
    /** @type {keyof typeof HINTS} */
    this.tool = "choose";
    /** @type {number | null} the node at which an edge begins that is drawn */
    this.begun = null;
    /** @type {OwnGraph | null} the graph as it was changed, be it refused or not; null: as it came */
    this.own = null;
    const why = fixedBecause(player.pages);
    const what = givenTo(player.pages[0]);
    this.hasEdges = what === "graph";
    this.isOffered = why === null;
    byId("own").hidden = !this.isOffered;
    byId("fixed").hidden = this.isOffered;
    const how = this.hasEdges ? "Change the file, and run the command again." : "Run the command on another input.";
    byId("fixed").textContent = `${why} ${how}`;
    if (!this.isOffered) return;
    this.listen();
    if (this.hasEdges) return;
    const files = { copy: "Copy as CSV", save: "Save as CSV" };
    const said = { title: `Change the ${what}`, back: `Back to the first ${what}`, ...files };
    for (const [id, text] of Object.entries(said)) byId(`own-${id}`).textContent = text;
    const ofGraphs = '#own-empty, .tool[data-tool="node"], .tool[data-tool="edge"], label:has(#own-edges)';
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(ofGraphs))) each.hidden = true;
  }

  get isOpen() {
    return /** @type {HTMLDetailsElement} */ (byId("editing")).open;
  }

  listen() {
    const csv = () => (this.hasEdges ? this.graph.edgesCsv : this.graph.nodesCsv);
    onClick("own-run", () => this.runCsv(this.hasEdges ? inputOf("own-edges").value : "", inputOf("own-nodes").value));
    onClick("own-copy", () => this.player.share.copy(csv(), "The CSV is on the clipboard.", "own-said"));
    onClick("own-save", () => download(new Blob([`${csv()}\n`], { type: "text/csv" }), "graph.csv"));
    onClick("own-empty", () => this.beginAnew());
    onClick("own-back", () => {
      this.own = null;
      this.say("");
      this.player.replace(this.first);
    });
    byId("editing").addEventListener("toggle", () => this.show());
    for (const button of document.querySelectorAll(".tool"))
      button.addEventListener("click", () => this.choose(/** @type {any} */ (button).dataset.tool));
    document.addEventListener("keydown", (event) => {
      const { selected } = this.player;
      if (event.key === "Delete" && this.isOpen && !isTyping(event) && selected !== null)
        this.remove(selected.at, selected.element);
    });
  }

  /** @param {keyof typeof HINTS} tool */
  choose(tool) {
    this.tool = tool;
    this.begun = null;
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".tool")))
      each.setAttribute("aria-pressed", String(each.dataset.tool === tool));
    this.say(HINTS[tool]);
    if (tool !== "choose") byId("drawings").scrollIntoView({ block: "nearest" }); // on a phone, it is far above
  }

  /** The graph that is changed next. */
  get graph() {
    return this.own ?? OwnGraph.ofPages(this.player.pages);
  }

  /** One node, with room around it. */
  beginAnew() {
    const { columns, directed } = this.graph;
    for (const name of Object.keys(columns.edge)) columns.edge[name] = [];
    for (const name of Object.keys(columns.node)) columns.node[name] = ["0"];
    this.player.selected = null;
    this.change(new OwnGraph(["A"], [], directed, columns, [ROOM.map((far) => far / 2)], ROOM));
    this.choose("node");
  }

  /** @param {string} words @param {boolean} isWrong */
  say(words, isWrong = false) {
    byId("own-said").textContent = words;
    byId("own-said").classList.toggle("wrong", isWrong);
    // where a phone shows it beside the drawing
    if (words !== "") byId("strip").replaceChildren(make("span", isWrong ? { class: "wrong" } : {}, words));
  }

  /** Does something, or says why not. @param {() => void} act @returns {boolean} whether it was done */
  tried(act) {
    try {
      act();
      return true;
    } catch (problem) {
      if (!(problem instanceof Refused || problem instanceof RangeError)) throw problem;
      this.say(problem instanceof Refused ? problem.message : `This cannot be run: ${problem.message}.`, true);
      return false;
    }
  }

  /** Runs a graph; one that is refused is kept to be mended. @param {OwnGraph} own @param {string} said */
  change(own, said = "") {
    this.own = own;
    const isRun = this.tried(() => {
      this.player.replace(this.player.pages.map((page) => pageOn(page, own, this.chosenOf(page))));
      this.say(said);
    });
    if (!isRun) this.write();
  }

  /** What is chosen for the whole graph, by the names of nodes. @param {Page} page */
  chosenOf({ algorithm, inputs, graph }) {
    const pointers = Object.keys(algorithm.inputs).filter((name) => algorithm.inputs[name].kind === "pointer");
    return Object.fromEntries(pointers.map((name) => [name, graph.nodes[Number(inputs[name][0])] ?? ""]));
  }

  /** @param {string} edges @param {string} nodes both as CSV @param {boolean} isListed whether nodes are in the order
   *  of their list */
  runCsv(edges, nodes, isListed = false) {
    this.tried(() => {
      const { graph } = this;
      const { source, target } = tableOf(edges, "Edges", ["source", "target"]).columns;
      const isKnown = [...source, ...target].some((name) => graph.nodes.includes(name));
      const isOther = source.length > 0 && nodes.trim() === graph.nodesCsv.trim() && !isKnown;
      const own = OwnGraph.read(edges, isOther ? "" : nodes, this.player.pages, graph, isListed);
      this.change(own, isOther ? "These are other nodes: those of before are left out." : "");
    });
  }

  /** Adds a node where the drawing was clicked. @param {number[]} place */
  addNode(place) {
    if (!this.isOpen || this.tool !== "node") return;
    const own = this.graph.copy();
    const name = nextName(own.nodes);
    own.nodes.push(name);
    own.places.push(place.map((far) => Math.max(0, far)));
    own.room = own.room.map((far, axis) => Math.max(far, place[axis]));
    for (const texts of Object.values(own.columns.node)) texts.push("0");
    this.change(own, `Node ${name} is added.`);
  }

  /** Takes a click on an element, where a tool is chosen. @param {string} at @param {number} element */
  take(at, element) {
    if (!this.isOpen || this.tool === "choose" || this.tool === "node") return false;
    if (this.tool === "remove") this.remove(at, element);
    else if (at === "node" && this.begun === null) {
      this.begun = element;
      this.say(`From ${this.graph.nodes[element]} to which node?`);
    } else if (at === "node") this.addEdge(/** @type {number} */ (this.begun), element);
    return true;
  }

  /** @param {number} from @param {number} to */
  addEdge(from, to) {
    const own = this.graph.copy();
    own.edges.push([from, to]);
    for (const texts of Object.values(own.columns.edge)) texts.push("1");
    own.arrange();
    this.begun = null;
    if (!this.tried(() => own.check())) return; // a line that cannot be is not kept
    const edge = own.edges.findIndex(([u, v]) => (u === from && v === to) || (!own.directed && u === to && v === from));
    this.player.selected = { at: "edge", element: edge };
    this.change(own, `The edge ${own.nodes[from]} - ${own.nodes[to]} is added.`);
  }

  /** @param {string} at @param {number} element */
  remove(at, element) {
    const own = this.graph.copy();
    const isKept = own.edges.map((ends, edge) => (at === "edge" ? edge !== element : !ends.includes(element)));
    own.edges = own.edges.filter((_, edge) => isKept[edge]);
    for (const [name, texts] of Object.entries(own.columns.edge))
      own.columns.edge[name] = texts.filter((_, edge) => isKept[edge]);
    if (at === "node") {
      own.edges = own.edges.map((ends) => ends.map((node) => (node > element ? node - 1 : node)));
      for (const values of [own.nodes, own.places, ...Object.values(own.columns.node)]) values.splice(element, 1);
    }
    this.player.selected = null;
    this.change(own);
  }

  show() {
    if (!this.isOffered || !this.isOpen) return;
    const { places } = this.player.pages[0].graph; // which may have been moved
    if (this.own !== null && places.length === this.own.nodes.length) this.own.places = places;
    this.write();
    this.showValues();
  }

  /** The graph as CSV, unless someone is writing there. */
  write() {
    for (const [id, text] of [["own-edges", this.graph.edgesCsv], ["own-nodes", this.graph.nodesCsv]]) {
      if (document.activeElement !== byId(id)) inputOf(id).value = text;
    }
  }

  /** Boxes for what is given at the chosen element, and for its name. */
  showValues() {
    const { player, graph } = this;
    const { at, element } = player.selected ?? { at: "node", element: Infinity };
    byId("own-values").replaceChildren();
    if (element >= (at === "node" ? graph.nodes : graph.edges).length) return;
    const boxes = Object.entries(graph.columns[at]).map(([name, texts]) =>
      this.box(name, texts[element], (own, text) => (own.columns[at][name][element] = text)),
    );
    if (at === "node") boxes.unshift(this.box("name", graph.nodes[element], (own, text) => rename(own, element, text)));
    const remove = buttonOf(`Remove this ${itemOf(player.pages[0], at)}`, () => this.remove(at, element));
    byId("own-values").append(make("div", { class: "change" }, ...boxes.flat(), remove));
  }

  /** @param {string} name @param {string} value @param {(own: OwnGraph, text: string) => void} set */
  box(name, value, set) {
    const id = `own-value-${name}`;
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "text", id, value, size: "8" }));
    box.addEventListener("change", () => {
      const own = this.graph.copy();
      if (this.tried(() => set(own, box.value.trim()))) this.change(own);
    });
    return [make("label", { for: id }, spaced(name)), box];
  }
}

/** A name that is free: A, B, ..., Z, then numbers. @param {string[]} names */
function nextName(names) {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));
  const numbers = Array.from({ length: names.length + 1 }, (_, i) => String(i));
  return /** @type {string} */ ([...letters, ...numbers].find((each) => !names.includes(each)));
}

/** @param {OwnGraph} own @param {number} node @param {string} name */
function rename(own, node, name) {
  if (name === "") throw new Refused("A node has a name: write one.");
  if (/[,"\n]/.test(name)) throw new Refused("A name here has no comma and no quotes: write it without.");
  if (own.nodes.includes(name)) throw new Refused(`Another node is called ${name}: write another name.`);
  own.nodes[node] = name;
}
