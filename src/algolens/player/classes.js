/* The classes that elements are drawn in, and what each is called: from a category, from sets, or from the masks that
 * hold. */

const PALETTE = 7; // colors told apart by everybody; of more classes, hues are made

/** @typedef {{title: string, labels: string[], of: (now: Moment) => number[]}} Classes */

/** The classes that the elements at a location are drawn in: a category, else groups, else which masks hold; null:
 *  none. @param {Page} page @param {Side[]} sides @param {string} at @returns {Classes | null} */
function classesAt(page, sides, at) {
  const { algorithm } = page;
  const states = algorithm.words.states ?? {};
  const names = fieldsOf(page, at);
  const count = sides[0].graph.counts[at];
  const nothing = upTo(count).fill(0);
  const category = names.find((name) => fieldOf(page, name).kind === "category");
  if (category !== undefined) {
    const { labels } = fieldOf(page, category);
    const first = labels.length === 2 ? 1 : 0; // of two classes, none is that of nothing done
    const said = labels.map((label) => states[label] ?? label);
    const isSaid = labels.every((label) => states[label] !== undefined);
    return {
      title: isSaid ? "" : spaced(category),
      labels: first ? ["", ...said] : said,
      of: (now) => (now.values(category) ?? nothing).map((value) => Number(value) + first),
    };
  }
  const group = names.find((name) => isSet(page, name));
  const masks = names.filter((name) => fieldOf(page, name).kind === "mask");
  const held = statesAt(page, masks, at, count);
  if (group === undefined) return held;
  const sets = groupsBy(page, sides, group, nothing);
  return held === null ? sets : setsBeside(sets, held, calledIn(page, group));
}

/** Whether a pointer leads from a node to another, and is drawn so; others say which set a node is in.
 *  @param {Page} page @param {string} name */
function isArrow(page, name) {
  if (fieldOf(page, name).itself_is_none) return true;
  const moves = movesIn(page.algorithm, name);
  return moves.length > 0
    && moves.every(([, value]) => ["sender", "receiver"].includes((value.type === "The" ? value.value : value).column));
}

/** Whether a pointer says which set a node is in; in a table, another cell. @param {Page} page @param {string} name */
function isSet(page, name) {
  return fieldOf(page, name).kind === "pointer" && !isArrow(page, name) && page.algorithm.layout.form !== "grid";
}

/** Elements of a set in its color, those that are alone by what holds of them. @param {Classes} sets
 *  @param {Classes} held @param {string} name @returns {Classes} */
function setsBeside(sets, held, name) {
  const count = held.labels.length;
  return {
    title: "",
    labels: [...held.labels, ...sets.labels.slice(1).map((label) => `${name} ${label}`)],
    of: (now) => {
      const alone = held.of(now);
      return sets.of(now).map((number, i) => (number > 0 ? count + number - 1 : alone[i]));
    },
  };
}

/** Elements that point to one element are of one class; those that are alone are of none. @param {Page} page
 *  @param {Side[]} sides @param {string} name @param {number[]} nothing @returns {Classes} */
function groupsBy(page, sides, name, nothing) {
  const rootsOf = (/** @type {Moment} */ now) => {
    const pointers = (now.values(name) ?? [...nothing.keys()]).map(Number);
    const assigned = now.values("assigned"); // where not all elements are in a set from the start
    if (assigned !== null) return pointers.map((root, i) => (Number(assigned[i]) === 1 ? root : -1));
    const sizes = new Map();
    for (const root of pointers) sizes.set(root, (sizes.get(root) ?? 0) + 1);
    return pointers.map((root) => (sizes.get(root) > 1 ? root : -1));
  };
  /** @type {Set<number>} */
  const found = new Set();
  // where two point to one element, they are a set; an element alone points to itself
  for (const side of sides) for (const [element, root] of side.everyValue(name)) if (root !== element) found.add(root);
  // but one that is put into a set is a set of its own
  for (const side of sides)
    if (side.at("assigned", side.steps) !== null)
      for (const root of rootsOf(new Moment(side, side.steps))) found.add(root);
  found.delete(-1);
  const roots = [...found];
  const numbers = new Map(roots.map((root, i) => [root, i + 1]));
  const names = roots.map((root) => nodeName(page, root));
  return {
    title: calledIn(page, name),
    labels: ["alone", ...names],
    of: (now) => rootsOf(now).map((root) => numbers.get(root) ?? 0),
  };
}

/** States: those that the algorithm names, as "settled", else its masks; null where it has none. @param {Page} page
 *  @param {string[]} masks @param {string} at @param {number} count @returns {Classes | null} */
function statesAt(page, masks, at, count) {
  const told = page.algorithm.words.states ?? {};
  const isNamed = Object.keys(told).some((name) => masks.includes(name));
  const states = isNamed ? told : Object.fromEntries(masks.map((name) => [name, spaced(name)]));
  const names = Object.keys(states).filter((name) => masks.includes(name));
  if (names.length === 0) return null;
  // of a walk, what it visited is still open, on the way back, or finished
  const parent = signsOf(page).pointer;
  const isWalk =
    parent !== undefined && ["visited", "current"].every((name) => names.includes(name)) && !names.includes("finished");
  const visited = names.indexOf("visited") + 1;
  const finished = names.length + 1;
  return {
    title: "",
    // "none" is said of the elements that the algorithm decides of; elsewhere the last state is the widest
    labels: [
      (at === page.algorithm.location ? states.none : null) ?? `not ${states[names[names.length - 1]]}`,
      ...names.map((name) => (isWalk && name === "visited" ? "open: still on the stack" : states[name])),
      ...(isWalk ? ["finished"] : []),
    ],
    of: (now) => {
      const found = upTo(count).fill(0);
      // the first that holds counts
      for (let place = names.length - 1; place >= 0; place--)
        now.values(names[place])?.forEach((value, i) => {
          if (Number(value) === 1) found[i] = place + 1;
        });
      if (!isWalk) return found;
      const open = new Set(wayBack(now, parent, "current"));
      return found.map((number, i) => (number === visited && !open.has(i) ? finished : number));
    },
  };
}
