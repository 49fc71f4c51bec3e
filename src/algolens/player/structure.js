// @ts-check
"use strict";

/*
 * The structure behind an algorithm as a strip: who waits, in the order in which they come (a queue, or a heap with its
 *  keys), the way back
 * (a stack), sets. All of it is read off what is declared: "the least of those that wait" is a statement of the look.
 */

const MOST_CHIPS = 16;
const MOST_LOOKED_AT = 50; // moments at which a mask is looked at, to see whether it holds once

/** @typedef {{title: string, items: {text: string, at: string, element: number}[][], isFirstNext: boolean}}
 *  Structure */

/** The words that lead from an element to a value. @param {Expr} node @returns {string[]} */
function pathOf(node) {
  return node.type === "Get" ? [...(node.of === undefined ? [] : pathOf(node.of)), node.column] : [];
}

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
  const [keys, mine] =
    [order.left, order.right].map((/** @type {Expr[]} */ side) => side.map((node) => pathOf(node).join(" ")).join());
  if (keys !== mine) return null;
  const own = parts.filter((part) => part !== chooser);
  return {
    own: own.length > 0 ? own : inner.filter((part) => part !== order),
    view,
    key: order.right[0],
    isLeast: order.op === "<",
  };
}

/** The structures of a run after a moment. @param {Task} task @param {Side} side @param {number} moment */
function structuresOf(task, side, moment) {
  const { page } = task;
  // boxes are the structure themselves
  if (
    side.machine === null || Object.hasOwn(
      LAYOUTS, page.algorithm.layout.form
    ) || page.algorithm.layout.form === "plane"
  ) return [];
  const stacks = stackIn(task, side, moment);
  // while a walk goes on, its stack is shown, and nothing else waits; once it is over, who waits
  const waiting = waitingIn(task, side, moment, stacks.length > 0);
  const walk = walkIn(page, side);
  const isWalked = walk !== undefined && moment >= (momentsOf(side, [walk]).at(-1) ?? 0);
  const found = stacks.length === 0 || (isWalked && waiting.length > 0) ? waiting : stacks;
  const sets = Object.keys(page.algorithm.hints).concat(Object.keys(page.algorithm.outputs));
  const { outputs, words } = page.algorithm;
  const isNamed = (/** @type {string} */ name) => Object.hasOwn(outputs, name) || Object.hasOwn(words.states, name);
  const group = sets.find((name) => fieldOf(page, name).at === "node" && isSet(page, name) && isNamed(name));
  return group === undefined ? found : [...found, ...setsIn(task, side, moment, group)];
}

/** Those among whom the least, or the greatest, comes next. @param {Task} task @param {Side} side
 *  @param {number} moment @param {boolean} hasStack so that they wait in every step after the walk */
function waitingIn({ page, words }, side, moment, hasStack) {
  const machine = /** @type {Machine} */ (side.machine);
  for (const { at, value } of /** @type {Let[]} */ (page.algorithm.program.lets)) {
    const picked = pickedBy(value.type === "Or" ? value.terms.at(-1) : value);
    if (picked === null || at === "graph") continue;
    const { joins } = picked.view;
    const isOfAll = tableIn(picked.view) === at && joins.length === 1 && joins[0][0].column === "graph";
    const key = picked.key.column;
    if (!isOfAll || machine.fields[key]?.kind !== "number" || page.drawn.includes(key)) continue;
    // after the last step there is no scene of the run: what would be seen next
    const state = moment >= side.steps ? side.before(side.steps) : null;
    const scene = state === null ? side.scene(moment) : machine.scene(state);
    if (scene === null) continue;
    const everyone = Array.from({ length: side.graph.counts[at] }, (_, i) => i);
    const values = everyone.map((i) => scene.of(picked.key, i));
    const sign = picked.isLeast ? 1 : -1;
    const those = everyone
      .filter((i) => picked.own.every((part) => (hasStack && pathOf(part)[0] === "graph") || scene.holds(part, i, i)))
      .sort((a, b) => sign * (Number(values[a]) - Number(values[b])) || a - b);
    const whose = picked.key.of ?? { type: "Me" };
    // the user's own number: what is compared may be its rank
    const number =
      (/** @type {number} */ i) => words.value(key, { kind: "number" }, values[i], scene.of(whose, i), side.given);
    const item = (/** @type {number} */ i) => ({
      text: `${words.name(at, i)} ${number(i)}`,
      at: at === "link" ? "edge" : at,
      element: at === "link" ? side.graph.steps.link.edge[i] : i,
    });
    return [{ title: `Waiting, by ${calledIn(page, key)}`, items: [those.map(item)], isFirstNext: true }];
  }
  return [];
}

