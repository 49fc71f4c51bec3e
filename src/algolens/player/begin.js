/* Opens the page. */

new Player(JSON.parse(/** @type {string} */ (byId("run").textContent)).map(unpacked));
