/* A field over time, kept as what changes: a frame is made from the nearest keyframe before it. */

const KEPT_FRAMES = 4; // that were asked for last: a page reads a moment, and the one before it

/** A number, or one that was written as text, for JavaScript would have rounded it. @param {Value | string} value */
function decodedValue(value) {
  return typeof value === "string" ? BigInt(value) : value;
}

/** How many of some ascending numbers are at most a limit. @param {number[]} numbers @param {number} limit */
function countUpTo(numbers, limit) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Places and values, written in turn. @param {(number | string)[]} change */
function pairsOf(change) {
  return Array.from({ length: change.length / 2 }, (_, i) => [Number(change[2 * i]), Number(change[2 * i + 1])]);
}

class Timeline {
  /** @param {Value[]} first the frame of step 0 @param {number[]} steps those that change something
   *  @param {(number | string)[][]} changes for each of them, the places and values that are new, in turn */
  constructor(first, steps, changes) {
    this.first = first;
    this.steps = steps;
    this.changes = changes;
    /** @type {[number, Value[]][]} after how many of the changing steps, and the frame: so far apart that they take no
     *  more room than changes */
    this.keyframes = [[0, first]];
    const frame = [...first];
    let since = 0;
    changes.forEach((change, i) => {
      Timeline.apply(frame, change);
      since += change.length;
      if (since < first.length) return;
      this.keyframes.push([i + 1, [...frame]]);
      since = 0;
    });
    /** @type {Map<number, Value[]>} */
    this.made = new Map();
  }

  /** As the page's JSON has it. @param {any} written */
  static read(written) {
    return new Timeline(written.first.map(decodedValue), written.steps, written.changes);
  }

  /** From all its frames. @param {Value[][]} rows */
  static ofRows(rows) {
    /** @type {number[]} */
    const steps = [];
    /** @type {any[][]} */
    const changes = [];
    for (let step = 1; step < rows.length; step++) {
      const [before, now] = [rows[step - 1], rows[step]];
      const change = now === before ? [] : now.flatMap((value, i) => (value === before[i] ? [] : [i, value]));
      if (change.length === 0) continue;
      steps.push(step);
      changes.push(change);
    }
    return new Timeline(rows[0] ?? [], steps, changes);
  }

  /** Every value that it ever has, some of them often. */
  everyValue() {
    return [
      ...this.first,
      ...this.changes.flatMap((change) => change.filter((_, i) => i % 2 === 1).map(decodedValue)),
    ];
  }

  /** @param {Value[]} frame @param {(number | string)[]} change */
  static apply(frame, change) {
    for (let i = 0; i < change.length; i += 2) frame[/** @type {number} */ (change[i])] = decodedValue(change[i + 1]);
  }

  /** The frame of a step: the same array where nothing has changed since the last one. @param {number} step */
  at(step) {
    const count = countUpTo(this.steps, step);
    const known = this.made.get(count);
    if (known !== undefined) return known;
    let place = this.keyframes.length - 1;
    while (this.keyframes[place][0] > count) place--;
    const [begin, keyframe] = this.keyframes[place];
    const frame = [...keyframe];
    for (const change of this.changes.slice(begin, count)) Timeline.apply(frame, change);
    if (this.made.size >= KEPT_FRAMES) this.made.delete(/** @type {number} */ (this.made.keys().next().value));
    this.made.set(count, frame);
    return frame;
  }
}