/** The way back from where a walk stands. @param {Task} task @param {Side} side @param {number} moment */
function stackIn({ page, words }, side, moment) {
  const parent = signsOf(page).pointer;
  const current = walkIn(page, side);
  if (parent === undefined || current === undefined) return [];
  const stack = wayBack(side, moment, parent, current);
  return [
    {
      title: "Stack, the top first",
      items: [stack.map((node) => ({ text: words.name("node", node), at: "node", element: node }))],
      isFirstNext: false,
    }
  ];
}

/** The mask of where a walk stands. @param {Page} page @param {Side} side */
function walkIn(page, side) {
  return fieldsOf(page).find(
    (name) => fieldOf(page, name).at === "node" && fieldOf(page, name).kind === "mask" && isOneAtATime(side, name),
  );
}

/** The nodes from where a walk stands back to where it began. @param {Side} side @param {number} moment
 *  @param {string} parent @param {string} current */
function wayBack(side, moment, parent, current) {
  const pointers = side.at(parent, moment)?.map(Number) ?? [];
  const top = side.at(current, moment)?.findIndex((value) => Number(value) === 1) ?? -1;
  /** @type {number[]} */
  const stack = [];
  for (let node = top; node >= 0 && !stack.includes(node) && node < pointers.length; node = pointers[node])
    stack.push(node);
  return stack;
}

/** Whether a mask holds at no more than one element at a time, and moves. @param {Side} side @param {string} name */
function isOneAtATime(side, name) {
  const held = new Set(side.everyValue(name).flatMap(([element, value]) => (value === 1 ? [element] : [])));
  const frames = momentsOf(side, [name]).slice(0, MOST_LOOKED_AT);
  return held.size > 1
    && frames.every((moment) => (side.at(name, moment) ?? []).filter((value) => Number(value) === 1).length <= 1);
}

/** Sets, by the element that their members point to. @param {Task} task @param {Side} side @param {number} moment
 *  @param {string} name */
function setsIn({ page, words }, side, moment, name) {
  /** @type {Map<number, number[]>} */
  const sets = new Map();
  const assigned = side.at("assigned", moment); // where not all elements are in a set from the start
  side.at(name, moment)?.forEach((root, i) => {
    if (Number(assigned?.[i] ?? 1) === 1) sets.set(Number(root), [...(sets.get(Number(root)) ?? []), i]);
  });
  const item = (/** @type {number} */ i) => ({ text: words.name("node", i), at: "node", element: i });
  const items = [...sets.values()].sort((a, b) => b.length - a.length).map((set) => set.map(item));
  const isResult = Object.hasOwn(page.algorithm.outputs, name);
  const isNothing =
    items.every((group) => group.length === 1) && (moment > 0 || isResult) && moment < side.steps && assigned === null;
  return isNothing || items.length === 0
    ? []
    : [{ title: counted(items.length, isResult ? spaced(name) : "set"), items, isFirstNext: false }];
}

/** The strips. @param {Player} player */
function showStructures(player) {
  const strips = player.drawings.flatMap(({ task, side }) =>
    structuresOf(task, side, Math.min(player.momentOf(side), side.steps)).map(({ title, items, isFirstNext }) => {
      let room = MOST_CHIPS;
      const groups = items.flatMap((group) => {
        const shown = group.slice(0, Math.max(0, room));
        room -= shown.length;
        const chips = shown.map((item, i) => {
          const chip =
            make("button", { type: "button", class: isFirstNext && i === 0 ? "chip next" : "chip" }, item.text);
          chip.addEventListener("click", () => player.select(item.at, item.element));
          return chip;
        });
        return shown.length === 0 ? [] : [make("span", { class: "group" }, ...chips)];
      });
      const count = items.reduce((sum, group) => sum + group.length, 0);
      const rest = count > MOST_CHIPS ? [make("span", {}, `and ${count - MOST_CHIPS} more`)] : [];
      const who = player.drawings.length > 1 ? `${player.nameOf(task, side)}: ` : "";
      return make(
        "div",
        { class: "strip", role: "group", "aria-label": who + title },
        make("strong", {}, `${who}${title}:`),
        ...groups,
        ...rest,
        ...(count === 0 ? ["none"] : []),
      );
    }),
  );
  byId("structures").replaceChildren(...strips);
}
