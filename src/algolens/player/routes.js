/* Edges led around nodes: an edge that would run through a node, or close by, is bent until it does not. */

const CLEAR = 5; // pixels between an edge and a node that is not its end
const BENDS = [12, 20, 30, 42, 56, 72]; // pixels that an edge is bent to a side, the least that suffices
const MOST_BENT = 0.45; // of its length
const POINTS_ON_EDGE = 14;

/** Points along a bent edge. @param {number[]} from @param {number[]} to @param {number} bend @param {number} count */
function pointsAlong([x1, y1], [x2, y2], bend, count) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return Array.from({ length: count }, (_, i) => {
    const share = (i + 1) / (count + 1);
    const away = 4 * bend * share * (1 - share);
    return [x1 + (x2 - x1) * share - ((y2 - y1) / length) * away, y1 + (y2 - y1) * share + ((x2 - x1) / length) * away];
  });
}

/** How far each edge is bent, to its left or right. @param {number[][]} places of nodes, in pixels
 *  @param {number[][]} edges @param {number[]} least by which an edge is bent already @param {number} radius of a
 *  node */
function bendsAround(places, edges, least, radius) {
  const far = radius * 1.2 + CLEAR;
  const size = Math.max(2 * far, 24);
  /** @type {Map<number, number[]>} nodes by the squares that they lie in */
  const squares = new Map();
  const squareOf =
    (/** @type {number} */ x, /** @type {number} */ y) => Math.floor(x / size) * 8192 + Math.floor(y / size);
  places.forEach(([x, y], node) => squares.set(squareOf(x, y), [...(squares.get(squareOf(x, y)) ?? []), node]));
  const isMet = (/** @type {number[]} */ [x, y], /** @type {number[]} */ ends) => {
    for (const dx of [-size, 0, size])
      for (const dy of [-size, 0, size])
        for (const node of squares.get(squareOf(x + dx, y + dy)) ?? [])
          if (!ends.includes(node) && Math.hypot(places[node][0] - x, places[node][1] - y) < far) return true;
    return false;
  };
  return edges.map((ends, edge) => {
    const [from, to] = ends.map((node) => places[node]);
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const count = Math.max(3, Math.min(POINTS_ON_EDGE, Math.ceil(length / far)));
    const met =
      (/** @type {number} */ bend) => pointsAlong(from, to, bend, count).filter((point) => isMet(point, ends)).length;
    let [best, fewest] = [least[edge], met(least[edge])];
    for (const bend of BENDS) {
      if (fewest === 0 || bend > MOST_BENT * length) break;
      for (const side of [bend, -bend]) {
        const many = fewest === 0 ? 1 : met(side);
        if (many < fewest) [best, fewest] = [side, many];
      }
    }
    return best;
  });
}
