// Runs ahead of the theme, so that a page fetches what it needs early and what it may not need late.
"use strict";
(() => {
  // The panel behind a number comes and goes with the address of the page; it hears of that before the theme does.
  addEventListener("popstate", (event) => window.tinyxfHistory?.(event));

  // What the theme shows where scripts run stands in its place from the first line on.
  document.documentElement.classList.replace("no-js", "js");
  // This too the theme would set, when every element of a long page would be styled anew for it.
  document.documentElement.classList.add("js-focus-visible");
  document.documentElement.setAttribute("data-js-focus-visible", "");

  // The theme says which scheme is on to the browser, too; our style sheet has done that, and once more would have every
  // element styled anew.
  const { head } = document;
  head.appendChild = (own) => (own.name === "color-scheme" ? own : Node.prototype.appendChild.call(head, own));

  // The font of the formulas, named by pages that have some, is there before the first line is drawn, or else it waits
  // for a click or for formulas that nobody has seen yet: no line moves under a reader's eyes.
  const font = document.querySelector("meta[name=tx-font]");
  if (font) {
    document.documentElement.classList.add("tx-font");
    const face = new FontFace("STIX Two Math", `url(${font.content})`);
    const use = () => document.fonts.add(face);
    const unseen = () => [...document.querySelectorAll("math")].every((math) => math.getBoundingClientRect().top > innerHeight);
    let drawn = false;
    requestAnimationFrame(() => { drawn = true; });
    face.load().then(() => {
      if (!drawn || unseen()) use();
      else for (const chance of ["click", "beforeprint"]) addEventListener(chance, use, { once: true, capture: true });
    }, () => {});
  }

  if (location.protocol === "file:") return; // a folder on disk has nothing to transfer

  // The theme writes every address of the page out in full.  To write a style sheet's is to load and apply it again, so
  // ours stay as they are, and a page that comes in place of this one names them in the same words.
  const address = Object.getOwnPropertyDescriptor(HTMLLinkElement.prototype, "href");
  const sheets = {};
  const write = address.set;
  address.set = function (whole) {
    if (this.rel !== "stylesheet") write.call(this, whole);
    else if (this.ownerDocument === document) sheets[whole] = this.getAttribute("href");
    else write.call(this, sheets[whole] ?? whole);
  };
  Object.defineProperty(HTMLLinkElement.prototype, "href", address);

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
