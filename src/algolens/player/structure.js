/* The structure behind an algorithm as a strip: who waits, in the order in which they come (a queue, or a heap with its
 * keys), the way back (a stack), sets. All of it is read off what is declared: "the least of those that wait" is a
 * statement of the look. */

const MOST_CHIPS = 16;
const MOST_LOOKED_AT = 50; // moments at which a mask is looked at, to see whether it holds once

/** @typedef {{title: string, items: Chip[][], isFirstNext: boolean}} Structure */

/** The words that lead from an element to a value. @param {Expr} node @returns {string[]} */
const pathOf = (node) => (node.type === "Get" ? [...(node.of === undefined ? [] : pathOf(node.of)), node.column] : []);

/** "those (X) of which no other (X) has a lower K": what is compared, where a statement picks the least or the
 *  greatest; else null. @param {Expr} formula @returns {{own: Expr[], view: View, key: Expr, isLeast: boolean} | null}
 *  key: of the element itself */
function pickedBy(formula) {
  /** @type {(node: Expr) => Expr[]} */
  const partsOf = (node) => (node.type === "And" ? node.terms : [node]);
  const parts = partsOf(formula);
  const chooser = parts.find((part) => part.type === "Not" && part.term.quantity === "some");
  if (chooser === undefined) return null;
  const { view, body } = chooser.term;
  const inner = partsOf(body);
  const order = inner.find((part) => part.op === "<" || part.op === ">");
  if (order === undefined || !someNode(order.left[0], ({ type }) => type === "It")) return null;
  const keysOf = (/** @type {Expr[]} */ side) => side.map((node) => pathOf(node).join(" ")).join();
  if (keysOf(order.left) !== keysOf(order.right)) return null;
  const [own, others] = [parts.filter((part) => part !== chooser), inner.filter((part) => part !== order)];
  return { own: own.length > 0 ? own : others, view, key: order.right[0], isLeast: order.op === "<" };
}

/** The structures of a run after a moment. @param {Moment} now @returns {Structure[]} */
function structuresOf(now) {
  const { page, side, algorithm: { layout: { form }, outputs, hints, words } } = now;
  // boxes are the structure themselves
  if (side.machine === null || Object.hasOwn(LAYOUTS, form) || form === "plane") return [];
  const stacks = stackIn(now);
  // while a walk goes on, its stack is shown, and nothing else waits; once it is over, who waits
  const waiting = waitingIn(now, stacks.length > 0);
  const walk = walkIn(side);
  const isWalked = walk !== undefined && now.moment >= (momentsOf(side, [walk]).at(-1) ?? 0);
  const found = stacks.length === 0 || (isWalked && waiting.length > 0) ? waiting : stacks;
  const isNamed = (/** @type {string} */ name) => Object.hasOwn(outputs, name) || Object.hasOwn(words.states, name);
  const group = Object.keys({ ...hints, ...outputs })
    .find((name) => fieldOf(page, name).at === "node" && isSet(page, name) && isNamed(name));
  return group === undefined ? found : [...found, ...setsIn(now, group)];
}

/** Those among whom the least, or the greatest, comes next. @param {Moment} now @param {boolean} hasStack so that they
 *  wait in every step after the walk @returns {Structure[]} */
function waitingIn({ page, words, side, moment }, hasStack) {
  const machine = /** @type {Machine} */ (side.machine);
  for (const { at, value } of /** @type {Let[]} */ (page.algorithm.program.lets)) {
    const picked = pickedBy(value.type === "Or" ? value.terms.at(-1) : value);
    if (picked === null || at === "graph") continue;
    const { joins } = picked.view;
    const isOfAll = tableIn(picked.view) === at && joins.length === 1 && joins[0][0].column === "graph";
    const key = picked.key.column;
    if (!isOfAll || machine.fields[key]?.kind !== "number" || page.drawn.includes(key)) continue;
    // after the last step there is no scene of the run: what would be seen next
    const scene = moment >= side.steps ? machine.scene(side.before(side.steps)) : side.scene(moment);
    if (scene === null) continue;
    const values = scene.all(at, (i) => scene.of(picked.key, i));
    const sign = picked.isLeast ? 1 : -1;
    const those = [...values.keys()]
      .filter((i) => picked.own.every((part) => (hasStack && pathOf(part)[0] === "graph") || scene.holds(part, i, i)))
      .sort((a, b) => sign * (Number(values[a]) - Number(values[b])) || a - b);
    const whose = picked.key.of ?? { type: "Me" };
    // the user's own number: what is compared may be its rank
    const number = (/** @type {number} */ i) => words.value(key, values[i], scene.of(whose, i), { kind: "number" });
    const isLink = at === "link";
    const item = (/** @type {number} */ i) => ({
      text: `${words.name(at, i)} ${number(i)}`,
      at: isLink ? "edge" : at,
      element: isLink ? side.graph.steps.link.edge[i] : i,
    });
    return [{ title: `Waiting, by ${calledIn(page, key)}`, items: [those.map(item)], isFirstNext: true }];
  }
  return [];
}

