/* A step to take along: as text, as a picture with its title, legend and sentence, as a link, on paper; and a run that
 * moves. */

/** What the style sheet says of a drawing, and a picture must say itself. */
const DRAWN = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "paint-order", "text-anchor",
  "dominant-baseline", "font-family", "font-size", "font-weight",
]; // prettier-ignore
const SHARP = 2; // pixels of a PNG for each of the page
const MOST_FRAMES = 200; // of a run that moves
const MARGIN = 14; // pixels around texts of a picture
const LINE = 18;

/** A drawing that stands alone, at a place. @param {SVGSVGElement} root @param {number} x @param {number} y */
function standingAlone(root, x, y) {
  const copy = /** @type {SVGSVGElement} */ (root.cloneNode(true));
  const [here, there] = [root.querySelectorAll("*"), copy.querySelectorAll("*")];
  here.forEach((element, i) => {
    const style = getComputedStyle(element);
    if (style.display === "none") there[i].remove();
    else if (element.tagName !== "g" && element.tagName !== "title")
      for (const name of DRAWN) there[i].setAttribute(name, style.getPropertyValue(name));
    else if (style.opacity !== "1") there[i].setAttribute("opacity", style.opacity);
  });
  setAll(copy, { x, y });
  copy.removeAttribute("aria-hidden");
  return copy;
}

/** Lines of a text that are no wider than a picture. @param {string} text @param {number} width */
function linesOf(text, width) {
  const lines = [""];
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (widthOf(longer, false) * 1.15 <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line !== "");
}

/** A drawing with what stands around it: title, legend and sentence. @param {SVGSVGElement} root @param {string} title
 *  @param {Element[]} keys of the legend @param {string} said @param {number} width */
function pictureOf(root, title, keys, said, width) {
  const ink = getComputedStyle(document.body).color;
  const group = svg("g");
  const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, weight = 400) => {
    const style = { fill: ink, "font-family": "system-ui, sans-serif", "font-size": 13, "font-weight": weight };
    group.append(svg("text", { x, y, ...style }, text));
  };
  let y = MARGIN + 10;
  const writeAll = (/** @type {string} */ text, weight = 400) => {
    for (const line of linesOf(text, width - 2 * MARGIN)) {
      write(line, MARGIN, y, weight);
      y += LINE;
    }
  };
  writeAll(title, 700);
  group.append(standingAlone(root, 0, y));
  y += Number(root.getAttribute("height")) + LINE;
  let x = MARGIN;
  for (const key of keys) {
    const sample = key.querySelector("svg");
    const text = key.textContent ?? "";
    const indent = sample === null ? 0 : Number(sample.getAttribute("width")) + 5;
    const wide = indent + 1.15 * widthOf(text, false) + 16;
    if (x + wide > width && x > MARGIN) [x, y] = [MARGIN, y + LINE];
    if (sample !== null) group.append(standingAlone(/** @type {SVGSVGElement} */ (sample), x, y - 13));
    write(text, x + indent, y);
    x += wide;
  }
  y += keys.length > 0 ? LINE + 4 : 0;
  writeAll(said);
  return { group, height: y };
}

/** A picture of one frame, or of several that follow one another.
 *  @param {{group: SVGElement, height: number, width: number, title: string}[]} frames
 *  @param {number[]} pauses milliseconds of each frame */
function fileOf(frames, pauses = []) {
  const most = (/** @type {"width" | "height"} */ side) => Math.ceil(Math.max(...frames.map((frame) => frame[side])));
  const [wide, height] = [most("width"), most("height")];
  const paper = getComputedStyle(document.body).backgroundColor;
  const root = svg("svg", { xmlns: SVG, width: wide, height, viewBox: `0 0 ${wide} ${height}` });
  root.append(svg("title", {}, frames[0].title), svg("rect", { width: "100%", height: "100%", fill: paper }));
  const all = pauses.reduce((sum, each) => sum + each, 0);
  let begun = 0;
  frames.forEach(({ group }, i) => {
    if (frames.length > 1) {
      const [from, to] = [begun / all, (begun += pauses[i]) / all].map((share) => share.toFixed(5));
      const isLast = i === frames.length - 1;
      const turns = [["0", "none"], [from, "inline"], [to, "none"]].slice(i === 0 ? 1 : 0, isLast ? 2 : 3);
      const [keyTimes, values] = [0, 1].map((part) => turns.map((turn) => turn[part]).join(";"));
      const timing = { dur: `${all}ms`, repeatCount: "indefinite", calcMode: "discrete" };
      group.append(svg("animate", { attributeName: "display", values, keyTimes, ...timing }));
    }
    root.append(group);
  });
  return new XMLSerializer().serializeToString(root);
}

