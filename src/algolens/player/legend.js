/* What colors, forms and signs stand for, of what is seen now; and the program as formulas. */

const MOST_KEYS = 16;

/** What is seen now: the classes of elements, and signs. @param {Task} task
 *  @param {(GraphDrawing | BoxDrawing)[]} drawings of its runs */
function legendOf(task, drawings) {
  /** @type {HTMLElement[]} */
  const keys = [];
  const add = (/** @type {(Node | string)[]} */ ...parts) => keys.push(make("span", { class: "key" }, ...parts));
  for (const [at, found] of Object.entries(task.classes ?? {})) {
    if (found === null) continue;
    const seen = new Set(drawings.flatMap(({ visible }) => [...visible[at].keys()]));
    const named = [...seen].filter((number) => found.labels[number] !== "").sort((a, b) => a - b);
    if (named.length === 0) continue;
    if (found.title !== "") add(make("strong", {}, found.title));
    const kind = at === "node" && drawings[0] instanceof BoxDrawing ? "box" : at;
    for (const number of named.slice(0, MOST_KEYS))
      add(sampleOf(kind, number, found.labels.length), found.labels[number]);
    if (named.length > MOST_KEYS) add(`and ${named.length - MOST_KEYS} more`);
  }
  for (const [sign, ...names] of drawings[0].told()) {
    const called = names.flatMap((name) => (name == null ? [] : [calledIn(task.page, name)])).join(", ");
    if (called !== "") add(`${sign}${sign.includes(":") ? "" : ":"} ${called}`);
  }
  if (drawings.some((drawing) => drawing.hasNews))
    add(make("span", { class: "decided", "aria-hidden": "true" }), "violet: decided in this step");
  return keys;
}

/** The program of each run; of those that have the same, once. @param {Page} page @param {Side[]} sides */
function programsOf(page, sides) {
  const alike = grouped(sides, (side) => JSON.stringify(side.rules));
  if (alike.length === 1) return [programOf(page, sides[0].rules)];
  return alike.flatMap((those) => [
    make("h3", {}, those.map((side) => side.called).join(" and ")),
    programOf(page, those[0].rules),
  ]);
}

/** @param {Page} page @param {Rules} rules */
function programOf({ algorithm }, { texts, continues }) {
  const { lets = [], becomes = [] } = algorithm.program ?? {};
  const textsOf = (/** @type {string} */ name, /** @type {string} */ title) =>
    algorithm.texts[name].map((text) => [title, text]);
  const rows = lets.flatMap((/** @type {Let} */ { name }) => textsOf(name, name));
  for (const { name } of becomes) rows.push(...textsOf(name, `${name} becomes`));
  for (const [output, classes] of Object.entries(texts)) {
    // in the order of the classes: keys of an object that read as numbers are in that of numbers
    const { kind, labels } = algorithm.outputs[output];
    for (const label of kind === "mask" ? Object.keys(classes) : labels)
      rows.push([`${output} = ${label}`, classes[label]]);
  }
  if (continues !== null) rows.push(["goes on while", continues]);
  const part = (/** @type {string[]} */ [name, said]) => [make("dt", {}, name), make("dd", {}, make("code", {}, said))];
  return make("dl", {}, ...rows.flatMap(part));
}
