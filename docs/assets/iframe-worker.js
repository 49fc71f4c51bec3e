"use strict";

/* Search in a site that is opened from a folder (file://). Browsers start no worker there, so the search's script runs in a hidden frame
   instead, which has a scope of its own. The theme asks for this: see `polyfills` in mkdocs.yml. */

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    /** @param {string} address of the script */
    constructor(address) {
      super();
      this.waiting = []; // messages sent before the script runs
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.tell(data);
      this.scope.importScripts = (...scripts) => scripts.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.load(address).then(() => {
        this.isReady = true;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      });
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.scope.document.createElement("script");
        [script.src, script.onload, script.onerror] = [address, done, failed];
        this.scope.document.body.append(script);
      });
    }

    /** To the script. */
    postMessage(data) {
      if (this.isReady) this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    /** From the script. */
    tell(data) {
      const message = new MessageEvent("message", { data });
      this.dispatchEvent(message);
      this.onmessage?.(message);
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
}
