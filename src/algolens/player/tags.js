// @ts-check
"use strict";

/* The texts of a graph's drawing: names, numbers at nodes, weights at edges. Each has a place of its own, or is left out. */

/** @typedef {"name" | "number" | "weight" | "input"} TagKind */
/** @typedef {{kind: TagKind, at: string, element: number, text: string, width: number, place: number[] | null, isInside: boolean, drawn: Element | null}} Tag */

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/** How wide a text is, in pixels. @param {string} text @param {boolean} isBold */
function widthOf(text, isBold) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (ruler === null) return 7 * text.length;
  ruler.font = `${isBold ? "600 " : ""}11.5px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

class Tags {
  /** @param {GraphDrawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    const { side, signs, page } = drawing;
    /** @type {Tag[]} in the order in which they take their room */
    this.tags = [];
    const add = (/** @type {TagKind} */ kind, /** @type {string} */ at, /** @type {number} */ element, /** @type {string} */ text) =>
      this.tags.push({ kind, at, element, text, width: 0, place: null, isInside: false, drawn: null });
    page.graph.nodes.forEach((/** @type {string} */ _, /** @type {number} */ node) => add("name", "node", node, drawing.names[node]));
    if (signs.below.length) page.graph.nodes.forEach((/** @type {string} */ _, /** @type {number} */ node) => add("number", "node", node, ""));
    if (signs.weights.length)
      page.graph.edges.forEach((/** @type {number[]} */ _, /** @type {number} */ edge) =>
        add("weight", "edge", edge, signs.weights.map((name) => cut(side.given[name][edge])).join(" / ")),
      );
    if (signs.above.length)
      page.graph.nodes.forEach((/** @type {string} */ _, /** @type {number} */ node) =>
        add("input", "node", node, signs.above.map((name) => cut(side.given[name][node])).join("–")),
      );
    this.longest = this.longestNumber();
  }

  /** The widest that a number at a node ever is. */
  longestNumber() {
    const { side, signs, words, page } = this.drawing;
    const widths = signs.below.map((name) => {
      const field = fieldOf(page, name);
      const values = new Set([...(side.start[name] ?? []), ...(side.fields[name]?.everyValue() ?? [])]);
      return Math.max(8, ...[...values].map((value) => widthOf(cut(words.inUnits(name, value)), true)), field.kind === "number" ? 0 : 40);
    });
    return widths.reduce((sum, width) => sum + width + 8, 0);
  }

  /** Whether any of a kind is drawn. @param {TagKind} kind */
  shows(kind) {
    return this.tags.some((tag) => tag.kind === kind && tag.drawn !== null && tag.text !== "");
  }

  /** Where its middle may be. @param {Tag} tag @returns {number[][]} */
  candidates(tag) {
    const { places, radius, page, bends, signs } = this.drawing;
    if (tag.at === "node") {
      const outer = radius * (signs.rings.length ? 1.35 : 1.2);
      const around = placesAround(places[tag.element], outer, tag.width, TEXT_HEIGHT);
      return tag.kind === "input" ? [around[1], around[0], ...around.slice(2)] : around;
    }
    const [u, v] = page.graph.edges[tag.element];
    // the middle first, then further and further towards the ends
    const along = pointsAlong(places[u], places[v], bends[tag.element], 11);
    return [5, 4, 6, 3, 7, 2, 8].map((place) => along[place]);
  }

  /** Gives every tag its place, for the places that nodes have now. */
  place() {
    const { drawing } = this;
    const { places, radius, isInside } = drawing;
    const total = drawing.total ?? { x: 0, y: 0 };
    const taken = new TakenRooms([1, total.x - 1, 1, total.y - 1]);
    const outer = radius * 1.1;
    places.forEach((place, node) => taken.take(roomAt(place, 2 * outer, 2 * outer), `node ${node}`));
    drawing.page.graph.edges.forEach((/** @type {number[]} */ [u, v], /** @type {number} */ edge) => {
      const middle = drawing.bends[edge] === 0 ? [] : pointsAlong(places[u], places[v], drawing.bends[edge], 3);
      [places[u], ...middle].forEach((from, i) => taken.cross(from, [...middle, places[v]][i]));
    });
    const numbersFit = !isInside && this.longest - 4 <= 2 * radius;
    const namesFit = isInside && radius >= 9;
    const waiting = this.tags.filter((tag) => {
      tag.isInside = (tag.kind === "name" && namesFit) || (tag.kind === "number" && numbersFit);
      tag.width = tag.kind === "number" ? this.longest : widthOf(tag.text, tag.isInside) + 3;
      tag.place = tag.isInside ? places[tag.element] : null;
      return !tag.isInside && (tag.kind === "number" || tag.text !== "");
    });
    const isTooSmall = radius < 4;
    const found = isTooSmall
      ? new Map()
      : placeLabels(
          taken,
          waiting.map((tag) => this.labelOf(tag)),
        );
    for (const tag of waiting) tag.place = found.get(Tags.keyOf(tag)) ?? null;
    this.taken = taken;
    this.drawing.labelLayer.replaceChildren();
    for (const tag of this.tags) tag.drawn = null;
  }

  /** @param {Tag} tag */
  static keyOf(tag) {
    return `${tag.kind} ${tag.element}`;
  }

  /** @param {Tag} tag @returns {Label} */
  labelOf(tag) {
    return { key: Tags.keyOf(tag), width: tag.width, height: TEXT_HEIGHT, places: this.candidates(tag), avoidsLines: tag.at === "node" };
  }

  /** Shows what has a place, and what is chosen or new whatever has to give way. @param {Chosen} selected @param {{node: number[], edge: number[]}} news */
  show(selected, news) {
    this.readNumbers();
    const isForced = this.forcedBy(selected, news);
    /** @type {Set<string>} */
    const hidden = new Set();
    const extra = new TakenRooms([-1e6, 1e6, -1e6, 1e6]);
    /** @type {Map<Tag, number[]>} */
    const forced = new Map();
    for (const tag of this.tags) {
      if (tag.place !== null || tag.text === "" || !isForced(tag)) continue;
      const places = this.candidates(tag).filter((place) => extra.isFree(roomAt(place, tag.width, TEXT_HEIGHT)));
      const takers = (/** @type {number[]} */ place) => this.taken?.takers(roomAt(place, tag.width, TEXT_HEIGHT)) ?? [];
      const place = places.find((each) => !takers(each).some((key) => key.startsWith("node")));
      if (place === undefined) continue; // the panel says it
      extra.take(roomAt(place, tag.width, TEXT_HEIGHT), Tags.keyOf(tag));
      for (const key of takers(place)) hidden.add(key);
      forced.set(tag, place);
    }
    for (const tag of this.tags) {
      const place = forced.get(tag) ?? (hidden.has(Tags.keyOf(tag)) ? null : tag.place);
      this.draw(tag, tag.text === "" ? null : place);
    }
  }

  /** What is chosen, and what is new where that is not much. @param {Chosen} selected @param {{node: number[], edge: number[]}} news
   *  @returns {(tag: Tag) => boolean} */
  forcedBy(selected, news) {
    const { edges } = this.drawing.page.graph;
    const fresh = news.node.length + news.edge.length <= MOST_FORCED ? news : { node: [], edge: [] };
    const nodes = new Set(fresh.node);
    const near = new Set(fresh.edge);
    if (selected?.at === "node") {
      nodes.add(selected.element);
      edges.forEach((/** @type {number[]} */ ends, /** @type {number} */ edge) => ends.includes(selected.element) && near.add(edge));
    }
    if (selected?.at === "edge") {
      near.add(selected.element);
      for (const node of edges[selected.element]) nodes.add(node);
    }
    return (tag) => (tag.at === "node" ? nodes : near).has(tag.element);
  }

  readNumbers() {
    const { signs } = this.drawing;
    if (signs.below.length === 0) return;
    const numbers = signs.below.map((name) => this.drawing.numbers(name));
    for (const tag of this.tags) {
      if (tag.kind === "number") tag.text = numbers.map((texts) => texts[tag.element]).filter((text) => text !== "").join(" / ");
    }
  }

  /** @param {Tag} tag @param {number[] | null} place */
  draw(tag, place) {
    if (place === null) {
      tag.drawn?.remove();
      tag.drawn = null;
      return;
    }
    if (tag.drawn === null) {
      tag.drawn = svg("text", { class: `${tag.kind}${tag.isInside ? " inside" : ""}` });
      this.drawing.labelLayer.append(tag.drawn);
    }
    const [x, y] = place.map((each) => each.toFixed(1));
    if (tag.drawn.getAttribute("x") !== x) tag.drawn.setAttribute("x", x);
    if (tag.drawn.getAttribute("y") !== y) tag.drawn.setAttribute("y", y);
    if (tag.drawn.textContent !== tag.text) tag.drawn.textContent = tag.text;
    if (tag.isInside) tag.drawn.setAttribute("data-on", this.drawing.drawn.node[tag.element]?.startsWith("0 ") ? "0" : "1");
  }
}
