/* A run as boxes: bars for numbers, letters on a tape, intervals of time. Where each stands is said in layouts.js. */

// boxes: of more, each is without its name and number
const MOST_LABELLED = { bars: 60, heap: 63, tape: 200, intervals: 60, grid: 400 };
const LANE = 15; // pixels of a line of text
const TALLEST = 420; // pixels of an axis of numbers that goes up
const CELL = { least: 20, most: 80 }; // pixels of a column
const ROW = { least: 15, most: 42 }; // pixels of a row
const GAP = 0.14; // of a column, or a row, between two boxes

class BoxDrawing extends Drawing {
  /** @param {Task} task @param {Side} side @param {Hand} hand */
  constructor(task, side, hand) {
    super(task, side, hand);
    const { form, at, marks = [] } = this.layout;
    const { items } = this.page.algorithm;
    const count = side.graph.counts[at];
    this.form = LAYOUTS[form];
    this.isTape = form === "tape";
    this.isGrid = form === "grid";
    this.isHeap = form === "heap";
    this.isBars = form === "bars";
    this.isLabelled = count <= /** @type {Record<string, number>} */ (MOST_LABELLED)[form];
    this.root.setAttribute("class", `boxes ${this.isLabelled ? "" : "small"}`);
    const layer = (/** @type {string} */ name) => this.root.appendChild(svg("g", { class: name }));
    this.partLayer = layer("axis");
    this.axisLayer = layer("axis");
    this.linkLayer = layer("axis");
    const nodeLayer = layer("nodes");
    this.markLayer = layer("marks");
    this.names = upTo(count).map((i) => {
      const name = this.words.name(at, i);
      // numbers are named by themselves, letters by their place in a word
      if (items === "numbers" && this.isBars) return "";
      return items === "words" ? name.replace(/^(text|pattern) /, "") : cut(name);
    });
    this.items = this.names.map((text, i) => {
      const group = svg("g", { class: "node" });
      const [ring, body] = [svg("rect", { class: "ring", rx: 4 }), svg("rect", { class: "body", rx: 2 })];
      const [name, note] = [svg("text", { class: "input" }, text), svg("text", { class: "input" })];
      const number = svg("text", { class: this.isBars ? "number" : "number inside" });
      const texts = this.isGrid || this.isHeap ? [number] : [name, note, number];
      group.append(svg("title", {}, this.words.name(at, i)), ring, body, ...(this.isLabelled ? texts : []));
      group.addEventListener("click", () => hand.select(at, i));
      nodeLayer.append(group);
      return { group, ring, body, name, note, number };
    });
    /** @type {Box} */
    this.extent = [0, 0, 0, 0];
    this.total = { x: 0, y: 0 };
    // pixels of a column, of a row, and where they begin and end
    this.unitX = this.unitY = this.left = this.top = this.bottom = 0;
    this.isTurned = false;
    /** lines of text that marks take; more where they would lie on each other */
    this.lanes = { above: marks.length > 0 && this.isTape ? 1 : 0, below: marks.length > 0 ? 1 : 0 };
  }

  /** How much lower names stand where bars hang down, with their numbers below them. */
  get drop() {
    return this.form.upwards && this.extent[2] < 0 ? LANE : 0;
  }

  /** What signs stand for. @returns {Sign[]} */
  told() {
    return [...this.form.told(this.layout), ["names and numbers", this.isLabelled ? null : "choose one"]];
  }

  get shown() {
    return cellsShown(this.layout, this.now);
  }

  /** What has to be in view: what is at every moment, and where all stands now. @param {Box[]} boxes @returns {Box} */
  viewOf(boxes) {
    const { shown } = this;
    const all = [this.form.extent(this.layout, this.now), ...boxes.filter((_, i) => shown?.[i] !== false)];
    const far = (/** @type {number} */ i, /** @type {number} */ sign) => sign * least(all.map((box) => sign * box[i]));
    return [far(0, 1), far(1, -1), far(2, 1), far(3, -1)];
  }

