/* The texts of a graph's drawing: names, numbers at nodes, weights at edges. None lies on another, nor on a node; what
 * finds no room is left out until it is chosen, or new. */

/** @typedef {[number, number, number, number]} Room  left, right, top, bottom, in pixels */
/** @typedef {"name" | "number" | "weight" | "input"} TagKind */
/** @typedef {{kind: TagKind, at: string, element: number, key: string, text: string, width: number,
 *   place: number[] | null, isInside: boolean, drawn: Element | null}} Tag */

const CELL_SIZE = 48; // pixels of the squares by which rooms are found
const LINE_STEP = 8; // pixels between the points by which a line is known

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/** How wide a text is, in pixels. @param {string} text @param {boolean} isBold */
function widthOf(text, isBold) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (ruler === null) return 7 * text.length;
  ruler.font = `${isBold ? "600 " : ""}11.5px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

/** Around a point. @param {number[]} middle @param {number} width @param {number} height @returns {Room} */
function roomAt([x, y], width, height) {
  return [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
}

/** Places of a label around a node: below, above, at its sides, at its corners. @param {number[]} middle
 *  @param {number} radius @param {number} width */
function placesAround([x, y], radius, width) {
  const [across, down] = [radius + 3 + width / 2, radius + 2 + TEXT_HEIGHT / 2];
  const [far, low] = [0.7 * radius + width / 2 + 2, 0.7 * radius + TEXT_HEIGHT / 2 + 2];
  const places = [[0, down], [0, -down], [across, 0], [-across, 0], [far, low], [-far, low], [far, -low], [-far, -low]];
  return places.map(([dx, dy]) => [x + dx, y + dy]);
}

/** The rooms that are taken, and lines, which labels avoid where they can. */
class TakenRooms {
  /** @param {Room} frame in which all has to stay */
  constructor(frame) {
    this.frame = frame;
    /** @type {Map<number, {rooms: {room: Room, key: string}[], points: number[][]}>} by square */
    this.squares = new Map();
  }

  /** @param {number} x @param {number} y */
  squareAt(x, y) {
    const number = Math.floor(x / CELL_SIZE) * 4096 + Math.floor(y / CELL_SIZE);
    let found = this.squares.get(number);
    if (found === undefined) this.squares.set(number, (found = { rooms: [], points: [] }));
    return found;
  }

  /** @param {Room} room */
  squaresOf([left, right, top, bottom]) {
    const found = [];
    for (let i = Math.floor(left / CELL_SIZE); i * CELL_SIZE <= right; i++)
      for (let j = Math.floor(top / CELL_SIZE); j * CELL_SIZE <= bottom; j++)
        found.push(this.squareAt(i * CELL_SIZE, j * CELL_SIZE));
    return found;
  }

  /** @param {Room} room @param {string} key */
  take(room, key) {
    for (const { rooms } of this.squaresOf(room)) rooms.push({ room, key });
  }

  /** Keeps a line in mind. @param {number[]} from @param {number[]} to */
  cross([x1, y1], [x2, y2]) {
    const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / LINE_STEP);
    for (let i = 1; i < count; i++) {
      const point = [x1 + ((x2 - x1) * i) / count, y1 + ((y2 - y1) * i) / count];
      this.squareAt(point[0], point[1]).points.push(point);
    }
  }

  /** What has taken a room already. @param {Room} room */
  takers(room) {
    const [left, right, top, bottom] = room;
    const all = this.squaresOf(room).flatMap(({ rooms }) => rooms);
    const met = all.filter(({ room: [l, r, t, b] }) => left < r && l < right && top < b && t < bottom);
    return [...new Set(met.map(({ key }) => key))];
  }

  /** @param {Room} room */
  isFree(room) {
    const [left, right, top, bottom] = this.frame;
    const isInside = room[0] >= left && room[1] <= right && room[2] >= top && room[3] <= bottom;
    return isInside && this.takers(room).length === 0;
  }

  /** How much of lines lies in a room. @param {Room} room */
  crossed(room) {
    const [left, right, top, bottom] = room;
    const all = this.squaresOf(room).flatMap(({ points }) => points);
    return all.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length;
  }
}

class Tags {
  /** @param {GraphDrawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    const { side, signs, page, names } = drawing;
    /** @type {Tag[]} in the order in which they take their room */
    this.tags = [];
    const add = (/** @type {TagKind} */ kind, /** @type {string} */ at, /** @type {string[]} */ texts) => {
      const blank = { width: 0, place: null, isInside: false, drawn: null };
      texts.forEach((text, i) => this.tags.push({ kind, at, element: i, key: `${kind} ${i}`, text, ...blank }));
    };
    const given = (/** @type {string[]} */ inputs, /** @type {string} */ between) =>
      inputs.length === 0 ? [] : side.given[inputs[0]].map((_, i) =>
        inputs.map((name) => cut(side.given[name][i])).join(between));
    add("name", "node", names);
    if (signs.below.length) add("number", "node", names.map(() => ""));
    add("weight", "edge", given(signs.weights, " / "));
    add("input", "node", given(signs.above, "–"));
    // the widest that a number at a node ever is
    const widths = signs.below.map((name) => {
      const values = new Set(side.everyValue(name).map(([, value]) => value));
      const widest = Math.max(8, ...[...values].map((value) => widthOf(cut(drawing.words.inUnits(name, value)), true)));
      return fieldOf(page, name).kind === "number" ? widest : Math.max(40, widest);
    });
    this.longest = widths.reduce((sum, width) => sum + width + 8, 0);
  }

  /** Whether any of a kind is drawn. @param {TagKind} kind */
  shows(kind) {
    return this.tags.some((tag) => tag.kind === kind && tag.drawn !== null && tag.text !== "");
  }

  /** Where its middle may be, the best first. @param {Tag} tag */
  candidates(tag) {
    const { places, radius, page, bends, signs } = this.drawing;
    if (tag.at === "node") {
      const around = placesAround(places[tag.element], radius * (signs.rings.length ? 1.35 : 1.2), tag.width);
      return tag.kind === "input" ? [around[1], around[0], ...around.slice(2)] : around;
    }
    const [u, v] = page.graph.edges[tag.element];
    // the middle first, then further and further towards the ends
    const along = pointsAlong(places[u], places[v], bends[tag.element], 11);
    return [5, 4, 6, 3, 7, 2, 8].map((place) => along[place]);
  }

  /** Gives every tag its place, for the places that nodes have now. */
  place() {
    const { places, radius, isInside, total, page, bends, labelLayer } = this.drawing;
    const taken = new TakenRooms([1, (total?.x ?? 0) - 1, 1, (total?.y ?? 0) - 1]);
    places.forEach((place, node) => taken.take(roomAt(place, 2.2 * radius, 2.2 * radius), `node ${node}`));
    page.graph.edges.forEach(([u, v], edge) => {
      const middle = bends[edge] === 0 ? [] : pointsAlong(places[u], places[v], bends[edge], 3);
      [places[u], ...middle].forEach((from, i) => taken.cross(from, [...middle, places[v]][i]));
    });
    const numbersFit = !isInside && this.longest - 4 <= 2 * radius;
    const namesFit = isInside && radius >= 9;
    for (const tag of this.tags) {
      tag.isInside = (tag.kind === "name" && namesFit) || (tag.kind === "number" && numbersFit);
      tag.width = tag.kind === "number" ? this.longest : widthOf(tag.text, tag.isInside) + 3;
      tag.place = tag.isInside ? places[tag.element] : null;
      tag.drawn = null;
      const isTold = tag.kind === "number" || tag.text !== "";
      if (!tag.isInside && isTold && radius >= 4) tag.place = this.roomFor(tag, taken);
    }
    this.taken = taken;
    labelLayer.replaceChildren();
  }

  /** The best free place, which a tag takes, or null. @param {Tag} tag @param {TakenRooms} taken */
  roomFor(tag, taken) {
    let [best, fewest] = [/** @type {number[] | null} */ (null), Infinity];
    for (const place of this.candidates(tag)) {
      const room = roomAt(place, tag.width, TEXT_HEIGHT);
      if (!taken.isFree(room)) continue;
      const crossed = tag.at === "node" ? taken.crossed(room) : 0;
      if (crossed < fewest) [best, fewest] = [place, crossed];
      if (crossed === 0) break;
    }
    if (best !== null) taken.take(roomAt(best, tag.width, TEXT_HEIGHT), tag.key);
    return best;
  }

  /** Shows what has a place, and what is chosen or new whatever has to give way. @param {Chosen} selected
   *  @param {{node: number[], edge: number[]}} news */
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
      const roomOf = (/** @type {number[]} */ place) => roomAt(place, tag.width, TEXT_HEIGHT);
      const takers = (/** @type {number[]} */ place) => this.taken?.takers(roomOf(place)) ?? [];
      const isOpen = (/** @type {number[]} */ place) =>
        extra.isFree(roomOf(place)) && !takers(place).some((key) => key.startsWith("node"));
      const place = this.candidates(tag).find(isOpen);
      if (place === undefined) continue; // the panel says it
      extra.take(roomOf(place), tag.key);
      for (const key of takers(place)) hidden.add(key);
      forced.set(tag, place);
    }
    for (const tag of this.tags) {
      const place = forced.get(tag) ?? (hidden.has(tag.key) ? null : tag.place);
      this.draw(tag, tag.text === "" ? null : place);
    }
  }

  /** What is chosen, and what is new where that is not much. @param {Chosen} selected
   *  @param {{node: number[], edge: number[]}} news @returns {(tag: Tag) => boolean} */
  forcedBy(selected, news) {
    const { edges } = this.drawing.page.graph;
    const fresh = news.node.length + news.edge.length <= MOST_FORCED ? news : { node: [], edge: [] };
    const nodes = new Set(fresh.node);
    const near = new Set(fresh.edge);
    if (selected?.at === "node") {
      nodes.add(selected.element);
      edges.forEach((ends, edge) => ends.includes(selected.element) && near.add(edge));
    } else if (selected?.at === "edge") {
      near.add(selected.element);
      for (const node of edges[selected.element]) nodes.add(node);
    }
    return (tag) => (tag.at === "node" ? nodes : near).has(tag.element);
  }

  readNumbers() {
    const numbers = this.drawing.signs.below.map((name) => this.drawing.numbers(name));
    for (const tag of this.tags)
      if (tag.kind === "number")
        tag.text = numbers.map((texts) => texts[tag.element]).filter((text) => text !== "").join(" / ");
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
    setAll(tag.drawn, { x: place[0], y: place[1] });
    tag.drawn.textContent = tag.text;
    if (tag.isInside)
      tag.drawn.setAttribute("data-on", this.drawing.drawn.node[tag.element]?.startsWith("0 ") ? "0" : "1");
  }
}
