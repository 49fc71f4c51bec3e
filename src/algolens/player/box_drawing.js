// @ts-check
"use strict";

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
    this.form = LAYOUTS[this.layout.form];
    const count = side.graph.counts[this.layout.at];
    this.isLabelled = count <= /** @type {Record<string, number>} */ (MOST_LABELLED)[this.layout.form];
    this.root.setAttribute("class", `boxes ${this.isLabelled ? "" : "small"}`);
    this.axisLayer = svg("g", { class: "axis" });
    const nodeLayer = svg("g", { class: "nodes" });
    this.markLayer = svg("g", { class: "marks" });
    this.linkLayer = svg("g", { class: "axis" });
    this.partLayer = svg("g", { class: "axis" });
    this.root.append(this.partLayer, this.axisLayer, this.linkLayer, nodeLayer, this.markLayer);
    const everyone = Array.from({ length: count }, (_, i) => i);
    const { items } = this.page.algorithm;
    this.names = everyone.map((i) => {
      const name = this.words.name(this.layout.at, i);
      // numbers are named by themselves, letters by their place in a word
      return items === "numbers" && this.layout.form === "bars"
        ? ""
        : items === "words" ? name.replace(/^(text|pattern) /, "") : cut(name);
    });
    this.items = everyone.map((i) => {
      const group = svg("g", { class: "node" });
      const parts = {
        group,
        ring: svg("rect", { class: "ring", rx: 4 }),
        body: svg("rect", { class: "body", rx: 2 }),
        name: svg("text", { class: "input" }, this.names[i]),
        number: svg("text", { class: this.layout.form === "bars" ? "number" : "number inside" }),
        note: svg("text", { class: "input" }),
      };
      const texts = [...(["grid", "heap"].includes(this.layout.form) ? [] : [parts.name, parts.note]), parts.number];
      group.append(
        svg("title", {}, this.words.name(this.layout.at, i)), parts.ring, parts.body, ...(this.isLabelled ? texts : [])
      );
      group.addEventListener("click", () => hand.select(this.layout.at, i));
      nodeLayer.append(group);
      return parts;
    });
    /** @type {Box} */
    this.extent = [0, 0, 0, 0];
    this.total = { x: 0, y: 0 };
    // pixels of a column, of a row, and where they begin and end
    this.unitX = this.unitY = this.left = this.top = this.bottom = 0;
    this.isTurned = false;
    const hasMarks = (this.layout.marks ?? []).length > 0;
    /** lines of text that marks take; more where they would lie on each other */
    this.lanes = { above: hasMarks && this.layout.form === "tape" ? 1 : 0, below: hasMarks ? 1 : 0 };
  }

  /** How much lower names stand where bars hang down, with their numbers below them. */
  get drop() {
    return this.form.upwards && this.extent[2] < 0 ? LANE : 0;
  }

  /** What signs stand for. */
  told() {
    const { layout, isLabelled } = this;
    return [
      ...this.form.told(layout),
      ...(isLabelled ? [] : /** @type {[string, string[]][]} */ ([["names and numbers", ["choose one"]]])),
    ];
  }

  get now() {
    return new LayoutMoment(this.page, this.side, this.moment);
  }

  get shown() {
    return cellsShown(this.layout, this.now);
  }

  /** What has to be in view: what is at every moment, and where all stands now. @param {Box[]} boxes @returns {Box} */
  viewOf(boxes) {
    const { shown } = this;
    const all = [this.form.extent(this.layout, this.now), ...boxes.filter((_, i) => shown?.[i] !== false)];
    const far = (/** @type {number} */ i, /** @type {number} */ sign) =>
      all.reduce((most, box) => (sign * box[i] > sign * most ? box[i] : most), all[0][i]);
    return [far(0, -1), far(1, 1), far(2, -1), far(3, 1)];
  }

  /** The longest of some texts, in pixels. @param {string[]} texts */
  static wide(texts) {
    return LETTER * Math.max(0, ...texts.map((text) => [...text].length));
  }

  /** Pixels to the left of boxes: for headers of rows, names, or what a row says. @param {number} names how wide they
   *  are */
  marginLeft(names) {
    const { layout } = this;
    if (layout.form === "grid") return BoxDrawing.wide(this.headers("beside", 2).map(([, text]) => text)) + 16;
    if (this.form.across) return 1.1 * names + 16;
    const isNoted = layout.form === "tape" && layout.noted !== null;
    return isNoted ? BoxDrawing.wide([calledIn(this.page, layout.noted)]) + 14 : 12;
  }

  /** Lays the drawing out for a width. @param {number} width @param {number} height the most it should take
   *  @param {number} zoom */
  fit(width, height, zoom) {
    const { layout, form, isLabelled } = this;
    this.size = { width, height, zoom };
    const extent = this.viewOf(form.boxes(layout, this.now));
    this.extent = extent;
    const numbers = this.numbersOf(form.across ? layout.noted : layout.of);
    const [names, values] = [isLabelled ? BoxDrawing.wide(this.names) : 0, isLabelled ? BoxDrawing.wide(numbers) : 0];
    const [isTape, isGrid, isHeap] = ["tape", "grid", "heap"].map((form) => layout.form === form);
    const lanes = { above: LANE * this.lanes.above, below: LANE * this.lanes.below };
    const ranges = [extent[1] - extent[0] || 1, extent[3] - extent[2] || 1];
    const margin = {
      left: this.marginLeft(names),
      right: form.across ? values + 20 : 12,
      top: isGrid ? LANE + 8 : isTape ? LANE + 16 + lanes.above : LANE * (1 + (layout.lines ?? []).length) + 8,
      bottom: 0,
    };
    const roomX = width - margin.left - margin.right;
    const narrowest = isLabelled ? Math.max(CELL.least, values + 6, isTape ? 1.1 * names + 6 : 0) : 2;
    const column = Math.max(narrowest, Math.min(CELL.most, roomX / ranges[0])) * zoom;
    this.unitX = form.across ? (Math.max(120, roomX) * zoom) / ranges[0] : column;
    // names that are wider than a bar are turned
    this.isTurned = form.upwards && names + 4 > this.unitX;
    const name = this.isTurned ? 1.1 * names + 18 : isGrid || isHeap ? 8 : LANE + 6;
    margin.bottom =
      form.across
        ? 2 * LANE
        : name + (layout.noted == null ? 0 : LANE) + (lanes.below ? lanes.below + 10 : 0) + this.drop;
    const roomY = Math.max(80, Math.min(TALLEST, height - margin.top - margin.bottom));
    const row =
      isTape || isGrid || isHeap
        ? ROW.most
        : Math.min(ROW.most, Math.max(isLabelled ? ROW.least : 3, roomY / ranges[1]));
    this.unitY = (form.upwards ? roomY / ranges[1] : row) * zoom;
    const wide = ranges[0] * this.unitX;
    this.total = {
      x: Math.max(width, wide + margin.left + margin.right),
      y: margin.top + ranges[1] * this.unitY + margin.bottom,
    };
    // cells stand in the middle; an axis of numbers takes all the room there is
    this.left = form.across ? margin.left : Math.max(margin.left, (this.total.x - wide) / 2);
    this.top = margin.top;
    this.bottom = margin.top + ranges[1] * this.unitY;
    this.sizeTo(this.total);
    this.drawAxis();
  }

  /** Where a number, or a cell, begins, from left to right. @param {number} value */
  x(value) {
    return this.left + (value - this.extent[0]) * this.unitX;
  }

  /** The same from the top down. @param {number} value */
  y(value) {
    const far = this.form.upwards ? this.extent[3] - value : value - this.extent[2];
    return this.top + far * this.unitY;
  }

  drawAxis() {
    const { axisLayer, layout, form } = this;
    axisLayer.replaceChildren();
    const line = (/** @type {number[]} */ [x1, y1, x2, y2]) =>
      axisLayer.append(svg("path", { d: `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}` }));
    if (layout.form === "grid" && this.isLabelled) {
      const put = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, side = "") =>
        axisLayer.append(svg("text", { class: `input${side}`, x: x, y: y }, text));
      const room = Math.max(1, Math.floor(this.unitX / LETTER)); // letters over a column
      const first = (/** @type {string} */ text) => [...text].slice(0, room - 1).join("");
      const within = (/** @type {string} */ text) => ([...text].length > room ? `${first(text)}…` : text);
      for (const [at, text] of this.headers("above", 0))
        put(within(text), this.x(at + 0.5), this.y(this.extent[2]) - 10);
      for (const [at, text] of this.headers("beside", 2))
        put(text, this.x(this.extent[0]) - 8, this.y(at + 0.5), " end");
    }
    if (layout.form === "tape" && layout.noted !== null && this.isLabelled) {
      const y = this.bottom + 10 + LANE;
      axisLayer.append(svg("text", { class: "input start", x: 6, y: y }, calledIn(this.page, layout.noted)));
    }
    if (form.upwards) line([this.x(this.extent[0]), this.y(0), this.x(this.extent[1]), this.y(0)]);
    if (!form.across) return;
    const bottom = this.bottom;
    line([this.x(this.extent[0]), bottom, this.x(this.extent[1]), bottom]);
    const scale = this.page.scales[layout.end] ?? 1;
    for (const tick of ticksOf(this.extent[0] / scale, this.extent[1] / scale, Math.max(2, this.total.x / 90))) {
      const x = this.x(tick * scale);
      line([x, bottom, x, bottom + 5]);
      axisLayer.append(svg("text", { class: "input", x: x, y: bottom + 14 }, String(tick)));
    }
  }

  /** What stands over the columns of a table, or beside its rows: what is declared; else its half of a cell's name,
   *  "row:column"; else a number. @param {string} part @param {number} axis */
  headers(part, axis) {
    const texts = this.numbersOf(this.layout[part]);
    const headers = new Map();
    const { shown } = this;
    this.form.boxes(this.layout, this.now).forEach((box, i) => {
      if (shown?.[i] === false) return;
      const halves = this.names[i].split(":");
      const name = halves.length === 2 ? halves[axis === 0 ? 1 : 0] : String(box[axis]);
      if (!headers.has(box[axis])) headers.set(box[axis], texts[i] === "" ? name : texts[i]);
    });
    return [...headers];
  }

  /** A number of every element as text; nothing where it is none. @param {string | null | undefined} name */
  numbersOf(name) {
    if (name == null) return this.items.map(() => "");
    if (isFall(this.page, name)) return fallsIn(this.now);
    const field = fieldOf(this.page, name);
    const where = this.page.algorithm.only_where[name];
    const mask = where === undefined ? [] : this.now.at(where);
    return this.now
      .at(name)
      .map((value, i) => (mask[i] === 0 ? "" : cut(this.words.value(name, field, value, i, this.side.given))));
  }

  /** Shows a moment. @param {number} moment @param {Chosen} selected @param {boolean} isDifferent @param {Lit} lit */
  show(moment, selected, isDifferent, lit) {
    const { layout, form } = this;
    this.moment = moment;
    const boxes = form.boxes(layout, this.now);
    if (this.viewOf(boxes).some((value, i) => value !== this.extent[i]))
      this.fit(this.size.width, this.size.height, this.size.zoom);
    const classes = /** @type {Record<string, Classes | null>} */ (this.classes)[layout.at] ?? null;
    const chosen = /** @type {Record<string, Set<number>>} */ (lit)[layout.at];
    this.looksOf(layout.at, selected, isDifferent, chosen).forEach(({ number, marks, isNew }, i) => {
      if (!isNew) return;
      const { group } = this.items[i];
      group.setAttribute("class", ["node", ...marks].join(" "));
      // its border lies on those of the cells around
      if (layout.form === "grid" && marks.length > 0) group.parentNode?.append(group);
      if (classes !== null) paint(this.items[i].group, number, classes.labels.length);
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
    const { layout, form, items } = this;
    const item = items[i];
    const [x1, x2] = [this.x(left), this.x(right)];
    const [y1, y2] = form.upwards ? [this.y(high), this.y(low)] : [this.y(low), this.y(high)];
    const isTape = layout.form === "tape";
    const gap = { x: form.upwards ? GAP * (x2 - x1) : 0, y: form.across ? GAP * (y2 - y1) : 0 };
    const wide = Math.max(form.across ? 6 : 2, x2 - x1 - gap.x);
    const tall = Math.max(form.upwards ? 5 : 2, y2 - y1 - gap.y);
    // a bar of nothing is a slab on the axis, whose color is seen; so is an interval of nothing
    const top = form.upwards && low === 0 ? y2 - tall : y1 + gap.y / 2;
    item.group.setAttribute("transform", `translate(${(x1 + gap.x / 2).toFixed(1)} ${top.toFixed(1)})`);
    for (const [rect, more] of /** @type {[Element, number][]} */ ([[item.body, 0], [item.ring, 3]])) {
      const size = { x: -more, y: -more, width: wide + 2 * more, height: tall + 2 * more };
      setAll(rect, size);
    }
    if (!this.isLabelled) return;
    const put = (/** @type {Element} */ text, /** @type {number} */ x, /** @type {number} */ y, anchor = "middle") => {
      setAll(text, { x, y });
      text.setAttribute(
        "class",
        `${(text.getAttribute("class") ?? "").replace(/ (start|end)$/, "")}${anchor === "middle" ? "" : ` ${anchor}`}`,
      );
    };
    if (form.across) {
      put(item.name, this.left - x1 - 8, tall / 2, "end");
      put(item.note, wide + 6, tall / 2, "start");
    } else if (layout.form === "grid" || layout.form === "heap") {
      put(item.number, wide / 2, tall / 2);
    } else if (isTape) {
      put(item.name, wide / 2, low === 0 ? -9 : tall + 10);
      put(item.number, wide / 2, tall / 2);
      put(item.note, wide / 2, tall + 10 + LANE);
    } else {
      const under = this.bottom - top + 12 + this.drop;
      if (this.isTurned)
        item.name.setAttribute("transform", `rotate(-90 ${(wide / 2).toFixed(1)} ${under.toFixed(1)})`);
      else item.name.removeAttribute("transform");
      put(item.name, wide / 2, under, this.isTurned ? "end" : "middle");
      put(item.number, wide / 2, low < 0 ? tall + 9 : -9);
    }
    item.number.textContent = number;
    item.note.textContent = isTape && low === 0 ? "" : note;
  }

  /** The lines of a tree. @param {Box[]} boxes */
  drawLinks(boxes) {
    const middle = (/** @type {number} */ i) =>
      `${this.x((boxes[i][0] + boxes[i][1]) / 2).toFixed(1)} ${this.y((boxes[i][2] + boxes[i][3]) / 2).toFixed(1)}`;
    const links = this.layout.form === "heap" ? heapLinks(this.layout, this.now) : [];
    this.linkLayer.replaceChildren(
      ...links.map(([one, other]) => svg("path", { d: `M${middle(one)}L${middle(other)}` }))
    );
  }

  /** Marks below what they name; on a tape's first row, above it. @param {Box[]} boxes */
  drawMarks(boxes) {
    const { layout, markLayer, isLabelled } = this;
    markLayer.replaceChildren();
    /** @type {Map<number, string[]>} the marks of an element, each told at the first that it names */
    const told = new Map();
    for (const mark of this.isSorting ? (layout.marks ?? []) : []) {
      namedBy(layout, this.now, mark).forEach((element, i) => {
        const pivot = calledIn(this.page, mark) === "pivot" ? ` ${this.numbersOf(layout.of)[element]}` : "";
        told.set(element, [...(told.get(element) ?? []), ...(i === 0 ? [calledIn(this.page, mark) + pivot] : [])]);
      });
    }
    const names = this.isTurned ? 1.1 * BoxDrawing.wide(this.names) + 12 : LANE;
    const below = this.bottom + (isLabelled ? names : 0) + (layout.noted == null ? 0 : LANE) + this.drop + 6;
    const above = this.top - LANE - 6;
    /** @type {Record<string, number[]>} how far each lane is taken, from left to right */
    const taken = { above: [], below: [] };
    for (const [element, words] of [...told].sort(([a], [b]) => boxes[a][0] - boxes[b][0])) {
      const [left, right, low] = boxes[element];
      const isAbove = layout.form === "tape" && layout.second !== null && low === 0;
      const under = layout.form === "heap" ? this.y(boxes[element][3]) + 2 : below;
      const [x, y, way] = [(this.x(left) + this.x(right)) / 2, isAbove ? above : under, isAbove ? -1 : 1];
      markLayer.append(svg("path", { class: "head", d: `M${x.toFixed(1)} ${y}l-4 ${7 * way}h8Z` }));
      const text = words.join(", ");
      if (text === "") continue;
      const half = widthOf(text, true) / 2 + 5;
      const middle = Math.max(half, Math.min(this.total.x - half, x));
      const lanes = taken[isAbove ? "above" : "below"];
      const free = lanes.findIndex((end) => end < middle - half);
      const lane = free < 0 ? lanes.length : free;
      if (lane >= this.lanes[isAbove ? "above" : "below"])
        return this.withLanes(isAbove ? "above" : "below", lane + 1, boxes);
      lanes[lane] = middle + half;
      const where = y + way * (14 + lane * LANE);
      if (lane > 0)
        markLayer.append(svg("path", { class: "stem", d: `M${x.toFixed(1)} ${y + 7 * way}V${where - 6 * way}` }));
      markLayer.append(svg("text", { class: "mark", x: middle, y: where }, text));
    }
  }

  /** Makes room for more lines of marks. @param {"above" | "below"} where @param {number} count @param {Box[]} boxes */
  withLanes(where, count, boxes) {
    this.lanes[where] = count;
    this.fit(this.size.width, this.size.height, this.size.zoom);
    this.placeAll(boxes);
    this.drawMarks(boxes);
  }

  /** Whether places that a run keeps mean something: before it begins, and once all is in order, they do not. */
  get isSorting() {
    const { layout, moment, side } = this;
    if (layout.form !== "bars" && layout.form !== "heap") return true;
    return moment > 0 && (moment < side.steps || layout.order === null);
  }

  /** The part of a row that is worked on, shaded; and the height of its pivot. @param {Box[]} boxes */
  drawPart(boxes) {
    const { layout, markLayer } = this;
    this.partLayer.replaceChildren();
    if (layout.form !== "bars" || !this.isSorting || !["low", "high"].every((mark) => layout.marks.includes(mark)))
      return;
    const [low, high] = ["low", "high"].map((mark) => namedBy(layout, this.now, mark)[0]);
    if (low === undefined || high === undefined || boxes[low][0] > boxes[high][0]) return;
    const [left, right] = [this.x(boxes[low][0]), this.x(boxes[high][1])];
    const size = { x: left, y: this.top - LANE, width: right - left, height: this.bottom - this.top + LANE, rx: 4 };
    this.partLayer.append(svg("rect", { class: "part", ...size }));
    if (calledIn(this.page, "high") !== "pivot") return;
    const y = this.y(this.now.at(layout.of)[high]);
    markLayer.append(svg("path", { class: "level", d: `M${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}` }));
  }

  /** Numbers of the graph, as lines across the axis of numbers. */
  drawLines() {
    const { layout, form, markLayer } = this;
    (layout.lines ?? []).forEach((/** @type {string} */ name, /** @type {number} */ i) => {
      const [value] = this.now.at(name);
      if (value === undefined) return;
      const text =
        `${calledIn(this.page, name)} ${this.words.value(name, fieldOf(this.page, name), value, 0, this.side.given)}`;
      const half = widthOf(text, true) / 2 + 5;
      if (form.across) {
        const [x, y] = [this.x(value), LANE * (i + 1)];
        const middle = Math.max(half, Math.min(this.total.x - half, x));
        markLayer.append(svg("path", { class: "level", d: `M${x.toFixed(1)} ${y + 7}V${this.bottom}` }));
        markLayer.append(svg("text", { class: "mark", x: middle, y }, text));
      } else {
        const [y, right] = [this.y(value), this.x(this.extent[1])];
        markLayer.append(
          svg(
            "path", { class: "level", d: `M${this.x(this.extent[0]).toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}` }
          )
        );
        markLayer.append(svg("text", { class: "mark", x: this.x(this.extent[0]) + half, y: y - 9 }, text));
      }
    });
  }

  /** Scrolls the drawing so that what is chosen is seen. @param {Chosen} selected */
  reveal(selected) {
    if (selected === null || selected.at !== this.layout.at) return;
    const [left, right] = this.form.boxes(this.layout, this.now)[selected.element];
    this.scrollTo((this.x(left) + this.x(right)) / 2, this.top);
  }
}