  /** The longest of some texts, in pixels. @param {string[]} texts */
  static wide(texts) {
    return LETTER * Math.max(0, ...texts.map((text) => [...text].length));
  }

  /** Pixels to the left of boxes: for headers, names, or what a row says. @param {number} names how wide they are */
  marginLeft(names) {
    const { noted } = this.layout;
    if (this.isGrid) return BoxDrawing.wide(this.headers("beside", 2).map(([, text]) => text)) + 16;
    if (this.form.across) return 1.1 * names + 16;
    return this.isTape && noted !== null ? BoxDrawing.wide([calledIn(this.page, noted)]) + 14 : 12;
  }

  /** @param {number} width @param {number} height the most it should take @param {number} zoom */
  fit(width, height, zoom) {
    const { layout, form, isLabelled, isTape, isGrid, isHeap } = this;
    this.size = { width, height, zoom };
    const extent = (this.extent = this.viewOf(form.boxes(layout, this.now)));
    const numbers = this.numbersOf(form.across ? layout.noted : layout.of);
    const [names, values] = [this.names, numbers].map((texts) => (isLabelled ? BoxDrawing.wide(texts) : 0));
    const [above, below] = [LANE * this.lanes.above, LANE * this.lanes.below];
    const ranges = [extent[1] - extent[0] || 1, extent[3] - extent[2] || 1];
    const [left, right] = [this.marginLeft(names), form.across ? values + 20 : 12];
    const lines = LANE * (1 + (isGrid || isTape ? 0 : (layout.lines ?? []).length)) + 8;
    this.top = isTape ? lines + 8 + above : lines;
    const roomX = width - left - right;
    const narrowest = isLabelled ? Math.max(CELL.least, values + 6, isTape ? 1.1 * names + 6 : 0) : 2;
    const column = Math.max(narrowest, Math.min(CELL.most, roomX / ranges[0])) * zoom;
    this.unitX = form.across ? (Math.max(120, roomX) * zoom) / ranges[0] : column;
    // names that are wider than a bar are turned
    this.isTurned = form.upwards && names + 4 > this.unitX;
    const name = this.isTurned ? 1.1 * names + 18 : isGrid || isHeap ? 8 : LANE + 6;
    const noted = (layout.noted == null ? 0 : LANE) + (below ? below + 10 : 0) + this.drop;
    const under = form.across ? 2 * LANE : name + noted;
    const roomY = Math.max(80, Math.min(TALLEST, height - this.top - under));
    const lowest = isTape || isGrid || isHeap ? ROW.most : isLabelled ? ROW.least : 3;
    const row = form.upwards ? roomY / ranges[1] : Math.min(ROW.most, Math.max(lowest, roomY / ranges[1]));
    this.unitY = row * zoom;
    const wide = ranges[0] * this.unitX;
    this.bottom = this.top + ranges[1] * this.unitY;
    this.total = { x: Math.max(width, wide + left + right), y: this.bottom + under };
    // cells stand in the middle; an axis of numbers takes all the room there is
    this.left = form.across ? left : Math.max(left, (this.total.x - wide) / 2);
    this.sizeTo(this.total);
    this.drawAxis();
  }

  /** Where a number, or a cell, begins, from left to right. @param {number} value */
  x(value) {
    return this.left + (value - this.extent[0]) * this.unitX;
  }

  /** The same from the top down. @param {number} value */
  y(value) {
    return this.top + (this.form.upwards ? this.extent[3] - value : value - this.extent[2]) * this.unitY;
  }

