// @ts-check
"use strict";

/* A graph as SVG: elements in the color of their class, pointers as arrows, numbers beside the nodes. */

const SVG = "http://www.w3.org/2000/svg";
const LEAST_UNIT = 34; // pixels of an edge: below, labels would lie on each other, and the drawing is scrolled
const LETTER = 6; // pixels
const SMALL = 1000; // nodes: of more, each is a dot without its name
const DOT = 7; // pixels of an edge then
const LOWEST = 200; // pixels of a drawing, so that one node does not stand in a slit
const MOST_UNIT = 120;
const STRETCH = 1.5; // how much more one side of a drawing may be stretched than the other
const LONGEST = 12; // letters of a name; a longer one is cut in the drawing, and whole in the table
const DENSE = 90; // edges: of more, only the weights of those at the chosen element are drawn

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} text */
function svg(tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== "") element.textContent = text;
  return element;
}

/** A name, cut where it is long. @param {string} name */
function cut(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
}

/** Colors an element as of a class: by a named color, or by a hue of its own where these do not suffice.
 *  @param {Element} element @param {number} number @param {number} count how many classes there are */
function paint(element, number, count) {
  const isNamed = count <= PALETTE + 1 || number === 0;
  const name = isNamed ? String(number) : "made";
  if (element.getAttribute("data-class") !== name) element.setAttribute("data-class", name); // what is new is drawn anew
  const style = /** @type {SVGElement | HTMLElement} */ (element).style;
  if (isNamed) style.removeProperty("--made");
  else style.setProperty("--made", `hsl(${Math.round((number - 1) * 137.5) % 360} 65% ${number % 2 ? 68 : 78}%)`);
}

/** What is drawn beside elements, besides their classes: read once from what is declared. @param {any} page */
function signsOf(page) {
  const { algorithm } = page;
  const { layout } = algorithm;
  const inputs = Object.entries(algorithm.inputs);
  const shown = [...new Set([...Object.keys(algorithm.outputs), ...algorithm.state])];
  const kind = (/** @type {string} */ name) => fieldOf(page, name);
  return {
    rings: inputs
      .filter(([, field]) => field.at === "graph" && field.kind === "pointer" && field.to === "node")
      .map(([name]) => name),
    above: inputs
      .filter(([name, field]) => field.at === "node" && field.kind === "number" && name !== layout.x && name !== layout.y)
      .map(([name]) => name),
    dashed: inputs.filter(([, field]) => field.at === "node" && field.kind === "mask").map(([name]) => name),
    weights: inputs.filter(([, field]) => field.at === "edge" && field.kind === "number").map(([name]) => name),
    below: shown.filter((name) => kind(name).kind === "number" && kind(name).at === "node"),
    // of several pointers, the last: it is what the others lead to
    pointer: shown
      .filter((name) => kind(name).kind === "pointer" && isArrow(page, name) && kind(name).at === "node")
      .at(-1),
  };
}

/** The drawing of one run; how its elements are placed is said by those that extend it. */
class Drawing {
  /** @param {any} page @param {Side} side @param {Words} words @param {{node: Classes | null, edge: Classes | null}} classes */
  constructor(page, side, words, classes) {
    this.page = page;
    this.side = side;
    this.words = words;
    this.classes = classes;
    this.signs = signsOf(page);
    this.root = svg("svg");
  }

  /** @param {string} at @param {Element[]} groups @param {number} moment @param {{at: string, element: number} | null} selected
   *  @param {Classes | null} classes @param {boolean} isDifferent */
  paintAll(at, groups, moment, selected, classes, isDifferent) {
    const now = classes?.of(this.side, moment);
    const changed = moment > 0 && moment <= this.side.steps ? changedAt(this.page, this.side, moment, at) : new Set();
    const wrong = isDifferent && this.side.difference?.at === at ? this.side.difference.element : null;
    groups.forEach((group, i) => {
      if (now !== undefined) paint(group, now[i], /** @type {Classes} */ (classes).labels.length);
      group.classList.toggle("changed", changed.has(i));
      group.classList.toggle("selected", selected?.at === at && selected.element === i);
      group.classList.toggle("differs", wrong === i);
    });
  }

  /** Scrolls the drawing sideways, where a point of it is not seen. @param {number} x */
  scrollTo(x) {
    const canvas = this.root.parentElement;
    if (canvas === null) return;
    const isSeen = x > canvas.scrollLeft + 20 && x < canvas.scrollLeft + canvas.clientWidth - 20;
    if (!isSeen) canvas.scrollLeft = x - canvas.clientWidth / 2;
  }
}

