// @ts-check
"use strict";

/* Elements of the page. Text is only ever text: names come from a user's file. */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** An element of the page; text is only ever text. @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
