/* Elements of the page. Text is only ever text: names come from a user's file. */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** A field, or a button. @param {string} id */
const inputOf = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {string} text @param {() => void} act @param {Record<string, string>} attributes */
function buttonOf(text, act, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", act);
  return button;
}

/** @param {string} id @param {() => void} act */
function onClick(id, act) {
  byId(id).addEventListener("click", act);
}

/** Whether a key is typed into a field. @param {KeyboardEvent} event */
function isTyping(event) {
  return ["INPUT", "SELECT", "TEXTAREA"].includes(/** @type {HTMLElement} */ (event.target).tagName);
}