/** Nodes as circles, with edges between them. */
class GraphDrawing extends Drawing {
  /**
   * @param {any} page @param {Side} side @param {Words} words @param {{node: Classes | null, edge: Classes | null}} classes
   * @param {(at: string, element: number) => void} select
   */
  constructor(page, side, words, classes, select) {
    super(page, side, words, classes);
    this.layout = page.algorithm.layout;
    this.moment = 0;
    this.size = { width: 0, height: 0, zoom: 1 };
    this.isDense = page.graph.edges.length > DENSE;
    this.radius = 0;
    /** @type {number[][]} */
    this.places = [];
    this.isSmall = page.graph.nodes.length > SMALL;
    const looks = [...(this.isDense ? ["dense"] : []), ...(this.isSmall ? ["small"] : [])];
    this.root = svg("svg", { "aria-hidden": "true", focusable: "false", class: looks.join(" ") });
    const layers = ["edges", "pointers", "weights", "nodes"].map((name) => svg("g", { class: name }));
    this.root.append(...layers);
    const [edges, pointers, weights, nodes] = layers;
    this.pointerLayer = pointers;
    const names = page.graph.nodes.map((/** @type {string} */ name) => cut(shownName(name)));
    const longest = Math.max(...names.map((/** @type {string} */ name) => [...name].length));
    const isInside = longest <= 3;
    this.isInside = isInside;
    this.leastUnit = this.isSmall ? DOT : isInside ? LEAST_UNIT : Math.max(LEAST_UNIT, LETTER * longest);
    this.edges = page.graph.edges.map((/** @type {number[]} */ _, /** @type {number} */ edge) => {
      const group = svg("g", { class: "edge" });
      const parts = {
        group,
        touch: svg("path", { class: "touch" }),
        line: svg("path", { class: "line" }),
        head: svg("path", { class: "head" }),
      };
      group.append(...(this.isSmall ? [] : [parts.touch]), parts.line, ...(page.graph.directed ? [parts.head] : []));
      group.addEventListener("click", () => select("edge", edge));
      edges.append(group);
      const texts = this.signs.weights.map((name) => side.given[name][edge]);
      const text = svg("text", { class: "weight" }, texts.map(cut).join(" / "));
      if (texts.length && !this.isSmall) weights.append(text);
      return { ...parts, text };
    });
    this.nodes = page.graph.nodes.map((/** @type {string} */ name, /** @type {number} */ node) => {
      const group = svg("g", { class: "node" });
      const ring = svg("circle", { class: "ring" });
      const circle = svg("circle", { class: "body" });
      const label = svg("text", { class: isInside ? "name inside" : "name" }, names[node]);
      const number = svg("text", { class: isInside ? "number" : "number inside" });
      const above = this.signs.above.map((input) => side.given[input][node]).join("–");
      const input = svg("text", { class: "input" }, above);
      const title = svg("title", {}, shownName(name));
      if (this.signs.rings.some((input) => Number(side.inputs[input][0]) === node)) group.classList.add("ringed");
      if (this.signs.dashed.some((input) => Number(side.inputs[input][node]) === 1)) group.classList.add("dashed");
      group.append(title, ring, circle, ...(this.isSmall ? [] : [label, number, input]));
      group.addEventListener("click", () => select("node", node));
      nodes.append(group);
      return { group, ring, circle, label, number, input };
    });
  }

