// @ts-check
"use strict";

/* Places for nodes that have none yet: about as far apart as edges lie between them. Pages that come from Python have their places. */

const ROUNDS = 60;

/** How many edges lie between a node and all others; those that it does not reach are as far as the last, and one more.
 *  @param {number[][]} beside @param {number} from @returns {number[]} */
function edgesFrom(beside, from) {
  const far = beside.map(() => -1);
  far[from] = 0;
  const waiting = [from];
  for (let i = 0; i < waiting.length; i++)
    for (const next of beside[waiting[i]]) {
      if (far[next] >= 0) continue;
      far[next] = far[waiting[i]] + 1;
      waiting.push(next);
    }
  const most = Math.max(...far) + 1;
  return far.map((each) => (each < 0 ? most : each));
}

/** Places for a graph: nodes of the same name stay where they were, where most are known. @param {OwnGraph} own @param {OwnGraph} before @returns {number[][]} */
function placesFor(own, before) {
  const count = own.nodes.length;
  const known = own.nodes.map((name) => before.places[before.nodes.indexOf(name)]);
  const radius = Math.max(1, count / 6);
  const places = known.map((place, i) => place ?? [radius * (1 + Math.cos((2 * Math.PI * i) / count)), radius * (1 + Math.sin((2 * Math.PI * i) / count))]);
  const free = known.flatMap((place, i) => (place === undefined ? [i] : []));
  if (free.length === 0) return places.map((place) => [...place]);
  /** @type {number[][]} */
  const beside = own.nodes.map(() => []);
  for (const [u, v] of own.edges) {
    beside[u].push(v);
    beside[v].push(u);
  }
  const far = free.map((node) => edgesFrom(beside, node));
  for (let round = 0; round < ROUNDS; round++) {
    free.forEach((node, row) => {
      let [x, y, total] = [0, 0, 0];
      for (let other = 0; other < count; other++) {
        if (other === node) continue;
        const wanted = Math.max(1, far[row][other]);
        const [dx, dy] = [places[node][0] - places[other][0], places[node][1] - places[other][1]];
        const length = Math.hypot(dx, dy) || 1e-3;
        const weight = 1 / wanted ** 2;
        x += weight * (places[other][0] + (wanted * dx) / length);
        y += weight * (places[other][1] + (wanted * dy) / length);
        total += weight;
      }
      if (total > 0) places[node] = [x / total, y / total];
    });
  }
  return moved(places);
}

/** The same, with the least coordinates at 0. @param {number[][]} places */
function moved(places) {
  const [left, top] = [0, 1].map((axis) => Math.min(...places.map((place) => place[axis])));
  return places.map(([x, y]) => [x - left, y - top]);
}
