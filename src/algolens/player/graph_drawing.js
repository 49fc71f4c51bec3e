/* A graph as SVG: nodes in the color and form of their class, with edges between them; trees of parents along the
 * edges. */

const LEAST_UNIT = 9; // pixels of an edge: what finds no room then is seen by zooming
const MOST_UNIT = 165;
const LOWEST = 170; // pixels of a drawing, so that one node does not stand in a slit
const STRETCH = 1.5; // how much more one side of a drawing may be stretched than the other
const TEXT_HEIGHT = 14;
const MOST_ROUTED = 4000; // edges
const MOST_FORCED = 12; // of what is new in a step, so many are named even where others have to give way
const MOST_HALOS = 500;
const HEAD = 11; // pixels of an arrow's head, and of a small one
const SMALL_HEAD = 6;
let numDrawings = 0;

class GraphDrawing extends Drawing {
  /** @param {Task} task @param {Side} side @param {Hand} hand */
  constructor(task, side, hand) {
    super(task, side, hand);
    const { graph } = this.page;
    this.radius = 0;
    /** @type {number[][]} */
    this.places = [];
    this.headId = `head${numDrawings++}`;
    this.root.append(headsCalled(this.headId));
    const layer = (/** @type {string} */ name) => this.root.appendChild(svg("g", { class: name }));
    this.haloLayer = layer("halos");
    this.edgeLayer = layer("edges");
    this.pointerLayer = layer("pointers");
    this.nodeLayer = layer("nodes");
    this.labelLayer = layer("labels");
    this.names = graph.nodes.map((name) => cut(shownName(name)));
    this.isInside = Math.max(...this.names.map((name) => [...name].length)) <= 3;
    this.edges = graph.edges.map(() => svg("path", { class: "edge" }));
    this.edgeLayer.append(...(readsEdges(this.page) ? this.edges : [])); // others would only be in the way
    this.nodes = graph.nodes.map((name, node) => {
      const group = svg("g", { class: "node" });
      const body = svg("path", { class: "body" });
      group.append(svg("title", {}, shownName(name)), body);
      if (this.signs.dashed.some((input) => Number(side.inputs[input][node]) === 1)) group.classList.add("dashed");
      if (this.signs.rings.some((input) => Number(side.inputs[input][0]) === node)) group.classList.add("ringed");
      this.nodeLayer.append(group);
      return { group, body };
    });
    this.tags = new Tags(this);
    const both = new Set(graph.edges.map(([u, v]) => `${v} ${u}`));
    /** @type {Map<string, number>} the edge between two nodes, by both */
    this.edgeBetween = new Map();
    /** @type {number[]} two directed edges between the same ends lie beside each other */
    this.leastBends = graph.edges.map(([u, v], edge) => {
      this.edgeBetween.set(`${u} ${v}`, edge);
      if (!graph.directed) this.edgeBetween.set(`${v} ${u}`, edge);
      return graph.directed && both.has(`${u} ${v}`) ? 14 : 0;
    });
    this.bends = this.leastBends;
    new Handling(this);
  }

  /** Where nodes stand in units of an edge. @returns {number[][]} */
  get unplaced() {
    return this.layout.form === "plane" ? planePlaces(this.layout, this.now) : this.page.graph.places;
  }

  /** @param {number} width @param {number} height the most it should take @param {number} zoom */
  fit(width, height, zoom) {
    this.size = { width, height, zoom };
    const isPlane = this.layout.form === "plane";
    let places = this.unplaced;
    // a graph that is being drawn keeps the room that it has
    let room = this.page.graph.room ?? [0, 0];
    const far = (/** @type {number} */ axis) => Math.max(...places.map((place) => place[axis]), room[axis]);
    this.isTurned = width < 560 && far(0) > far(1) && !["a tree", "layers"].includes(this.page.graph.form) && !isPlane;
    if (this.isTurned) [places, room] = [places.map(([x, y]) => [y, x]), [room[1], room[0]]];
    const [wide, high] = [far(0), far(1)];
    const edge = { x: this.isInside ? 24 : 44, top: this.signs.above.length ? 40 : 32, bottom: 36 };
    const [roomX, roomY] = [width - 2 * edge.x, height - edge.top - edge.bottom];
    const fits = Math.min(wide ? roomX / wide : MOST_UNIT, high ? roomY / high : MOST_UNIT);
    const unit = Math.min(MOST_UNIT, Math.max(LEAST_UNIT, fits)) * zoom;
    const stretch = isPlane ? 1 : STRETCH; // a plane is as wide as it is
    const unitX = wide ? Math.max(unit, Math.min(roomX / wide, unit * stretch, MOST_UNIT * zoom)) : unit;
    const unitY = high ? Math.max(unit, Math.min(roomY / high, unit * stretch, MOST_UNIT * zoom)) : unit;
    const needed = high * unitY + edge.top + edge.bottom;
    this.total = { x: Math.max(width, wide * unitX + 2 * edge.x), y: Math.max(LOWEST, needed) };
    const [left, top] = [(this.total.x - wide * unitX) / 2, edge.top + (this.total.y - needed) / 2];
    this.scale = { x: unitX, y: unitY, left, top };
    this.radius = Math.min(this.isInside ? 17 : 15, Math.max(2.5, unit * 0.27));
    this.root.classList.toggle("small", this.radius < 7);
    this.sizeTo(this.total);
    this.place(places);
  }

