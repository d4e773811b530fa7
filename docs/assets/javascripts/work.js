/* Every number opens its arithmetic: click, tap, Enter or Space on one, and a panel shows how it was computed.

   The arithmetic comes from assets/work/*.js (tinyxf/book/popover.py says what is in them), loaded when first asked
   for.  The URL fragment is the address of the number that is shown, so each can be linked to, and Back goes back.
   Listeners stand on the document, because instant navigation replaces the page under them.  */
(() => {
  "use strict";

  const root = new URL("../../", document.currentScript.src);
  const ADDRESS = /^[\w-]+(\.[\w-]+)+(\/[^/]+){0,2}$/;
  const BLOCKS = "p, li, dd, dt, td, th, caption, blockquote, h1, h2, h3, h4, h5, h6";

  const make = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) if (value !== "") made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  // ---- the numbers of the book

  const parts = new Map(); // by the first word of their addresses: a promise of what the file holds
  const arrive = {};
  window.tinyxfWork = (name, part) => {
    part.places = new Map(part.numbers.map(([address], place) => [address, place]));
    arrive[name]?.(part);
  };

  function load(name) {
    if (!parts.has(name)) {
      const script = make("script", { src: new URL(`assets/work/${name}.js`, root).href });
      parts.set(name, new Promise((resolve, reject) => {
        arrive[name] = resolve;
        script.onerror = () => {
          parts.delete(name);
          script.remove();
          reject(new Error(name));
        };
      }));
      document.head.append(script);
    }
    return parts.get(name);
  }

  /* A number's own part of the data, and its place there; no place for an address that is no number's. */
  async function find(address) {
    const part = await load(/^[\w-]*/.exec(address)[0] || "_");
    const place = part.places.get(address);
    return { part, place: place < part.works.length ? place : undefined };
  }

  // ---- numbers on the page

  const shown = () => [...document.querySelectorAll(".md-content [data-address]")];
  const isNumber = (element) => !element.closest("a, button, summary, label");
  const at = (address) => {
    const found = shown().filter((element) => element.dataset.address === address);
    return found.find((element) => element.id === address) || found.find(isNumber) || found[0];
  };
  const groupOf = (element) => element.closest(".tx-table, .tx-figure, .tx-work") || element.closest(BLOCKS) || element.parentElement;
  const members = (group) => [...group.querySelectorAll("[data-address], [data-to]")].filter((own) => own.hasAttribute("tabindex"));
  const words = (address) => address.split("/").map(decode).join(", ");

  /* Make the numbers of a page operable.  Each table, figure and paragraph is one Tab stop; arrows go on from there. */
  function prepare() {
    const groups = new Set();
    for (const element of document.querySelectorAll(".md-content :is([data-address], .tx-work [data-to])")) {
      const link = element.hasAttribute("data-to");
      if (!link && !isNumber(element)) continue;
      const group = groupOf(element);
      if (!link) {
        const text = element.textContent.trim();
        const how = `${words(element.dataset.address)}: show how it was computed`;
        const prose = !group.matches(".tx-table, .tx-figure, .tx-work");
        element.setAttribute("role", "button");
        // A sentence is read out as it stands; elsewhere the name says which number it is.
        element.setAttribute("aria-label", prose ? text : `${text}, ${how}`);
        if (prose) element.setAttribute("aria-description", how);
      }
      element.setAttribute("aria-haspopup", "dialog");
      element.setAttribute("tabindex", groups.has(group) ? "-1" : "0");
      groups.add(group);
    }
    for (const svg of document.querySelectorAll(".tx-figure svg:has([data-address])")) {
      svg.removeAttribute("aria-hidden");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "Numbers of the figure");
      for (const other of svg.querySelectorAll("text:not([data-address])")) other.setAttribute("aria-hidden", "true");
    }
    for (const region of document.querySelectorAll(".tx-table > .tx-scroll, .tx-figure > .tx-scroll")) widths.observe(region);
  }

  /* A region is a Tab stop of its own only while there is something to scroll to. */
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth || !target.querySelector("[tabindex]")) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });

  /* The next number of a group in the direction of an arrow key: the nearest one that way, or the next in a sentence. */
  function neighbour(from, dx, dy) {
    const group = groupOf(from);
    const others = members(group);
    if (!group.matches(".tx-table, .tx-figure")) return others[others.indexOf(from) + dx + dy];
    const middle = (element) => {
      const box = element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = middle(from);
    let nearest, least = Infinity;
    for (const other of others) {
      const [left, top] = middle(other);
      const ahead = (left - x) * dx + (top - y) * dy;
      const aside = Math.abs((left - x) * dy) + Math.abs((top - y) * dx);
      if (ahead > 4 && ahead + 8 * aside < least && (dy || aside < 12)) {
        least = ahead + 8 * aside;
        nearest = other;
      }
    }
    return nearest;
  }

  function focusOn(number) {
    for (const other of members(groupOf(number))) other.tabIndex = other === number ? 0 : -1;
    number.focus();
  }

  // ---- the panel

  const panel = make("dialog", { class: "tx-pop", "aria-label": "" });
  let trail = []; // addresses shown since it opened, the present one last
  let pushed = 0; // entries of the browser's history that are ours, on top of where the reader was
  let leaving = false; // we asked the browser to go back over them
  let next = null; // what to show once it has
  let opener = null;
  let anchor = null;
  let asked = 0; // counts requests, so that only the last one is answered
  let here = location.pathname;

  const current = () => trail[trail.length - 1];
  const bare = () => location.href.split("#")[0];

  /* The address in the fragment, if it is one, in each way that it may have been encoded. */
  function wanted() {
    const raw = location.hash.slice(1);
    const ways = [raw, decode(raw)].filter((way) => ADDRESS.test(way));
    const target = document.getElementById(raw) || document.getElementById(decode(raw));
    return target && !target.hasAttribute("data-address") ? [] : ways;
  }

  async function show(ways, { from = null, push = false, back = false } = {}) {
    const mine = ++asked;
    let address = ways[0], found = null;
    try {
      for (const way of ways) {
        found = await find(way);
        if (found.place !== undefined) {
          address = way;
          break;
        }
      }
    } catch {
      found = null;
    }
    if (mine !== asked) return;
    const missing = found && found.place === undefined;
    if (missing && !address.includes("/")) return; // an anchor of another kind
    if (back) trail.pop();
    else if (current() !== address) trail.push(address);
    if (push && wanted()[0] !== address) {
      history.pushState({ x: scrollX, y: scrollY }, "", `${bare()}#${address}`);
      pushed += 1;
    }
    const fresh = !panel.open;
    if (fresh || from) anchor = opener = from || at(address);
    if (fresh && !from && anchor) anchor.scrollIntoView({ block: "center", inline: "nearest" });
    panel.setAttribute("aria-label", `${found && !missing ? found.part.numbers[found.place][2] + ", " : ""}${words(address)}`);
    panel.replaceChildren(...(found && !missing ? content(found.part, found.place) : failure(address, missing)));
    if (!panel.isConnected) document.body.append(panel);
    if (fresh) panel.setAttribute("open", "");
    mark(address);
    place();
    panel.querySelector("h2").focus({ preventScroll: true });
  }

  /* Put the panel under the number, or above it, or, on a small screen or without a number, at the foot of the window. */
  function place() {
    const sheet = !anchor?.isConnected || matchMedia("(max-width: 44.99em)").matches;
    panel.classList.toggle("tx-sheet", sheet);
    panel.style.left = panel.style.top = "";
    panel.scrollTop = 0;
    const box = anchor?.getBoundingClientRect();
    const size = panel.getBoundingClientRect();
    if (sheet) {
      if (box && box.bottom > size.top - 16) scrollBy(0, box.bottom - size.top + 48);
      return;
    }
    const room = document.documentElement.clientWidth - size.width - 16;
    const above = box.bottom + size.height + 24 > innerHeight && box.top - size.height > 96;
    panel.style.left = `${Math.max(16, Math.min(box.left - 24, room)) + scrollX}px`;
    panel.style.top = `${(above ? box.top - size.height - 10 : box.bottom + 10) + scrollY}px`;
    panel.scrollIntoView({ block: "nearest" });
  }

  /* Light up the number on the page, and those that it is made of. */
  function mark(address) {
    const operands = new Set([...panel.querySelectorAll(".tx-pop-line [data-to]")].map((link) => link.dataset.to));
    for (const element of shown()) {
      element.classList.toggle("tx-now", element.dataset.address === address);
      element.classList.toggle("tx-from", operands.has(element.dataset.address));
    }
  }

  function point(address) {
    for (const element of shown()) element.classList.toggle("tx-hot", element.dataset.address === address);
  }

  function hide(focus = true) {
    asked += 1;
    if (!panel.open) return;
    const inside = panel.contains(document.activeElement) || document.activeElement === document.body;
    panel.removeAttribute("open");
    for (const element of document.querySelectorAll(".tx-now, .tx-from, .tx-hot")) element.classList.remove("tx-now", "tx-from", "tx-hot");
    if (focus && inside && opener?.isConnected) {
      if (opener.tabIndex < 0 && !opener.hasAttribute("tabindex")) opener = null;
      else opener.focus({ preventScroll: true });
    }
    trail = [];
    pushed = 0;
    anchor = opener = null;
  }

  /* Close, and leave the history as it was before. */
  function close(focus = true) {
    const over = pushed;
    hide(focus);
    if (over) {
      leaving = true;
      history.go(-over);
    } else strip();
  }

  const strip = () => {
    if (wanted().length) history.replaceState(history.state, "", bare());
  };

  function goBack() {
    if (pushed) return history.back();
    const before = trail[trail.length - 2];
    history.replaceState(history.state, "", `${bare()}#${before}`);
    return show([before], { back: true });
  }

  /* Follow the fragment. */
  function sync() {
    if (leaving) {
      leaving = false;
      strip();
      if (next) next();
      next = null;
      return;
    }
    if (location.pathname !== here) return hide(false); // the page is on its way
    const ways = wanted();
    if (!ways.length) return hide();
    if (panel.open && ways.includes(current())) return;
    const back = ways.includes(trail[trail.length - 2]);
    pushed = back ? Math.max(0, pushed - 1) : 0;
    return show(ways, { back });
  }

  function open(address, from) {
    const go = () => show([address], { from, push: true });
    if (leaving) next = go;
    else go();
  }

  // ---- what the panel says

  const pageOf = (part, address) => {
    const [page, step] = part.tables[address.split("/")[0]] || [-1, ""];
    const [url, title] = part.pages[page] || ["", ""];
    return { step, title, href: url ? `${new URL(url, root).href}#${address}` : "" };
  };

  function link(part, place, text) {
    const [address, symbol, display] = part.numbers[place];
    const href = pageOf(part, address).href || `#${address}`;
    const name = text === symbol || text === address ? "" : `${text || display}, ${symbol}`;
    return make("a", { href, "data-to": address, "aria-label": name, title: name && symbol }, text || display);
  }

  function line(part, pieces, usual) {
    const row = make("p", { class: "tx-pop-line" }, "=\u00a0");
    for (const piece of pieces) {
      if (typeof piece === "string") row.append(piece.replaceAll(" × ", "\u00a0×\u00a0"));
      else {
        const [own, text] = [piece].flat();
        row.append(usual === 1 ? text || part.numbers[own][1] : link(part, own, text));
      }
    }
    return row;
  }

  function list(part, places) {
    return make("ul", {}, ...places.map((own) => {
      const [, symbol, display] = part.numbers[own];
      return make("li", {}, link(part, own, symbol), ` = ${display}`);
    }));
  }

  function bar(words) {
    const before = trail[trail.length - 2];
    const back = make("button", { type: "button", class: "tx-pop-back", "aria-label": "Back to the number before" }, "←");
    back.onclick = goBack;
    const shut = make("button", { type: "button", class: "tx-pop-close", "aria-label": "Close" }, "×");
    shut.onclick = () => close();
    return make("div", { class: "tx-pop-bar" }, ...(before ? [back] : []), make("span", {}, words), shut);
  }

  function content(part, place) {
    const [address, symbol, display] = part.numbers[place];
    const [title, kind, full, formula = [], filled = [], used = [], same = [], exact = "", pencil, units] = part.works[place];
    const { step, title: page, href } = pageOf(part, address);
    const copy = kind === "copy", given = kind === "given";
    const made = [
      bar([step && `Step ${step}`, copy || given ? "" : kind].filter(Boolean).join(" · ")),
      make("h2", { tabindex: "-1" }, symbol, " = ", make("b", {}, display)),
      make("p", { class: "tx-pop-title" }, part.titles[title]),
    ];
    if (filled.length) {
      const result = make("p", { class: "tx-pop-line" }, "=\u00a0", make("b", {}, display));
      made.push(...(copy ? [] : [line(part, formula, 1)]), line(part, filled, 2), result);
    }
    const facts = [];
    if (full !== display && full !== exact && !given) facts.push(`In full ${full}.`);
    if (exact) facts.push(`Exactly ${exact}.`);
    if (given) facts.push("Given, not computed.");
    if (copy) facts.push("The same number once more.");
    if (units) facts.push(`A pencil gets ${pencil} from the printed numbers, ${units} off in the last digit.`);
    if (facts.length) made.push(make("p", { class: "tx-pop-facts" }, facts.join(" ")));
    if (same.length) {
      const where = make("p", { class: "tx-pop-same" }, "Same as ");
      same.forEach((own, index) => where.append(index ? ", " : "", link(part, own, part.numbers[own][0])));
      made.push(where);
    }
    if (used.length) {
      const count = used.length === 1 ? "1 number" : `${used.length} numbers`;
      const details = make("details", {}, make("summary", {}, `Used by ${count}`), list(part, used));
      details.ontoggle = place_soon;
      made.push(details);
    }
    const code = make("code", {}, address);
    const on = at(address) ? "on this page" : page && `on the page “${page}”`;
    const go = at(address) ? `#${address}` : href;
    made.push(make("p", { class: "tx-pop-where" }, go ? make("a", { href: go, "data-go": address }, code) : code, on ? ` ${on}` : ""));
    return made;
  }

  const place_soon = () => panel.scrollIntoView({ block: "nearest" });

  function failure(address, missing) {
    const reason = missing ? "This book has no number of this name." : "Its arithmetic could not be loaded.";
    return [bar(""), make("h2", { tabindex: "-1" }, words(address)), make("p", { class: "tx-pop-facts" }, reason)];
  }

  // ---- what the reader does

  /* The number that was meant: itself, or the cell around it. */
  function numberAt(target) {
    const cell = target.closest(".tx td");
    const number = target.closest("[data-address]") || cell?.querySelector("[data-address]");
    return number?.hasAttribute("tabindex") ? number : null;
  }

  document.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const target = event.target;
    const inside = panel.contains(target);
    const to = target.closest?.("[data-to]");
    const go = inside && target.closest("[data-go]");
    const number = !inside && numberAt(target);
    if (to || number) {
      if (!to && String(getSelection())) return; // copying is no question
      event.preventDefault();
      event.stopPropagation();
      open(to ? to.dataset.to : number.dataset.address, inside ? null : to || number);
    } else if (go && at(go.dataset.go)) {
      event.preventDefault();
      event.stopPropagation();
      anchor = opener = at(go.dataset.go);
      anchor.scrollIntoView({ block: "center", inline: "nearest" });
      place();
    } else if (panel.open && !inside) {
      if (target.closest?.("a[href]")) hide(false); // the link decides where we go
      else close();
    }
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (panel.open && event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (panel.open && event.key === "Tab" && panel.contains(target)) {
      const stops = [...panel.querySelectorAll("a, button, summary")].filter((stop) => stop.checkVisibility?.() !== false);
      const [first, last] = [stops[0], stops[stops.length - 1]];
      if (event.shiftKey ? target === first || target.matches("h2") : target === last) {
        event.preventDefault();
        (event.shiftKey ? last : first).focus();
      }
    } else if (target.matches?.("[data-address][tabindex], .tx-work [data-to]")) {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (step && !event.shiftKey) {
        event.preventDefault();
        const found = neighbour(target, ...step);
        if (found) focusOn(found);
      } else if ((event.key === "Enter" || event.key === " ") && target.matches("[data-address]")) {
        event.preventDefault();
        open(target.dataset.address, target);
      }
    }
  }, true);

  for (const kind of ["pointerover", "focusin"]) {
    panel.addEventListener(kind, (event) => point(event.target.closest("[data-to]")?.dataset.to));
  }
  panel.addEventListener("pointerleave", () => point());
  addEventListener("popstate", sync);
  addEventListener("hashchange", sync);
  addEventListener("resize", () => panel.open && place());

  function arriveAt() {
    hide(false);
    here = location.pathname;
    prepare();
    sync();
  }
  if (window.document$) window.document$.subscribe(arriveAt);
  else arriveAt();
})();