  drawAxis() {
    const { axisLayer, layout, form, bottom, isLabelled, extent: [first, last, low] } = this;
    axisLayer.replaceChildren();
    const line = (/** @type {number[]} */ [x1, y1, x2, y2]) =>
      axisLayer.append(svg("path", { d: `M${pointAt(x1, y1)}L${pointAt(x2, y2)}` }));
    const put = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, side = "") =>
      axisLayer.append(svg("text", { class: `input${side}`, x, y }, text));
    if (this.isGrid && isLabelled) {
      const room = Math.max(1, Math.floor(this.unitX / LETTER)); // letters over a column
      for (const [at, text] of this.headers("above", 0)) put(cut(text, room), this.x(at + 0.5), this.y(low) - 10);
      for (const [at, text] of this.headers("beside", 2)) put(text, this.x(first) - 8, this.y(at + 0.5), " end");
    }
    if (this.isTape && layout.noted !== null && isLabelled)
      put(calledIn(this.page, layout.noted), 6, bottom + 10 + LANE, " start");
    if (form.upwards) line([this.x(first), this.y(0), this.x(last), this.y(0)]);
    if (!form.across) return;
    line([this.x(first), bottom, this.x(last), bottom]);
    const scale = this.page.scales[layout.end] ?? 1;
    for (const tick of ticksOf(first / scale, last / scale, Math.max(2, this.total.x / 90))) {
      const x = this.x(tick * scale);
      line([x, bottom, x, bottom + 5]);
      put(String(tick), x, bottom + 14);
    }
  }

  /** What stands over the columns of a table, or beside its rows: what is declared; else its half of a cell's name,
   *  "row:column"; else a number. @param {string} part @param {number} axis */
  headers(part, axis) {
    const texts = this.numbersOf(this.layout[part]);
    const headers = new Map();
    const { shown } = this;
    this.form.boxes(this.layout, this.now).forEach((box, i) => {
      if (shown?.[i] === false || headers.has(box[axis])) return;
      const halves = this.names[i].split(":");
      const name = halves.length === 2 ? halves[axis === 0 ? 1 : 0] : String(box[axis]);
      headers.set(box[axis], texts[i] === "" ? name : texts[i]);
    });
    return [...headers];
  }

  /** A number of every element as text; nothing where it is none. @param {string | null | undefined} name */
  numbersOf(name) {
    if (name == null) return this.items.map(() => "");
    if (isFall(this.page, name)) return fallsIn(this.now);
    const where = this.page.algorithm.only_where[name];
    const mask = where === undefined ? [] : this.now.at(where);
    return this.now.at(name).map((value, i) => (mask[i] === 0 ? "" : cut(this.words.value(name, value, i))));
  }

  /** Shows a moment. @param {number} moment @param {Chosen} selected @param {boolean} isDifferent @param {Lit} lit */
  show(moment, selected, isDifferent, lit) {
    const { layout: { at }, form } = this;
    this.moment = moment;
    const boxes = form.boxes(this.layout, this.now);
    if (this.viewOf(boxes).some((value, i) => value !== this.extent[i])) this.fitAgain();
    const classes = this.classes[at] ?? null;
    this.looksOf(at, selected, isDifferent, lit[at]).forEach(({ number, marks, isNew }, i) => {
      if (!isNew) return;
      const { group } = this.items[i];
      group.setAttribute("class", ["node", ...marks].join(" "));
      // its border lies on those of the cells around
      if (this.isGrid && marks.length > 0) group.parentNode?.append(group);
      if (classes !== null) paint(group, number, classes.labels.length);
    });
    this.placeAll(boxes);
    this.drawLinks(boxes);
    this.drawMarks(boxes);
    this.drawPart(boxes);
    this.drawLines();
  }

  /** Puts every element into its box. @param {Box[]} boxes */
  placeAll(boxes) {
    const [numbers, notes] = [this.numbersOf(this.layout.of), this.numbersOf(this.layout.noted)];
    const { shown } = this;
    boxes.forEach((box, i) => {
      this.items[i].group.setAttribute("display", shown?.[i] === false ? "none" : "inline");
      this.place(i, box, numbers[i], notes[i]);
    });
  }

  /** Puts an element into its box. @param {number} i @param {Box} box @param {string} number @param {string} note */
  place(i, [left, right, low, high], number, note) {
    const { form, isTape } = this;
    const item = this.items[i];
    const [x1, x2] = [this.x(left), this.x(right)];
    const [y1, y2] = form.upwards ? [this.y(high), this.y(low)] : [this.y(low), this.y(high)];
    const gap = { x: form.upwards ? GAP * (x2 - x1) : 0, y: form.across ? GAP * (y2 - y1) : 0 };
    const wide = Math.max(form.across ? 6 : 2, x2 - x1 - gap.x);
    const tall = Math.max(form.upwards ? 5 : 2, y2 - y1 - gap.y);
    // a bar of nothing is a slab on the axis, whose color is seen; so is an interval of nothing
    const top = form.upwards && low === 0 ? y2 - tall : y1 + gap.y / 2;
    item.group.setAttribute("transform", `translate(${pointAt(x1 + gap.x / 2, top)})`);
    setAll(item.body, { x: 0, y: 0, width: wide, height: tall });
    setAll(item.ring, { x: -3, y: -3, width: wide + 6, height: tall + 6 });
    if (!this.isLabelled) return;
    const put = (/** @type {Element} */ text, /** @type {number} */ x, /** @type {number} */ y, anchor = "middle") => {
      setAll(text, { x, y });
      for (const side of ["start", "end"]) text.classList.toggle(side, anchor === side);
    };
    const middle = wide / 2;
    if (form.across) {
      put(item.name, this.left - x1 - 8, tall / 2, "end");
      put(item.note, wide + 6, tall / 2, "start");
    } else if (form.upwards) {
      const under = this.bottom - top + 12 + this.drop;
      if (this.isTurned) item.name.setAttribute("transform", `rotate(-90 ${pointAt(middle, under)})`);
      else item.name.removeAttribute("transform");
      put(item.name, middle, under, this.isTurned ? "end" : "middle");
      put(item.number, middle, low < 0 ? tall + 9 : -9);
    } else {
      put(item.name, middle, low === 0 ? -9 : tall + 10);
      put(item.number, middle, tall / 2);
      put(item.note, middle, tall + 10 + LANE);
    }
    item.number.textContent = number;
    item.note.textContent = isTape && low === 0 ? "" : note;
  }

  /** The lines of a tree. @param {Box[]} boxes */
  drawLinks(boxes) {
    const middle = (/** @type {number} */ i) =>
      pointAt(this.x((boxes[i][0] + boxes[i][1]) / 2), this.y((boxes[i][2] + boxes[i][3]) / 2));
    const links = this.isHeap ? heapLinks(this.layout, this.now) : [];
    const lines = links.map(([one, other]) => svg("path", { d: `M${middle(one)}L${middle(other)}` }));
    this.linkLayer.replaceChildren(...lines);
  }

  /** @param {string} kind @param {string} d */
  markLine(kind, d) {
    this.markLayer.append(svg("path", { class: kind, d }));
  }

  /** Marks below what they name; on a tape's first row, above it. @param {Box[]} boxes @returns {void} */
  drawMarks(boxes) {
    const { layout, markLayer } = this;
    markLayer.replaceChildren();
    /** @type {Map<number, string[]>} the marks of an element, each told at the first that it names */
    const told = new Map();
    for (const mark of this.isSorting ? (layout.marks ?? []) : []) {
      const called = calledIn(this.page, mark);
      namedBy(layout, this.now, mark).forEach((element, i) => {
        const pivot = called === "pivot" ? ` ${this.numbersOf(layout.of)[element]}` : "";
        told.set(element, [...(told.get(element) ?? []), ...(i === 0 ? [called + pivot] : [])]);
      });
    }
    const names = this.isTurned ? 1.1 * BoxDrawing.wide(this.names) + 12 : LANE;
    const below = this.bottom + (this.isLabelled ? names : 0) + (layout.noted == null ? 0 : LANE) + this.drop + 6;
    /** @type {Record<string, number[]>} how far each lane is taken, from left to right */
    const taken = { above: [], below: [] };
    for (const [element, words] of [...told].sort(([a], [b]) => boxes[a][0] - boxes[b][0])) {
      const [left, right, low, high] = boxes[element];
      const isAbove = this.isTape && layout.second !== null && low === 0;
      const [where, way] = isAbove ? /** @type {const} */ (["above", -1]) : /** @type {const} */ (["below", 1]);
      const y = isAbove ? this.top - LANE - 6 : this.isHeap ? this.y(high) + 2 : below;
      const x = (this.x(left) + this.x(right)) / 2;
      this.markLine("head", `M${x.toFixed(1)} ${y}l-4 ${7 * way}h8Z`);
      const text = words.join(", ");
      if (text === "") continue;
      const [middle, half] = this.within(x, text);
      const free = taken[where].findIndex((end) => end < middle - half);
      const lane = free < 0 ? taken[where].length : free;
      if (lane >= this.lanes[where]) {
        this.lanes[where] = lane + 1; // there is room for one more
        this.fitAgain();
        this.placeAll(boxes);
        return this.drawMarks(boxes);
      }
      taken[where][lane] = middle + half;
      const line = y + way * (14 + lane * LANE);
      if (lane > 0) this.markLine("stem", `M${x.toFixed(1)} ${y + 7 * way}V${line - 6 * way}`);
      markLayer.append(svg("text", { class: "mark", x: middle, y: line }, text));
    }
  }

  /** Where a text near a place has its middle, so that all of it is seen, and half its width. @param {number} x
   *  @param {string} text */
  within(x, text) {
    const half = widthOf(text, true) / 2 + 5;
    return [Math.max(half, Math.min(this.total.x - half, x)), half];
  }

  /** Whether places that a run keeps mean something: before it begins, and once all is in order, they do not. */
  get isSorting() {
    const { layout, moment, side } = this;
    return !(this.isBars || this.isHeap) || (moment > 0 && (moment < side.steps || layout.order === null));
  }

  /** The part of a row that is worked on, shaded; and the height of its pivot. @param {Box[]} boxes */
  drawPart(boxes) {
    const { layout, top, bottom } = this;
    this.partLayer.replaceChildren();
    if (!this.isBars || !this.isSorting || !["low", "high"].every((mark) => layout.marks.includes(mark))) return;
    const [low, high] = ["low", "high"].map((mark) => namedBy(layout, this.now, mark)[0]);
    if (low === undefined || high === undefined || boxes[low][0] > boxes[high][0]) return;
    const [left, right] = [this.x(boxes[low][0]), this.x(boxes[high][1])];
    const size = { x: left, y: top - LANE, width: right - left, height: bottom - top + LANE, rx: 4 };
    this.partLayer.append(svg("rect", { class: "part", ...size }));
    if (calledIn(this.page, "high") !== "pivot") return;
    this.markLine("level", `M${pointAt(left, this.y(this.now.at(layout.of)[high]))}H${right.toFixed(1)}`);
  }

  /** Numbers of the graph, as lines across the axis of numbers. */
  drawLines() {
    const { layout, form, extent: [first, last] } = this;
    (layout.lines ?? []).forEach((/** @type {string} */ name, /** @type {number} */ i) => {
      const [value] = this.now.at(name);
      if (value === undefined) return;
      const text = `${calledIn(this.page, name)} ${this.words.value(name, value, 0)}`;
      const [middle, half] = this.within(this.x(value), text);
      const [left, y] = [this.x(first), form.across ? LANE * (i + 1) : this.y(value)];
      const across = `M${this.x(value).toFixed(1)} ${y + 7}V${this.bottom}`;
      this.markLine("level", form.across ? across : `M${pointAt(left, y)}H${this.x(last).toFixed(1)}`);
      const place = form.across ? { x: middle, y } : { x: left + half, y: y - 9 };
      this.markLayer.append(svg("text", { class: "mark", ...place }, text));
    });
  }

  /** Scrolls the drawing so that what is chosen is seen. @param {Chosen} selected */
  reveal(selected) {
    if (selected === null || selected.at !== this.layout.at) return;
    const [left, right] = this.form.boxes(this.layout, this.now)[selected.element];
    this.scrollTo((this.x(left) + this.x(right)) / 2, this.top);
  }
}
