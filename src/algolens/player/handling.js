/* The drawing of a graph under a finger or a mouse: choose, drag a node, move the view, zoom. */

const NEAR_NODE = 8; // pixels around a node that count as it
const NEAR_EDGE = 9;
const DRAGGED = 4; // pixels: less is a click

class Handling {
  /** @param {GraphDrawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    /** @type {{x: number, y: number, node: number | null, isMoved: boolean, left: number, top: number} | null} */
    this.begun = null;
    const root = /** @type {SVGSVGElement} */ (drawing.root);
    root.addEventListener("pointerdown", (event) => this.begin(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", (event) => this.end(event));
    root.addEventListener("pointercancel", () => (this.begun = null));
  }

  /** A point of the drawing. @param {MouseEvent} event */
  at(event) {
    const frame = this.drawing.root.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top].map((far) => far / this.drawing.magnified);
  }

  /** The node at a point; null where there is none. @param {number[]} point */
  nodeAt([x, y]) {
    const { places, radius } = this.drawing;
    let [found, least] = [/** @type {number | null} */ (null), radius * 1.3 + NEAR_NODE];
    places.forEach((place, node) => {
      const far = Math.hypot(place[0] - x, place[1] - y);
      if (far < least) [found, least] = [node, far];
    });
    return found;
  }

  /** The edge at a point; null where there is none. @param {number[]} point */
  edgeAt([x, y]) {
    const { places, bends } = this.drawing;
    let [found, least] = [/** @type {number | null} */ (null), NEAR_EDGE];
    if (this.drawing.edgeLayer.childElementCount === 0) return null;
    this.drawing.page.graph.edges.forEach(([u, v], edge) => {
      const [[x1, y1], [x2, y2]] = [places[u], places[v]];
      const [dx, dy] = [x2 - x1, y2 - y1];
      const length = Math.hypot(dx, dy) || 1;
      const share = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length ** 2));
      const away = 4 * bends[edge] * share * (1 - share);
      const far = Math.hypot(x1 + dx * share - (dy / length) * away - x, y1 + dy * share + (dx / length) * away - y);
      if (far < least) [found, least] = [edge, far];
    });
    return found;
  }

  /** @param {PointerEvent} event */
  begin(event) {
    if (event.button !== 0) return;
    const canvas = this.drawing.root.parentElement;
    const [x, y] = this.at(event);
    this.begun = {
      x: event.clientX,
      y: event.clientY,
      node: this.nodeAt([x, y]),
      isMoved: false,
      left: canvas?.scrollLeft ?? 0,
      top: canvas?.scrollTop ?? 0,
    };
    if (this.begun.node !== null) event.preventDefault(); // else a finger would scroll
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { begun, drawing } = this;
    if (begun === null) return;
    const [dx, dy] = [event.clientX - begun.x, event.clientY - begun.y];
    if (!begun.isMoved && Math.hypot(dx, dy) < DRAGGED) return;
    if (!begun.isMoved) drawing.root.setPointerCapture?.(event.pointerId);
    begun.isMoved = true;
    const canvas = drawing.root.parentElement;
    if (begun.node !== null && drawing.layout.form !== "plane") {
      const [x, y] = this.at(event);
      const total = drawing.total ?? { x: 0, y: 0 };
      drawing.page.graph.places[begun.node] =
        drawing.inUnits(Math.max(12, Math.min(total.x - 12, x)), Math.max(12, Math.min(total.y - 12, y)));
      drawing.placeAgain();
    } else if (canvas !== null && event.pointerType === "mouse") {
      [canvas.scrollLeft, canvas.scrollTop] = [begun.left - dx, begun.top - dy];
    }
  }

  /** @param {PointerEvent} event */
  end(event) {
    const { begun, drawing } = this;
    this.begun = null;
    if (begun === null) return;
    const point = this.at(event);
    if (begun.isMoved) return;
    const edge = begun.node === null ? this.edgeAt(point) : null;
    drawing.root.parentElement?.focus({ preventScroll: true });
    if (begun.node !== null) drawing.hand.select("node", begun.node);
    else if (edge !== null) drawing.hand.select("edge", edge);
    else drawing.hand.background(drawing.inUnits(point[0], point[1]));
  }
}
