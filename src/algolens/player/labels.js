// @ts-check
"use strict";

/* Labels where there is room: none lies on another, nor on a node. What finds no room is left out until it is chosen. */

/** @typedef {[number, number, number, number]} Room  left, right, top, bottom, in pixels */
/** @typedef {{key: string, width: number, height: number, places: number[][], avoidsLines: boolean}} Label
 *    places: where its middle may be, the best first */

const CELL_SIZE = 48; // pixels of the squares by which rooms are found
const LINE_STEP = 8; // pixels between the points by which a line is known

/** @param {Room} one @param {Room} other */
function meets(one, other) {
  return one[0] < other[1] && other[0] < one[1] && one[2] < other[3] && other[2] < one[3];
}

/** Around a point. @param {number[]} middle @param {number} width @param {number} height @returns {Room} */
function roomAt([x, y], width, height) {
  return [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
}

/** The rooms that are taken. */
class TakenRooms {
  /** @param {Room} frame in which all has to stay */
  constructor(frame) {
    this.frame = frame;
    /** @type {Map<number, {room: Room, key: string}[]>} */
    this.cells = new Map();
    /** @type {Map<number, number[][]>} points of lines */
    this.lines = new Map();
  }

  /** @param {Room} room @returns {number[]} */
  static cellsOf([left, right, top, bottom]) {
    const found = [];
    for (let i = Math.floor(left / CELL_SIZE); i <= Math.floor(right / CELL_SIZE); i++)
      for (let j = Math.floor(top / CELL_SIZE); j <= Math.floor(bottom / CELL_SIZE); j++) found.push(i * 4096 + j);
    return found;
  }

  /** @param {Room} room @param {string} key */
  take(room, key) {
    for (const cell of TakenRooms.cellsOf(room)) {
      const known = this.cells.get(cell);
      if (known === undefined) this.cells.set(cell, [{ room, key }]);
      else known.push({ room, key });
    }
  }

  /** Keeps a line in mind, which labels avoid where they can. @param {number[]} from @param {number[]} to */
  cross([x1, y1], [x2, y2]) {
    const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / LINE_STEP);
    for (let i = 1; i < count; i++) {
      const point = [x1 + ((x2 - x1) * i) / count, y1 + ((y2 - y1) * i) / count];
      const cell = Math.floor(point[0] / CELL_SIZE) * 4096 + Math.floor(point[1] / CELL_SIZE);
      const known = this.lines.get(cell);
      if (known === undefined) this.lines.set(cell, [point]);
      else known.push(point);
    }
  }

  /** What has taken a room already. @param {Room} room @returns {string[]} */
  takers(room) {
    const found = new Set();
    for (const cell of TakenRooms.cellsOf(room)) for (const each of this.cells.get(cell) ?? []) if (meets(each.room, room)) found.add(each.key);
    return [...found];
  }

  /** @param {Room} room */
  isFree(room) {
    const [left, right, top, bottom] = this.frame;
    if (room[0] < left || room[1] > right || room[2] < top || room[3] > bottom) return false;
    return TakenRooms.cellsOf(room).every((cell) => (this.cells.get(cell) ?? []).every((each) => !meets(each.room, room)));
  }

  /** How much of lines lies in a room. @param {Room} room */
  crossed(room) {
    let count = 0;
    for (const cell of TakenRooms.cellsOf(room))
      for (const [x, y] of this.lines.get(cell) ?? []) if (x > room[0] && x < room[1] && y > room[2] && y < room[3]) count++;
    return count;
  }
}

/** Where each label stands, the first ones first; null where there is no room. @param {TakenRooms} taken @param {Label[]} labels
 *  @returns {Map<string, number[] | null>} */
function placeLabels(taken, labels) {
  const found = new Map();
  for (const { key, width, height, places, avoidsLines } of labels) {
    let best = null;
    let fewest = Infinity;
    for (const place of places) {
      const room = roomAt(place, width, height);
      if (!taken.isFree(room)) continue;
      const crossed = avoidsLines ? taken.crossed(room) : 0;
      if (crossed >= fewest) continue;
      [best, fewest] = [place, crossed];
      if (crossed === 0) break;
    }
    if (best !== null) taken.take(roomAt(best, width, height), key);
    found.set(key, best);
  }
  return found;
}

/** Places of a label around a node: below, above, at its sides, at its corners. @param {number[]} middle @param {number} radius
 *  @param {number} width @param {number} height */
function placesAround([x, y], radius, width, height) {
  const [across, down] = [radius + 3 + width / 2, radius + 2 + height / 2];
  const corner = [0.7 * radius + width / 2 + 2, 0.7 * radius + height / 2 + 2];
  const places = [[0, down], [0, -down], [across, 0], [-across, 0]];
  for (const [i, j] of [[1, 1], [-1, 1], [1, -1], [-1, -1]]) places.push([i * corner[0], j * corner[1]]);
  return places.map(([dx, dy]) => [x + dx, y + dy]);
}
