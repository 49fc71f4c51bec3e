/* What drawings of a run have in common: signs, classes, and what is new in a step. */

const LETTER = 6; // pixels
const MOST_EXAMINED = 1000; // elements that are marked as decided in a step
const MOST_LOOKED_UP = 2000; // nodes: of more, only what changes is marked
const LONGEST = 14; // letters of a name; a longer one is cut in the drawing, and whole in the table

/** A name, cut where it is long. @param {string} name @param {number} most letters */
function cut(name, most = LONGEST) {
  const letters = [...name];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : name;
}

/** A point of a path. @param {number} x @param {number} y */
const pointAt = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Whether an input is told: a random one, where a concept reads it. @param {Page} page @param {string} name */
function isShown(page, name) {
  const { program, concepts } = page.algorithm;
  const isRead = (/** @type {Let} */ each) =>
    concepts.includes(each.name) && someNode(each.value, ({ column }) => column === name);
  return !page.drawn.includes(name) || program === null || program.lets.some(isRead);
}

/** Whether an algorithm sees edges at all: one that looks at points does not. @param {Page} page */
function readsEdges(page) {
  const { algorithm } = page;
  const isOfEdges = (/** @type {string} */ at) => ["edge", "link", "side"].includes(at);
  const fields = [...Object.values(algorithm.inputs), ...Object.values(algorithm.hints)];
  return (
    algorithm.program === null ||
    isOfEdges(algorithm.location) ||
    fields.some((field) => isOfEdges(field.at)) ||
    someNode(algorithm.program, ({ at, rows }) => isOfEdges(at) || isOfEdges(rows))
  );
}

/** What is drawn beside elements, besides their classes: read once from what is declared. @param {Page} page */
function signsOf(page) {
  const { algorithm } = page;
  const { layout } = algorithm;
  const inputs = Object.keys(algorithm.inputs);
  const all = (/** @type {string[]} */ names, /** @type {string} */ at, /** @type {string} */ kind) =>
    names.filter((name) => fieldOf(page, name).at === at && fieldOf(page, name).kind === kind);
  const numbers = (/** @type {string} */ at) => all(inputs, at, "number").filter((name) => isShown(page, name));
  return {
    rings: all(inputs, "graph", "pointer").filter((name) => algorithm.inputs[name].to === "node"),
    above: numbers("node").filter((name) => name !== layout.x && name !== layout.y),
    dashed: all(inputs, "node", "mask"),
    weights: numbers("edge"),
    below: all(fieldsOf(page), "node", "number"),
    // of several pointers, the last: it is what the others lead to
    pointer: all(fieldsOf(page), "node", "pointer").filter((name) => isArrow(page, name)).at(-1),
  };
}

/** @typedef {{select: (at: string, element: number) => void, moved: () => void, background: (place: number[]) => void}}
 *   Hand  What follows when a drawing is touched; places are in units of an edge */
/** @typedef {[string, ...(string | null | undefined)[]]} Sign  what it looks like, and the fields it stands for */

/** The drawing of one run; how its elements are placed is said by those that extend it. */
class Drawing {
  /** @param {Task} task @param {Side} side @param {Hand} hand */
  constructor(task, side, hand) {
    this.task = task;
    this.page = task.page;
    this.side = side;
    this.words = side.words;
    this.hand = hand;
    this.layout = task.page.algorithm.layout;
    this.signs = signsOf(task.page);
    this.moment = 0;
    this.size = { width: 0, height: 0, zoom: 1 };
    this.magnified = 1;
    this.root = svg("svg", { "aria-hidden": "true", focusable: "false" });
    /** @type {Record<string, Map<number, number>>} the classes that are seen now, and how often */
    this.visible = { node: new Map(), edge: new Map() };
    /** @type {Record<string, string[]>} how each element is drawn, so that only what changes is drawn anew */
    this.drawn = { node: [], edge: [] };
  }