/** Hands a file to whoever looks at the page. @param {Blob} content @param {string} name */
function download(content, name) {
  const address = URL.createObjectURL(content);
  make("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

class Share {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    onClick("copy-text", () => this.copy(this.text(), "The step is on the clipboard, as text."));
    const linked = "A link to this step is on the clipboard, with what is chosen and supposed.";
    onClick("copy-link", () => this.copy(this.address, linked));
    onClick("copy-frame", () => this.copy(this.frame, "The code is on the clipboard: paste it into your own page."));
    const each = (/** @type {(i: number, name: string) => void} */ save) => () =>
      player.drawings.forEach(({ task }, i) => save(i, task.name));
    onClick("save-svg", each((i) => this.saveSvg(this.picture(i), this.nameOf(i))));
    onClick("save-png", each((i) => this.savePng(this.picture(i), this.nameOf(i))));
    onClick("save-run", each((i, name) => this.saveSvg(this.moving(i), `${name}-run`)));
    onClick("print", () => window.print());
  }

  get address() {
    return location.href.split("#")[0] + this.player.link.hash;
  }

  /** The page in a frame of another page, which has this file beside it. */
  get frame() {
    const file = encodeURIComponent(decodeURIComponent(location.pathname.split("/").at(-1) ?? ""));
    const escaped = (/** @type {string} */ text) =>
      text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    const [source, title] = [`${file}${this.player.link.hash}&embed`, byId("title").textContent ?? ""].map(escaped);
    return `<iframe src="${source}" title="${title}" width="100%" height="640" style="border: 0"></iframe>`;
  }

  /** Puts text on the clipboard, where that is allowed. @param {string} text @param {string} words said when it is done
   *  @param {string} where */
  async copy(text, words, where = "shared") {
    const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    byId(where).textContent = isCopied ? words : "This browser does not let a page copy. Select it, and copy it.";
    byId("to-copy").textContent = isCopied ? "" : text;
  }

  /** The step in words. */
  text() {
    const { player } = this;
    const lines = [byId("title").textContent, player.momentTitle];
    player.drawings.forEach(({ side, task }, i) => {
      if (player.drawings.length > 1) lines.push(`${task.title} ${side.called}:`);
      lines.push(...this.sentences(i).map((text) => `- ${text}`));
    });
    return lines.join("\n");
  }

  /** What a drawing shows, in sentences. @param {number} i */
  sentences(i) {
    const { side } = this.player.drawings[i];
    return this.player.now(side).inSentences.map(({ text }) => text);
  }

  /** @param {number} i of a drawing */
  nameOf(i) {
    const { drawings, moment } = this.player;
    return `${drawings[i].task.name}-step-${moment}${drawings.length > 1 ? `-${i + 1}` : ""}`;
  }

  /** What a drawing shows now, with its title, legend and sentences. @param {number} i */
  frameOf(i) {
    const { player } = this;
    const drawing = player.drawings[i];
    const keys = legendOf(drawing.task, [drawing]);
    byId("legend").append(...keys); // where the style sheet sees them
    const title = `${byId("title").textContent}, ${player.momentTitle.toLowerCase()}`;
    const root = /** @type {SVGSVGElement} */ (drawing.root);
    const width = Number(root.getAttribute("width"));
    const found = pictureOf(root, title, keys, this.sentences(i).join(" "), width);
    for (const key of keys) key.remove();
    return { ...found, width, title };
  }

  /** @param {number} i */
  picture(i) {
    return fileOf([this.frameOf(i)]);
  }

  /** The whole run, or what is played of it, as a picture that moves. @param {number} i */
  moving(i) {
    const { player } = this;
    const { range, end } = player.controls;
    const { moment } = player;
    const stride = Math.ceil((end - range.from + 1) / MOST_FRAMES);
    const frames = [];
    for (let at = range.from; at <= end; at += stride) {
      player.go(at);
      frames.push(this.frameOf(i));
    }
    player.go(moment);
    const pauses = frames.map((_, place) => (place === frames.length - 1 ? 4000 : 1600));
    return fileOf(frames, pauses);
  }

  /** @param {Blob} content @param {string} name */
  save(content, name) {
    download(content, name);
    byId("shared").textContent = `${name} is saved where this browser saves files.`;
  }

  /** @param {string} picture @param {string} name */
  saveSvg(picture, name) {
    this.save(new Blob([picture], { type: "image/svg+xml" }), `${name}.svg`);
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
        if (content !== null) return this.save(content, `${name}.png`);
        byId("shared").textContent = "This browser cannot make a PNG that large: save an SVG.";
      });
    });
    image.addEventListener("error", () => {
      byId("shared").textContent = "This browser makes no PNG of a drawing: save an SVG.";
    });
    image.src = address;
  }
}
