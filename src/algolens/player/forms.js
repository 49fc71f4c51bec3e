/* Every class is told twice: by a color, and by a form, so that it can be read without colors. */

const SVG = "http://www.w3.org/2000/svg";

/** Corners of each form as angle and distance from the middle; none: a circle. @type {[number, number][][]} */
const FORMS = [
  [],
  corners(4, 45, 1.22),
  corners(4, 0, 1.3),
  corners(6, 0, 1.1),
  corners(3, -90, 1.42),
  corners(3, 90, 1.42),
  corners(5, -90, 1.18),
  corners(8, 22.5, 1.08),
];

/** The corners of a form whose sides are equal. @param {number} count @param {number} first degrees @param {number} far
 *  @returns {[number, number][]} */
function corners(count, first, far) {
  return Array.from({ length: count }, (_, i) => [first + (360 * i) / count, far]);
}

/** How lines of a class are dashed; the first two are whole, and differ by their width. */
const DASHES = ["", "", "7 5", "2 5", "12 4 2 4", "4 3", "16 5", "8 3 2 3 2 3"];

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} text */
function svg(tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  setAll(element, attributes);
  if (text !== "") element.textContent = text;
  return element;
}

/** Numbers to a tenth of a pixel. @param {Element} element @param {Record<string, string | number>} attributes */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, typeof value === "number" ? String(Math.round(10 * value) / 10) : value);
}

/** The outline of a class around a point. @param {number} number @param {number} radius */
function outlineOf(number, radius) {
  const form = FORMS[number === 0 ? 0 : 1 + ((number - 1) % (FORMS.length - 1))];
  const r = radius.toFixed(1);
  if (form.length === 0)
    return `M-${r} 0a${r} ${r} 0 1 0 ${(2 * radius).toFixed(1)} 0a${r} ${r} 0 1 0 -${(2 * radius).toFixed(1)} 0Z`;
  const points = form.map(([degrees, far]) => {
    const angle = (degrees * Math.PI) / 180;
    return `${(radius * far * Math.cos(angle)).toFixed(1)} ${(radius * far * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

/** How the lines of a class are dashed. @param {number} number */
function dashOf(number) {
  return DASHES[number < 2 ? number : 2 + ((number - 2) % (DASHES.length - 2))];
}

/** Colors an element as of a class: by a named color, or by a hue of its own where these do not suffice.
 *  @param {Element} element @param {number} number @param {number} count how many classes there are */
function paint(element, number, count) {
  const isNamed = count <= PALETTE + 1 || number === 0;
  element.setAttribute("data-class", isNamed ? String(number) : "made");
  element.setAttribute("data-form", String(number === 0 ? 0 : 1 + ((number - 1) % (FORMS.length - 1))));
  const style = /** @type {SVGElement | HTMLElement} */ (element).style;
  if (isNamed) style.removeProperty("--made");
  else style.setProperty("--made", `hsl(${Math.round((number - 1) * 137.5) % 360} 65% ${number % 2 ? 68 : 78}%)`);
}

/** A sample of a class: a node, a line, or a box. @param {string} kind @param {number} number @param {number} count */
function sampleOf(kind, number, count) {
  const [width, around] = kind === "edge" ? [30, "edges"] : [18, "nodes"];
  const root = svg("svg", { class: `sample ${around}`, width, height: 18, "aria-hidden": "true" });
  const group = svg("g", { class: kind === "edge" ? "" : "node", transform: "translate(9 9)" });
  const body =
    kind === "edge"
      ? svg("path", { class: "edge", d: "M-7 0H19", "stroke-dasharray": dashOf(number) })
      : kind === "box"
        ? svg("rect", { class: "body", x: -7, y: -6, width: 14, height: 12, rx: 2 })
        : svg("path", { class: "body", d: outlineOf(number, 6) });
  paint(kind === "edge" ? body : group, number, count);
  group.append(body);
  root.append(group);
  return root;
}