  get now() {
    return new Moment(this.side, this.moment);
  }

  get classes() {
    return /** @type {Record<string, Classes | null>} */ (this.task.classes);
  }

  /** How many elements are drawn. */
  get count() {
    return this.shown?.filter(Boolean).length ?? this.side.graph.counts[this.layout.at ?? "node"];
  }

  /** Whether something is marked as new. */
  get hasNews() {
    return Object.values(this.drawn).some((looks) => looks.some((look) => look.includes("changed")));
  }

  /** How every element at a location is drawn now: its class, and what marks it; and those of which that is new.
   *  @param {string} at @param {Chosen} selected @param {boolean} isDifferent @param {Set<number>} lit */
  looksOf(at, selected, isDifferent, lit) {
    const { side, now } = this;
    const numbers = this.classes[at]?.of(now);
    const changed = now.changedAt(at);
    // what was examined and stays is decided in this step, too
    if (at === this.page.algorithm.location && changed.size < MOST_EXAMINED && side.graph.counts.node <= MOST_LOOKED_UP)
      for (const element of now.examined) changed.add(element);
    const wrong = isDifferent && side.difference?.at === at ? side.difference.element : null;
    const seen = this.visible[at];
    seen?.clear();
    const { shown } = this;
    const known = (this.drawn[at] ??= []);
    return upTo(side.graph.counts[at]).map((i) => {
      const number = numbers?.[i] ?? 0;
      if (shown?.[i] !== false) seen?.set(number, (seen.get(number) ?? 0) + 1);
      const marks = [];
      if (changed.has(i)) marks.push("changed");
      if (selected?.at === at && selected.element === i) marks.push("selected");
      if (wrong === i) marks.push("differs");
      if (lit.has(i)) marks.push("lit");
      const key = `${number} ${marks.join(" ")}`;
      const isNew = known[i] !== key;
      known[i] = key;
      return { number, marks, isNew };
    });
  }

  /** Which elements are drawn; null: all. @returns {boolean[] | null} */
  get shown() {
    return null;
  }

  /** A number at each element as text; nothing where it says nothing yet. @param {string} name */
  numbers(name) {
    const { side, now } = this;
    const values = now.values(name);
    // what is only noted on the way says nothing before it is noted
    const isNoted = !Object.hasOwn(this.page.algorithm.outputs, name);
    const isSaid = (/** @type {number} */ i) =>
      now.isThere(name, i) && !(isNoted && values?.[i] === side.start[name]?.[i]);
    const everyone = upTo(side.graph.counts[fieldOf(this.page, name).at]);
    return everyone.map((i) => (values !== null && isSaid(i) ? cut(this.words.value(name, values[i], i)) : ""));
  }

  /** Lays the drawing out once more. */
  fitAgain() {
    this.fit(this.size.width, this.size.height, this.size.zoom);
  }

  /** @param {number} width @param {number} height @param {number} zoom */
  fit(width, height, zoom) {
    this.size = { width, height, zoom };
  }

  /** Gives the picture its size. @param {{x: number, y: number}} total in its own units */
  sizeTo({ x, y }) {
    setAll(this.root, { width: x * this.magnified, height: y * this.magnified, viewBox: `0 0 ${x} ${y}` });
  }

  /** Scrolls the drawing, where a point of it is not seen. @param {number} x @param {number} y */
  scrollTo(x, y) {
    const canvas = this.root.parentElement;
    if (canvas === null) return;
    [x, y] = [x * this.magnified, y * this.magnified];
    const isSeen = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ room) =>
      at > from + 20 && at < from + room - 20;
    if (!isSeen(x, canvas.scrollLeft, canvas.clientWidth)) canvas.scrollLeft = x - canvas.clientWidth / 2;
    if (!isSeen(y, canvas.scrollTop, canvas.clientHeight)) canvas.scrollTop = y - canvas.clientHeight / 2;
  }
}