  /** Where a point of the drawing lies in units of an edge. @param {number} x @param {number} y */
  inUnits(x, y) {
    const { scale } = this;
    const found = [(x - (scale?.left ?? 0)) / (scale?.x ?? 1), (y - (scale?.top ?? 0)) / (scale?.y ?? 1)];
    return this.isTurned ? found.reverse() : found;
  }

  /** Places all once more at the same scale, as after a node was moved. */
  placeAgain() {
    this.place(this.isTurned ? this.unplaced.map(([x, y]) => [y, x]) : this.unplaced);
    this.hand.moved();
  }

  /** @param {number[][]} places in units of an edge, as they are turned */
  place(places) {
    const scale = /** @type {{x: number, y: number, left: number, top: number}} */ (this.scale);
    this.places = places.map(([x, y]) => [scale.left + x * scale.x, scale.top + y * scale.y]);
    this.drawn = { node: [], edge: [] };
    /** @type {string[]} */
    this.ways = [];
    const { edges } = this.page.graph;
    // of points that stand for nodes nothing is hidden, and thousands of edges would take long
    const isRouted = this.radius >= 4 && edges.length <= MOST_ROUTED && readsEdges(this.page);
    this.bends = isRouted ? bendsAround(this.places, edges, this.leastBends, this.radius) : this.leastBends;
    this.nodes.forEach(({ group }, node) => {
      const [x, y] = this.places[node];
      group.setAttribute("transform", `translate(${pointAt(x, y)})`);
    });
    this.tags.place();
  }

  /** What signs stand for. @returns {Sign[]} */
  told() {
    const { signs, tags } = this;
    const segment = (/** @type {string[]} */ ends) => ends.map((name) => calledIn(this.page, name)).join(" – ");
    return [
      ["◎ ring", ...signs.rings],
      ["dashed border", ...signs.dashed],
      ["beside nodes, in grey", ...(tags.shows("input") ? signs.above : [])],
      ["at edges", ...(tags.shows("weight") ? signs.weights : [])],
      [this.isInside ? "beside nodes" : "in nodes", ...(tags.shows("number") ? signs.below : [])],
      [this.isTree ? "bold arrow: from" : "→ arrow", this.hasPointers ? signs.pointer : null],
      ["to the right, up", this.layout.x, this.layout.y],
      ["line", ...(this.layout.segments ?? []).map(segment)],
    ];
  }

  /** Scrolls the drawing to what is chosen; before that, to a source, where there is one. @param {Chosen} selected */
  reveal(selected) {
    const ring = this.signs.rings[0];
    const source = ring === undefined ? 0 : Number(this.side.inputs[ring][0]);
    const { at, element } = selected ?? { at: "node", element: source };
    const [x, y] = this.places[at === "node" ? element : this.page.graph.edges[element][0]] ?? [];
    if (x !== undefined) this.scrollTo(x, y);
  }

