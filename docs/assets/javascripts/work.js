/* Every number opens its arithmetic: a click, a tap, Enter or Space on one, and a panel says how it was computed.

   What it says is in assets/work/*.js, loaded when first asked for; tinyxf/book/popover.py tells how.  The URL's
   fragment is the address of the number at hand, so it can be linked to, and Back goes back.  Listeners stand on the
   document, since instant navigation replaces the page.  */
(() => {
  "use strict";

  const root = new URL("../../", document.currentScript.src);
  const ADDRESS = /^[\w-]+(\.[\w-]+)+(\/[^/]+){0,2}$/;
  const PICTURES = ".tx-table, .tx-figure";
  const BLOCKS = "p, li, dd, dt, td, th, h1, h2, h3, h4, h5, h6";

  const set = (element, attributes) => {
    for (const name in attributes) if (attributes[name]) element.setAttribute(name, attributes[name]);
    return element;
  };
  const make = (tag, attributes, ...children) => {
    const made = set(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  };
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const spoken = (address) => decode(address).replaceAll("/", ", ");

  // ---- what is known of numbers

  const parts = {}; // by the first word of their addresses: a promise of what the file holds
  const waiting = {};
  window.tinyxfWork = (name, part) => {
    part.places = new Map(part.numbers.map(([address], place) => [address, place]));
    waiting[name](part);
  };

  const load = (name) => (parts[name] ??= new Promise((resolve, reject) => {
    const script = make("script", { src: new URL(`assets/work/${name}.js`, root).href });
    waiting[name] = resolve;
    script.onerror = () => {
      delete parts[name];
      reject(new Error(name));
    };
    document.head.append(script);
  }));

  /* The first of some addresses that is a number's: address, file, place; only the address for none. */
  async function find(ways) {
    for (const address of ways) {
      const part = await load(/^[\w-]*/.exec(address)[0] || "_");
      const place = part.places.get(address);
      if (place < part.works.length) return { address, part, place };
    }
    return { address: ways[0] };
  }
  window.tinyxfWork.find = (address) => find([address]); // for tables.js

  // ---- numbers on the page

  const onPage = () => all(".md-content [data-address]");
  const at = (address) => {
    const found = onPage().filter((own) => own.dataset.address === address);
    return found.find((own) => own.closest(".tx-table")) || found.find((own) => own.matches("[role]")) || found[0];
  };
  const groupOf = (number) =>
    number.closest(`${PICTURES}, .tx-work`) || number.closest(BLOCKS) || number.parentElement;

  /* Make a page's numbers operable.  A table, a figure, a paragraph is one Tab stop; arrow keys go on from there. */
  function prepare() {
    const groups = new Set();
    for (const number of all(".md-content :is([data-address], .tx-work [data-to])")) {
      const group = groupOf(number);
      if (number.dataset.address) {
        if (number.closest("a, button, summary, label")) continue;
        const text = number.textContent.trim();
        const how = `${spoken(number.dataset.address)}: show how it was computed`;
        const prose = !group.matches(`${PICTURES}, .tx-work`); // is read out as it stands
        set(number, { role: "button", "aria-label": prose ? text : `${text}, ${how}`, "aria-description": prose && how });
      }
      set(number, { "aria-haspopup": "dialog", tabindex: groups.has(group) ? "-1" : "0" });
      groups.add(group);
    }
    for (const svg of all(".tx-figure svg:has([tabindex])")) {
      set(svg, { role: "group", "aria-label": "Numbers of the figure" }).removeAttribute("aria-hidden");
      for (const label of all("text:not([tabindex])", svg)) set(label, { "aria-hidden": "true" });
    }
    for (const region of all(":is(.tx-table, .tx-figure) > .tx-scroll:has([tabindex])")) regions.observe(region);
  }

  /* A region of numbers is a Tab stop itself only while it scrolls. */
  const regions = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });

  /* Go to the nearest number in the direction of an arrow key; in a sentence, to the next one. */
  function move(from, dx, dy) {
    const group = groupOf(from);
    const others = all(":is([data-address], [data-to], th)[tabindex]", group);
    let to = others[others.indexOf(from) + dx + dy];
    if (group.matches(PICTURES)) {
      const middle = (own) => {
        const box = own.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
      };
      const [x, y] = middle(from);
      let least = Infinity;
      to = null;
      for (const other of others) {
        const [left, top] = middle(other);
        const ahead = (left - x) * dx + (top - y) * dy;
        const aside = Math.abs((left - x) * dy + (top - y) * dx);
        if (ahead > 4 && ahead + 8 * aside < least) {
          least = ahead + 8 * aside;
          to = other;
        }
      }
    }
    if (!to) return;
    for (const other of others) other.tabIndex = other === to ? 0 : -1;
    to.focus();
  }

  // ---- the panel, and the way through it

  const panel = make("dialog", { class: "tx-pop" });
  let trail = []; // addresses shown since it opened, the present one last
  let pushed = 0; // entries of the history that are ours, on top of where the reader was
  let leaving = false; // the browser is going back over them
  let anchor; // the number under which the panel stands
  let origin; // the same when it has closed
  let asked = 0; // counts requests: only the last one is answered
  let page, here; // the article that was made operable, and its path

  const bare = () => location.href.split("#")[0];
  const strip = () => {
    if (wanted().length) history.replaceState(history.state, "", bare());
    history.scrollRestoration = "auto";
  };

  /* The address in the fragment, if there is one, in each way that it may have been encoded. */
  function wanted() {
    const ways = [location.hash.slice(1), decode(location.hash.slice(1))];
    const target = document.getElementById(ways[0]) || document.getElementById(ways[1]);
    return target && !target.dataset.address ? [] : ways.filter((way) => ADDRESS.test(way));
  }

  async function show(ways, { from, push, back, jump = !panel.open } = {}) {
    const mine = ++asked;
    const found = await find(ways).catch(() => ({ address: ways[0] }));
    const { address, part } = found;
    if (mine !== asked || !(part || push || address.includes("/"))) return; // or it is another kind of anchor
    if (back) trail.pop();
    else if (trail.at(-1) !== address) trail.push(address);
    if (push && wanted()[0] !== address) {
      history.scrollRestoration = "manual"; // the page stays where it is
      history.pushState({ x: scrollX, y: scrollY }, "", `${bare()}#${address}`); // as the theme keeps it
      pushed += 1;
    }
    if (jump || from) anchor = from || at(address);
    if (jump && !from) anchor?.scrollIntoView({ block: "center", inline: "nearest" });
    panel.setAttribute("aria-label", spoken(address));
    panel.replaceChildren(...(part ? content(found) : [bar(""), title(spoken(address)), "No arithmetic was found for it."]));
    document.body.append(panel);
    panel.open = true;
    origin = null;
    light("tx-now", [address]);
    light("tx-from", all(".tx-pop-line [data-to]", panel).map((link) => link.dataset.to));
    place();
    settle();
  }

  const light = (name, addresses = []) => {
    for (const own of onPage()) own.classList.toggle(name, addresses.includes(own.dataset.address));
  };

  /* Under the number, or above it; on a small screen, or without a number, at the foot of the window. */
  function place() {
    const sheet = !anchor?.isConnected || matchMedia("(max-width: 44.99em)").matches;
    panel.classList.toggle("tx-sheet", sheet);
    panel.style.left = panel.style.top = "";
    panel.scrollTop = 0;
    const box = anchor?.getBoundingClientRect();
    const { top, width, height } = panel.getBoundingClientRect();
    if (sheet) {
      if (box?.bottom > top - 16) scrollBy(0, box.bottom - top + 48);
      return;
    }
    const above = box.bottom + height + 24 > innerHeight && box.top - height > 96;
    panel.style.left = `${Math.max(16, Math.min(box.left - 24, document.body.clientWidth - width - 16))}px`;
    panel.style.top = `${(above ? box.top - height - 10 : box.bottom + 10) + scrollY}px`;
    panel.scrollIntoView({ block: "nearest" });
  }

  function hide() {
    if (!panel.open) return;
    panel.open = false;
    for (const name of ["tx-now", "tx-from", "tx-hot"]) light(name);
    origin = anchor;
    settle();
    trail = [];
    pushed = 0;
    anchor = null;
  }

  /* Focus the panel, or what it came from; a browser that goes through its history takes the focus away. */
  function settle() {
    const { activeElement: focus, body } = document;
    const inside = panel.contains(focus);
    if (panel.open && !inside) panel.querySelector("h2").focus({ preventScroll: true });
    else if (!panel.open && (inside || focus === body)) origin?.focus({ preventScroll: true });
  }

  /* Close, and leave the history as it was before. */
  function close() {
    const over = pushed;
    hide();
    leaving = over > 0;
    if (leaving) history.go(-over);
    else strip();
  }

  /* Follow the fragment. */
  function sync() {
    if (leaving) {
      leaving = false;
      strip();
      settle();
      return;
    }
    const ways = wanted();
    if (!ways.length || location.pathname !== here) { // or another page is on its way
      hide();
      history.scrollRestoration = "auto";
    } else if (!panel.open || !ways.includes(trail.at(-1))) {
      const back = ways.includes(trail.at(-2));
      pushed = back ? Math.max(0, pushed - 1) : 0;
      show(ways, { back });
    }
  }

  function open(address, how) {
    const go = () => show([address], { push: true, ...how });
    if (leaving) addEventListener("hashchange", go, { once: true });
    else go();
  }

  // ---- what it says

  /* Text as formulas are set: a single letter is a variable, its number an index; products stay on one line. */
  const typeset = (text) => text.replace(/-(?= |ln)/g, "−").replace(/ ([×/]) /g, "\u00a0$1\u00a0").split(/(\[.*?\])/).flatMap(
    (bit, odd) => (odd % 2 ? bit : bit.split(/\b([A-Za-z])('*)(\d*)(?![\w'.])/).map(
      (own, turn) => own && [own, make("i", {}, own), own, make("sub", {}, own)][turn % 4],
    )),
  );

  /* The page that has an address's own cell, and the way there. */
  function home(part, address) {
    const page = part.pages[part.tables[address.split("/")[0]]];
    return page ? [`${new URL(page[0], root)}#${address}`, ` on the page “${page[1]}”`] : [];
  }

  function link(part, place, text, name) {
    const [address] = part.numbers[place];
    const href = home(part, address)[0] || `#${address}`;
    return make("a", { href, "data-to": address, "aria-label": name }, ...text);
  }

  function line(part, pieces) {
    return make("p", { class: "tx-pop-line" }, "=\u00a0", ...pieces.flatMap((piece) => {
      if (typeof piece === "string") return typeset(piece);
      const [place, text] = [piece].flat();
      const [, symbol, display] = part.numbers[place];
      return link(part, place, [text || display], `${text || display}, ${symbol}`);
    }));
  }

  function bar(words) {
    const button = (name, sign, act) => {
      const made = make("button", { type: "button", "aria-label": name }, sign);
      made.onclick = act;
      return made;
    };
    const back = trail.length > 1 ? [button("Back to the number before", "←", () => history.back())] : [];
    return make("div", { class: "tx-pop-bar" }, ...back, make("span", {}, words), button("Close", "×", close));
  }

  const title = (...words) => make("h2", { tabindex: "-1" }, ...words);

  function content({ part, place, address }) {
    const [, symbol, display] = part.numbers[place];
    const [name, kind, facts, formula, filled = [], used = [], same = []] = part.works[place];
    const [href, where = ""] = home(part, address);
    const [go, there] = at(address)?.closest(href ? ".tx-table" : "*") ? [`#${address}`, " on this page"] : [href, where];
    const code = make("code", {}, address);
    const others = same.flatMap((own) => [", ", link(part, own, [part.numbers[own][0]])]);
    const users = used.map((own) => make("li", {}, link(part, own, typeset(part.numbers[own][1])), ` = ${part.numbers[own][2]}`));
    const count = `Used by ${users.length} number${users.length > 1 ? "s" : ""}`;
    return [
      bar(kind),
      title(...typeset(symbol), " = ", make("b", {}, display)),
      make("p", {}, part.titles[name]),
      formula && line(part, [formula]),
      filled.length && line(part, filled),
      filled.length && line(part, [display]),
      facts && make("p", {}, facts),
      same.length && make("p", {}, "Same as ", ...others.slice(1)),
      users.length && make("details", {}, make("summary", {}, count), make("ul", {}, ...users)),
      make("p", { class: "tx-pop-where" }, go ? make("a", { href: go }, code) : code, there),
    ].filter(Boolean);
  }

  // ---- what the reader does

  document.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const target = event.target;
    const inside = panel.contains(target);
    const link = target.closest("a[href]");
    const number = target.closest("[data-address][tabindex]") || target.closest(".tx td")?.querySelector("[tabindex]");
    const there = link?.pathname === location.pathname && at(link.hash.slice(1));
    if (link?.dataset.to) open(link.dataset.to, { from: inside ? null : link });
    else if (there) open(there.dataset.address, { jump: true });
    else if (number && !link) {
      if (String(getSelection())) return; // copying is no question
      open(number.dataset.address, { from: number });
    } else {
      if (panel.open && !inside) (link ? hide : close)(); // where to go is the link's affair
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, target } = event;
    const number = target.closest?.("[data-address][tabindex], .tx-work [data-to], .tx-table th[tabindex]");
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (panel.open && key === "Escape") close();
    else if (number && step) move(number, ...step);
    else if (number?.dataset.address && (key === "Enter" || key === " ")) open(number.dataset.address, { from: number });
    else if (key === "Tab" && panel.contains(target)) {
      const stops = all("a, button, summary", panel).filter((stop) => stop.getClientRects().length);
      if (target !== (event.shiftKey ? stops[0] : stops.at(-1)) && !(event.shiftKey && target.matches("h2"))) return;
      stops.at(event.shiftKey ? -1 : 0).focus();
    } else return;
    event.preventDefault();
  }, true);

  for (const kind of ["pointerover", "focusin", "pointerleave"]) {
    panel.addEventListener(kind, ({ target }) => light("tx-hot", [target.closest("[data-to]")?.dataset.to]));
  }
  /* Called by ahead.js before the theme learns of a way through the history: it would load the page again. */
  window.tinyxfHistory = (event) => {
    if (location.pathname === here && (leaving || panel.open || wanted().length)) event.stopImmediatePropagation();
    sync();
  };
  addEventListener("hashchange", () => {
    sync();
    settle();
    origin = null;
  });
  addEventListener("load", settle); // until then the browser may focus what the fragment names
  addEventListener("resize", () => panel.open && place());

  /* A page is there: the first, or another in its place. */
  function arrive() {
    const article = document.querySelector(".md-content article");
    if (article === page) return;
    page = article;
    here = location.pathname;
    asked += 1;
    hide();
    prepare();
    sync();
  }
  arrive();
  window.document$?.subscribe(arrive);
})();