/** The way back from where a walk stands. @param {Moment} now @returns {Structure[]} */
function stackIn(now) {
  const [parent, current] = [signsOf(now.page).pointer, walkIn(now.side)];
  if (parent === undefined || current === undefined) return [];
  const stack = wayBack(now, parent, current).map((node) => chipOf(now, node));
  return [{ title: "Stack, the top first", items: [stack], isFirstNext: false }];
}

/** The mask of where a walk stands. @param {Side} side */
function walkIn(side) {
  const { page } = side;
  return fieldsOf(page, "node").find((name) => fieldOf(page, name).kind === "mask" && isOneAtATime(side, name));
}

/** @param {Moment} now @param {number} element @returns {Chip} */
const chipOf = (now, element) => ({ text: now.words.name("node", element), at: "node", element });

/** The nodes from where a walk stands back to where it began. @param {Moment} now @param {string} parent
 *  @param {string} current */
function wayBack(now, parent, current) {
  const pointers = now.values(parent)?.map(Number) ?? [];
  const top = now.values(current)?.findIndex((value) => Number(value) === 1) ?? -1;
  /** @type {number[]} */
  const stack = [];
  for (let node = top; node >= 0 && !stack.includes(node) && node < pointers.length; node = pointers[node])
    stack.push(node);
  return stack;
}

/** Whether a mask holds at no more than one element at a time, and moves. @param {Side} side @param {string} name */
function isOneAtATime(side, name) {
  const held = new Set(side.everyValue(name).flatMap(([element, value]) => (value === 1 ? [element] : [])));
  const frames = momentsOf(side, [name]).slice(0, MOST_LOOKED_AT).map((moment) => side.at(name, moment) ?? []);
  return held.size > 1 && frames.every((values) => values.filter((value) => Number(value) === 1).length <= 1);
}

/** Sets, by the element that their members point to. @param {Moment} now @param {string} name @returns {Structure[]} */
function setsIn(now, name) {
  const roots = now.values(name) ?? [];
  const assigned = now.values("assigned"); // where not all elements are in a set from the start
  const those = [...roots.keys()].filter((i) => Number(assigned?.[i] ?? 1) === 1);
  const sets = grouped(those, (i) => Number(roots[i])).sort((a, b) => b.length - a.length);
  const isResult = Object.hasOwn(now.algorithm.outputs, name);
  const isBetween = (now.moment > 0 || isResult) && now.moment < now.side.steps;
  const isNothing = sets.every((set) => set.length === 1) && isBetween && assigned === null;
  if (isNothing || sets.length === 0) return [];
  const items = sets.map((set) => set.map((i) => chipOf(now, i)));
  return [{ title: counted(items.length, isResult ? spaced(name) : "set"), items, isFirstNext: false }];
}

/** The strips. @param {Player} player */
function showStructures(player) {
  const strips = player.drawings.flatMap(({ task, side }) => {
    const now = new Moment(side, Math.min(player.now(side).moment, side.steps));
    return structuresOf(now).map(({ title, items, isFirstNext }) => {
      let room = MOST_CHIPS;
      const groups = items.flatMap((group) => {
        const shown = group.slice(0, room);
        room -= shown.length;
        const chips = shown.map(({ text, at, element }, i) =>
          buttonOf(text, () => player.select(at, element), { class: isFirstNext && i === 0 ? "chip next" : "chip" }),
        );
        return shown.length === 0 ? [] : [make("span", { class: "group" }, ...chips)];
      });
      const count = items.flat().length;
      const more = count > MOST_CHIPS ? [make("span", {}, `and ${count - MOST_CHIPS} more`)] : [];
      const rest = count === 0 ? ["none"] : more;
      const called = `${player.drawings.length > 1 ? `${player.nameOf(task, side)}: ` : ""}${title}`;
      const attributes = { class: "strip", role: "group", "aria-label": called };
      return make("div", attributes, make("strong", {}, `${called}:`), ...groups, ...rest);
    });
  });
  byId("structures").replaceChildren(...strips);
}
