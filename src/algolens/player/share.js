// @ts-check
"use strict";

/* A step to take along: as text, as a picture, as a link, on paper. */

/** What the style sheet says of a drawing, and a picture must say itself. */
const DRAWN = [
  "display", "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "paint-order", "text-anchor",
  "dominant-baseline", "font-family", "font-size", "font-weight",
]; // prettier-ignore
const SHARP = 2; // pixels of a PNG for each of the page

/** A drawing as a picture that stands alone. @param {SVGSVGElement} root @param {string} paper its background @param {string} title */
function pictureOf(root, paper, title) {
  const copy = /** @type {SVGSVGElement} */ (root.cloneNode(true));
  const [here, there] = [root.querySelectorAll("*"), copy.querySelectorAll("*")];
  here.forEach((element, i) => {
    const style = getComputedStyle(element);
    if (style.display === "none") there[i].remove();
    else if (element.tagName !== "g" && element.tagName !== "title") {
      for (const name of DRAWN) there[i].setAttribute(name, style.getPropertyValue(name));
    }
  });
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("xmlns", SVG);
  copy.prepend(svg("title", {}, title), svg("rect", { width: "100%", height: "100%", fill: paper }));
  return new XMLSerializer().serializeToString(copy);
}

/** Hands a file to whoever looks at the page. @param {Blob} content @param {string} name */
function download(content, name) {
  const address = URL.createObjectURL(content);
  make("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Puts text on the clipboard. @param {string} text @returns {Promise<boolean>} whether that is allowed here */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

class Share {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const on = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act);
    on("copy-text", () => this.copy(this.text(), "The step is on the clipboard, as text."));
    on("copy-link", () => this.copy(this.address, "A link to this step is on the clipboard, with what is chosen and supposed."));
    on("copy-frame", () => this.copy(this.frame, "The code is on the clipboard: paste it into your own page."));
    on("save-svg", () => this.pictures((picture, name) => this.saveSvg(picture, name)));
    on("save-png", () => this.pictures((picture, name) => this.savePng(picture, name)));
    on("print", () => window.print());
    on("full", () => this.toggleFullScreen());
    byId("full").hidden = !document.fullscreenEnabled;
  }

  get address() {
    return location.href.split("#")[0] + this.player.link.hash;
  }

  /** The page in a frame of another page, which has this file beside it. */
  get frame() {
    const file = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
    const escaped = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    const title = escaped(byId("title").textContent ?? "");
    return `<iframe src="${escaped(encodeURIComponent(file) + this.player.link.hash)}" title="${title}" width="100%" height="700" style="border: 0"></iframe>`;
  }

  /** @param {string} words */
  say(words) {
    byId("shared").textContent = words;
  }

  /** @param {string} text @param {string} words said when it is done @param {string} where */
  async copy(text, words, where = "shared") {
    const isCopied = await copied(text);
    byId(where).textContent = isCopied ? words : "This browser does not let a page copy. Select it, and copy it.";
    byId("to-copy").textContent = isCopied ? "" : text;
  }

  /** The step in words. */
  text() {
    const { player } = this;
    const lines = [byId("title").textContent, player.momentTitle];
    for (const { side, task } of player.drawings) {
      if (player.drawings.length > 1) lines.push(`${task.title} by ${side.by}:`);
      lines.push(...task.teller.stepInWords(side, player.momentOf(side)).map(({ text }) => `- ${text}`));
    }
    return lines.join("\n");
  }

  /** Every drawing as a picture, with a name for its file. @param {(picture: string, name: string) => void} save */
  pictures(save) {
    const { player } = this;
    const paper = getComputedStyle(document.body).backgroundColor;
    player.drawings.forEach((drawing, i) => {
      const which = player.drawings.length > 1 ? `-${i + 1}` : "";
      const title = `${byId("title").textContent}, ${player.momentTitle}`;
      const picture = pictureOf(/** @type {SVGSVGElement} */ (drawing.root), paper, title);
      save(picture, `${drawing.task.name}-step-${player.moment}${which}`);
    });
  }

  /** @param {string} picture @param {string} name */
  saveSvg(picture, name) {
    download(new Blob([picture], { type: "image/svg+xml" }), `${name}.svg`);
    this.say(`${name}.svg is saved where this browser saves files.`);
  }

  /** @param {string} picture @param {string} name */
  savePng(picture, name) {
    const address = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width * SHARP, image.height * SHARP];
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      canvas.toBlob((content) => {
        if (content === null) this.say("This browser cannot make a PNG that large: save an SVG.");
        else {
          download(content, `${name}.png`);
          this.say(`${name}.png is saved where this browser saves files.`);
        }
      });
    });
    image.addEventListener("error", () => this.say("This browser makes no PNG of a drawing: save an SVG."));
    image.src = address;
  }

  async toggleFullScreen() {
    if (document.fullscreenElement === null) await document.documentElement.requestFullscreen();
    else await document.exitFullscreen();
  }
}
