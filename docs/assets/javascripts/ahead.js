// Runs before the theme, so that a page fetches what it needs early and what it may not need late.
"use strict";
(() => {
  // The panel behind a number comes and goes with the address of the page; it hears of that before the theme does.
  addEventListener("popstate", (event) => window.tinyxfHistory?.(event));

  if (location.protocol === "file:") return; // a folder on disk has nothing to transfer

  // The font of the formulas, named by pages that have some, is there before the first line is drawn.
  // As a tag in the page this would be refused under file:, and a browser says so on its console.
  const font = document.querySelector("meta[name=tx-font]");
  if (font) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: font.content });
    document.head.append(link);
  }

  // The theme fetches its search, index and worker, with every page: forty kilobytes that most visits never use.
  // Both are held back until the reader turns to the search field.
  if (new URLSearchParams(location.search).has("h")) return; // words of a search are to be marked on this page
  let waiting = [];
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.later = String(url).endsWith("/search/search_index.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (waiting && this.later) waiting.push(() => send.apply(this, body));
    else send.apply(this, body);
  };

  const Immediate = Worker;
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
    }
    postMessage(data) {
      if (!this.worker) {
        this.worker = new Immediate(this.url);
        this.worker.onmessage = (event) => this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      }
      this.worker.postMessage(data);
    }
  };

  document.addEventListener("focusin", (event) => {
    if (!waiting || !event.target.matches("[data-md-component=search-query]")) return;
    const held = waiting;
    waiting = null;
    for (const go of held) go();
  });
})();