  /** Lays the drawing out for a width. @param {number} width @param {number} height the most it should take @param {number} zoom */
  fit(width, height, zoom) {
    this.size = { width, height, zoom };
    const isPlane = this.layout.form === "plane";
    /** @type {number[][]} */
    let places = isPlane ? planePlaces(this.layout, new LayoutMoment(this.page, this.side, this.moment)) : this.page.graph.places;
    const far = (/** @type {number} */ axis) => Math.max(...places.map((place) => place[axis]), 0);
    if (width < 560 && far(0) > far(1) && this.page.graph.form !== "a tree" && !isPlane) places = places.map(([x, y]) => [y, x]);
    const [wide, high] = [far(0), far(1)];
    const edge = { x: this.isInside ? 24 : 44, top: this.signs.above.length ? 40 : 30, bottom: 40 };
    const [roomX, roomY] = [width - 2 * edge.x, height - edge.top - edge.bottom];
    const fits = Math.min(wide ? roomX / wide : MOST_UNIT, high ? roomY / high : MOST_UNIT);
    const unit = Math.min(MOST_UNIT, Math.max(this.leastUnit, fits)) * zoom;
    const stretch = isPlane ? 1 : STRETCH; // a plane is as wide as it is
    const unitX = wide ? Math.max(unit, Math.min(roomX / wide, unit * stretch, MOST_UNIT * zoom)) : unit;
    const unitY = high ? Math.max(unit, Math.min(roomY / high, unit * stretch, MOST_UNIT * zoom)) : unit;
    const needed = high * unitY + edge.top + edge.bottom;
    const total = { x: Math.max(width, wide * unitX + 2 * edge.x), y: Math.max(LOWEST, needed) };
    const [left, top] = [(total.x - wide * unitX) / 2, edge.top + (total.y - needed) / 2];
    this.places = places.map(([x, y]) => [left + x * unitX, top + y * unitY]);
    this.radius = Math.min(this.isInside ? 17 : 14, Math.max(this.isSmall ? 2.5 : 10, unit * 0.26));
    for (const [name, value] of Object.entries({ width: total.x, height: total.y, viewBox: `0 0 ${total.x} ${total.y}` })) {
      this.root.setAttribute(name, String(value));
    }
    this.placeNodes();
    this.placeEdges();
  }

  /** What signs stand for. @returns {[string, string[]][]} */
  told() {
    const { signs } = this;
    return [
      ["◎ ring", signs.rings],
      ["dashed", signs.dashed],
      .../** @type {[string, string[]][]} */ (
        this.isSmall
          ? [["names and numbers", ["choose a node"]]]
          : [
              ["number above", signs.above],
              [this.isDense ? "number at edges (of the chosen node)" : "number at edges", signs.weights],
              [this.isInside ? "number below" : "number inside", signs.below],
            ]
      ),
      ["→ arrow", signs.pointer === undefined ? [] : [signs.pointer]],
      ["to the right, up", this.layout.form === "plane" ? [this.layout.x, this.layout.y] : []],
      ["line", (this.layout.segments ?? []).map((/** @type {string[]} */ ends) => ends.join(" – "))],
    ];
  }

  /** Scrolls the drawing to what is chosen; before that, to a source, where there is one. @param {{at: string, element: number} | null} selected */
  reveal(selected) {
    const ring = this.signs.rings[0];
    const source = ring === undefined ? 0 : Number(this.side.inputs[ring][0]);
    const node = selected === null ? source : selected.at === "node" ? selected.element : this.page.graph.edges[selected.element][0];
    if (this.places[node] !== undefined) this.scrollTo(this.places[node][0]);
  }

  placeNodes() {
    const r = this.radius;
    this.nodes.forEach((/** @type {any} */ each, /** @type {number} */ node) => {
      const [x, y] = this.places[node];
      each.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      each.circle.setAttribute("r", r);
      each.ring.setAttribute("r", r + 4);
      each.label.setAttribute("y", this.isInside ? 0 : r + 11);
      each.number.setAttribute("y", this.isInside ? r + 11 : 0);
      each.input.setAttribute("y", -r - 10);
    });
  }

  placeEdges() {
    const back = new Set(this.page.graph.edges.map((/** @type {number[]} */ [u, v]) => `${v} ${u}`));
    this.edges.forEach((/** @type {any} */ each, /** @type {number} */ edge) => {
      const [u, v] = this.page.graph.edges[edge];
      // two directed edges between the same ends lie beside each other
      const bend = this.page.graph.directed && back.has(`${u} ${v}`) ? 14 : 0;
      const way = this.way(u, v, bend, this.page.graph.directed ? this.radius + 2 : 0);
      each.line.setAttribute("d", way.path);
      each.touch.setAttribute("d", way.path);
      each.head.setAttribute("d", way.head);
      each.text.setAttribute("x", way.middle[0].toFixed(1));
      each.text.setAttribute("y", way.middle[1].toFixed(1));
    });
  }