  /** Draws an edge: its line, and the head of an arrow. @param {Element} element @param {number} u @param {number} v
   *  @param {number} bend @param {boolean} hasHead */
  draw(element, u, v, bend, hasHead) {
    const [[x1, y1], [x2, y2]] = [this.places[u], this.places[v]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [nx, ny] = [-(y2 - y1) / length, (x2 - x1) / length];
    const control = [(x1 + x2) / 2 + nx * bend * 2, (y1 + y2) / 2 + ny * bend * 2];
    const toward = Math.hypot(x2 - control[0], y2 - control[1]) || 1;
    const [dx, dy] = [(x2 - control[0]) / toward, (y2 - control[1]) / toward];
    const isSmall = this.radius < 7;
    const short = hasHead ? 1.25 * this.radius + 2 + 0.7 * (isSmall ? SMALL_HEAD : HEAD) : 0;
    const end = pointAt(x2 - dx * short, y2 - dy * short);
    element.setAttribute("d", `M${pointAt(x1, y1)}${bend === 0 ? "L" : `Q${pointAt(control[0], control[1])} `}${end}`);
    if (hasHead) element.setAttribute("marker-end", `url(#${this.headId}${isSmall ? "small" : ""})`);
    else element.removeAttribute("marker-end");
  }

  /** Draws a line that is no edge. @param {number} u @param {number} v @param {number} bend @param {boolean} hasHead */
  line(u, v, bend, hasHead) {
    const element = svg("path", { class: "line" });
    this.draw(element, u, v, bend, hasHead);
    this.pointerLayer.append(element);
  }

  /** Shows a moment. @param {number} moment @param {Chosen} selected @param {boolean} isDifferent @param {Lit} lit */
  show(moment, selected, isDifferent, lit) {
    this.moment = moment;
    const { layout, side } = this;
    const isMoving = layout.form === "plane" && [layout.x, layout.y].some((name) => !Object.hasOwn(side.inputs, name));
    if (isMoving) this.fitAgain();
    const count = { node: this.classes.node?.labels.length ?? 1, edge: this.classes.edge?.labels.length ?? 1 };
    const nodes = this.looksOf("node", selected, isDifferent, lit.node);
    nodes.forEach(({ number, marks, isNew }, node) => {
      if (!isNew) return;
      const { group, body } = this.nodes[node];
      const kept = ["ringed", "dashed"].filter((name) => group.classList.contains(name));
      group.setAttribute("class", ["node", ...kept, ...marks].join(" "));
      if (this.classes.node !== null) paint(group, number, count.node);
      body.setAttribute("d", outlineOf(number, this.radius));
      this.ring(group, kept.includes("ringed") || marks.includes("selected") || marks.includes("differs"));
    });
    const edges = this.looksOf("edge", selected, isDifferent, lit.edge);
    const tree = this.treeEdges();
    edges.forEach(({ number, marks, isNew }, edge) => {
      const [u, v] = this.page.graph.edges[edge];
      const toward = tree.get(edge);
      const way = `${toward ?? ""}`;
      const element = this.edges[edge];
      if (isNew || this.ways[edge] !== way) {
        element.setAttribute("class", ["edge", ...(toward === undefined ? [] : ["tree"]), ...marks].join(" "));
        if (this.classes.edge !== null) paint(element, number, count.edge);
        element.setAttribute("stroke-dasharray", dashOf(number));
      }
      if (this.ways[edge] === way) return;
      this.ways[edge] = way;
      const { directed } = this.page.graph;
      const bend = this.bends[edge];
      const hasHead = directed || toward !== undefined;
      if (toward === u && !directed) this.draw(element, v, u, -bend, hasHead);
      else this.draw(element, u, v, bend, hasHead);
    });
    // what a step decides stands out by a color that no class has: nodes by their border, edges by what lies under them
    const newsOf = (/** @type {{marks: string[]}[]} */ looks) =>
      [...looks.keys()].filter((i) => looks[i].marks.includes("changed"));
    const news = { node: newsOf(nodes), edge: newsOf(edges) };
    const decided = readsEdges(this.page) ? news.edge.slice(0, MOST_HALOS).map((edge) => this.edges[edge]) : [];
    const halos = decided.map((edge) => svg("path", { class: "halo", d: edge.getAttribute("d") ?? "" }));
    this.haloLayer.replaceChildren(...halos);
    this.tags.show(selected, news);
    if (layout.form !== "plane") return;
    const { now } = this;
    for (const [one, other] of planeSegments(layout, now)) this.line(one, other, 0, false);
    if (moment < side.steps || !Object.hasOwn(this.page.algorithm.outputs, "in_hull")) return;
    const corners = now.at("in_hull").flatMap((value, i) => (value === 1 ? [i] : []));
    const hull = aroundMiddle(corners, now.at(layout.x), now.at(layout.y));
    this.pointerLayer.replaceChildren(); // the whole hull, closed
    hull.forEach((corner, i) => this.line(corner, hull[(i + 1) % hull.length], 0, false));
  }

  /** A second line around a node: of a source, of what is chosen. @param {Element} group @param {boolean} isThere */
  ring(group, isThere) {
    const known = group.querySelector(".ring");
    if (!isThere) known?.remove();
    else if (known === null) group.append(svg("circle", { class: "ring", r: 1.25 * this.radius + 4 }));
    else known.setAttribute("r", (1.25 * this.radius + 4).toFixed(1));
  }

  /** Pointers as a tree: for each edge along which one goes, the node at which the arrow ends, away from the parent.
   *  Others become arrows. */
  treeEdges() {
    const { pointer } = this.signs;
    const pointers = pointer === undefined ? null : this.side.at(pointer, this.moment);
    const found = new Map();
    const isDrawn = readsEdges(this.page);
    const bend = this.layout.form === "plane" ? 0 : 12; // sides of a shape are straight
    this.pointerLayer.replaceChildren();
    (pointers ?? []).forEach((to, node) => {
      const target = Number(to);
      if (target === node || this.places[target] === undefined) return; // itself, or outside of the part that is drawn
      const edge = isDrawn ? this.edgeBetween.get(`${target} ${node}`) : undefined;
      if (edge !== undefined) found.set(edge, node);
      else this.line(node, target, bend, true);
    });
    this.isTree = found.size > 0;
    this.hasPointers = found.size + this.pointerLayer.childElementCount > 0;
    return found;
  }
}

/** The heads of arrows, in the color of their lines. @param {string} id */
function headsCalled(id) {
  const heads = svg("defs");
  for (const [name, size] of /** @type {[string, number][]} */ ([[id, HEAD], [`${id}small`, SMALL_HEAD]])) {
    const box = { markerUnits: "userSpaceOnUse", markerWidth: size, markerHeight: size };
    const head = svg("marker", { id: name, orient: "auto", ...box, refX: 0.3 * size, refY: size / 2 });
    head.append(svg("path", { d: `M0 0L${size} ${size / 2}L0 ${size}Z`, fill: "context-stroke", stroke: "none" }));
    heads.append(head);
  }
  return heads;
}