  /** A line from one node to another, its arrowhead, and its middle. @param {number} u @param {number} v @param {number} bend
   *  @param {number} short by how much it ends before the middle of a node */
  way(u, v, bend, short) {
    const [[x1, y1], [x2, y2]] = [this.places[u], this.places[v]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [nx, ny] = [-(y2 - y1) / length, (x2 - x1) / length];
    const control = [(x1 + x2) / 2 + nx * bend * 2, (y1 + y2) / 2 + ny * bend * 2];
    const toward = Math.hypot(x2 - control[0], y2 - control[1]) || 1;
    const [dx, dy] = [(x2 - control[0]) / toward, (y2 - control[1]) / toward];
    const [ex, ey] = [x2 - dx * short, y2 - dy * short];
    const corner = (/** @type {number} */ side) =>
      `${(ex - dx * 9 - side * dy * 4.5).toFixed(1)} ${(ey - dy * 9 + side * dx * 4.5).toFixed(1)}`;
    const inner = short ? [ex - dx * 6, ey - dy * 6] : [ex, ey];
    const near = [x1, y1];
    return {
      path: `M${near.map((each) => each.toFixed(1)).join(" ")}Q${control.map((each) => each.toFixed(1)).join(" ")} ${inner.map((each) => each.toFixed(1)).join(" ")}`,
      head: `M${ex.toFixed(1)} ${ey.toFixed(1)}L${corner(1)}L${corner(-1)}Z`,
      middle: [(x1 + x2) / 2 + nx * bend, (y1 + y2) / 2 + ny * bend],
    };
  }

  /** Shows a moment. @param {number} moment @param {{at: string, element: number} | null} selected @param {boolean} isDifferent */
  show(moment, selected, isDifferent) {
    const { page, side, classes, signs, layout } = this;
    this.moment = moment;
    const isMoving = layout.form === "plane" && [layout.x, layout.y].some((name) => !Object.hasOwn(side.inputs, name));
    if (isMoving) this.fit(this.size.width, this.size.height, this.size.zoom);
    this.paintAll(
      "node",
      this.nodes.map((/** @type {any} */ each) => each.group),
      moment,
      selected,
      classes.node,
      isDifferent,
    );
    this.paintAll(
      "edge",
      this.edges.map((/** @type {any} */ each) => each.group),
      moment,
      selected,
      classes.edge,
      isDifferent,
    );
    const numbers = signs.below.map((name) => this.numbers(name, moment));
    this.nodes.forEach((/** @type {any} */ each, /** @type {number} */ node) => {
      const text = numbers
        .map((values) => values[node])
        .filter((told) => told !== "")
        .map(cut)
        .join(" / ");
      if (each.number.textContent !== text) each.number.textContent = text;
    });
    this.edges.forEach((/** @type {any} */ each, /** @type {number} */ edge) => {
      const isNear =
        selected !== null &&
        (selected.at === "edge" ? selected.element === edge : page.graph.edges[edge].includes(selected.element));
      each.group.classList.toggle("near", isNear);
      each.text.classList.toggle("faded", this.isDense && !isNear && !each.group.classList.contains("changed"));
    });
    this.drawPointers(signs.pointer === undefined ? null : side.at(signs.pointer, moment));
    if (layout.form !== "plane") return;
    for (const [one, other] of planeSegments(layout, new LayoutMoment(page, side, moment))) {
      this.pointerLayer.append(svg("path", { class: "line", d: this.way(one, other, 0, 0).path }));
    }
  }

  /** A number at each node as text; nothing where it says nothing yet. @param {string} name @param {number} moment @returns {string[]} */
  numbers(name, moment) {
    const values = this.side.at(name, moment);
    const where = this.page.algorithm.only_where[name];
    const there = where === undefined ? null : this.side.at(where, moment);
    return this.nodes.map((/** @type {any} */ _, /** @type {number} */ node) =>
      values === null || (there !== null && Number(there[node]) === 0)
        ? ""
        : this.words.value(name, fieldOf(this.page, name), values[node], node),
    );
  }

  /** @param {Value[] | null} pointers */
  drawPointers(pointers) {
    this.pointerLayer.replaceChildren();
    (pointers ?? []).forEach((to, node) => {
      if (Number(to) === node || this.places[Number(to)] === undefined) return; // itself, or outside of the part that is drawn
      const way = this.way(node, Number(to), 0, this.radius + 2);
      this.pointerLayer.append(svg("path", { class: "line", d: way.path }), svg("path", { class: "head", d: way.head }));
    });
  }
}

/** The elements at a location of which a state field or an output is new in a step. @param {any} page @param {Side} side
 *  @param {number} moment @param {string} at @returns {Set<number>} */
function changedAt(page, side, moment, at) {
  const { algorithm } = page;
  const found = new Set();
  for (const name of new Set([...Object.keys(algorithm.outputs), ...algorithm.state])) {
    if (fieldOf(page, name).at !== at) continue;
    const [before, now] = [side.at(name, moment - 1), side.at(name, moment)];
    if (now === null || before === now) continue;
    now.forEach((value, i) => {
      if (before === null ? Number(value) !== 0 : value != before[i]) found.add(i); // eslint-disable-line eqeqeq -- 1n == 1
    });
  }
  return found;
}
