/* Every number opens its arithmetic: click, tap, Enter or Space on one, and a panel says how it was computed.

   What it says is in assets/work/*.js, loaded when first asked for; tinyxf/book/popover.py tells what is in them.  The
   URL fragment is the address of the number at hand, so it can be linked to, and Back goes back.  Listeners stand on
   the document, since instant navigation replaces the page under them.  */
(() => {
  "use strict";

  const root = new URL("../../", document.currentScript.src);
  const ADDRESS = /^[\w-]+(\.[\w-]+)+(\/[^/]+){0,2}$/;
  const PICTURES = ".tx-table, .tx-figure";
  const BLOCKS = "p, li, dd, dt, td, th, h1, h2, h3, h4, h5, h6";

  const make = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const name in attributes) if (attributes[name]) made.setAttribute(name, attributes[name]);
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
  const spoken = (address) => address.split("/").map(decode).join(", ");

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

  // ---- numbers on the page

  const onPage = () => all(".md-content [data-address]");
  const at = (address) => {
    const found = onPage().filter((own) => own.dataset.address === address);
    return found.find((own) => own.id) || found.find((own) => own.tabIndex >= -1 && own.role) || found[0];
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
        number.setAttribute("role", "button");
        number.setAttribute("aria-label", prose ? text : `${text}, ${how}`);
        if (prose) number.setAttribute("aria-description", how);
      }
      number.setAttribute("aria-haspopup", "dialog");
      number.setAttribute("tabindex", groups.has(group) ? -1 : 0);
      groups.add(group);
    }
    for (const svg of all(".tx-figure svg:has([tabindex])")) {
      svg.removeAttribute("aria-hidden");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "Numbers of the figure");
      for (const label of all("text:not([tabindex])", svg)) label.setAttribute("aria-hidden", "true");
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
    const others = all(":is([data-address], [data-to])[tabindex]", group);
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
  let next; // what to do when it has
  let anchor; // the number under which the panel stands, and to which the focus returns
  let asked = 0; // counts requests: only the last one is answered
  let page, here; // the article that was made operable, and its path

  const bare = () => location.href.split("#")[0];
  const strip = () => wanted().length && history.replaceState(history.state, "", bare());

  /* The address in the fragment, if there is one, in each way that it may have been encoded. */
  function wanted() {
    const ways = [location.hash.slice(1), decode(location.hash.slice(1))];
    const target = document.getElementById(ways[0]) || document.getElementById(ways[1]);
    return target && !target.dataset.address ? [] : ways.filter((way) => ADDRESS.test(way));
  }

  async function show(ways, { from, push, back, jump = !panel.open } = {}) {
    const mine = ++asked;
    const found = await find(ways).catch(() => ({ address: ways[0], failed: true }));
    const { address, part, failed } = found;
    if (mine !== asked || !(part || failed || address.includes("/"))) return; // or it is another kind of anchor
    if (back) trail.pop();
    else if (trail.at(-1) !== address) trail.push(address);
    if (push && wanted()[0] !== address) {
      history.pushState({ x: scrollX, y: scrollY }, "", `${bare()}#${address}`); // as the theme keeps it
      pushed += 1;
    }
    if (jump || from) anchor = from || at(address);
    if (jump && !from) anchor?.scrollIntoView({ block: "center", inline: "nearest" });
    panel.setAttribute("aria-label", spoken(address));
    panel.replaceChildren(...(part ? content(found) : [
      bar(""),
      make("h2", { tabindex: "-1" }, spoken(address)),
      failed ? "Its arithmetic could not be loaded." : "This book has no number of that name.",
    ]));
    document.body.append(panel);
    panel.open = true;
    light("tx-now", [address]);
    light("tx-from", all(".tx-pop-line [data-to]", panel).map((link) => link.dataset.to));
    place();
    panel.querySelector("h2").focus({ preventScroll: true });
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
    const left = Math.max(16, Math.min(box.left - 24, document.documentElement.clientWidth - width - 16));
    const above = box.bottom + height + 24 > innerHeight && box.top - height > 96;
    panel.style.left = `${left + scrollX}px`;
    panel.style.top = `${(above ? box.top - height - 10 : box.bottom + 10) + scrollY}px`;
    panel.scrollIntoView({ block: "nearest" });
  }

  function hide() {
    if (!panel.open) return;
    const focused = panel.contains(document.activeElement) || document.activeElement === document.body;
    panel.open = false;
    for (const name of ["tx-now", "tx-from", "tx-hot"]) light(name);
    if (focused) anchor?.focus({ preventScroll: true });
    trail = [];
    pushed = 0;
    anchor = null;
  }

  /* Close, and leave the history as it was before. */
  function close() {
    const over = pushed;
    hide();
    leaving = over > 0;
    if (leaving) history.go(-over);
    else strip();
  }

  function goBack() {
    if (pushed) return history.back();
    history.replaceState(history.state, "", `${bare()}#${trail.at(-2)}`);
    return show([trail.at(-2)], { back: true });
  }

  /* Follow the fragment. */
  function sync() {
    if (leaving) {
      leaving = false;
      strip();
      next?.();
      next = null;
      return;
    }
    const ways = wanted();
    if (!ways.length || location.pathname !== here) hide(); // another page is on its way
    else if (!panel.open || !ways.includes(trail.at(-1))) {
      const back = ways.includes(trail.at(-2));
      pushed = back ? Math.max(0, pushed - 1) : 0;
      show(ways, { back });
    }
  }

  function open(address, how) {
    const go = () => show([address], { push: true, ...how });
    if (leaving) next = go;
    else go();
  }

  // ---- what it says

  /* Text as formulas are set: a single letter is a variable, its number an index; products stay on one line. */
  const typeset = (text) => text.replaceAll(" - ", " − ").replace(/ ([×/]) /g, "\u00a0$1\u00a0").split(/(\[.*?\])/).flatMap(
    (bit, odd) => (odd % 2 ? bit : bit.split(/\b([A-Za-z])('*)(\d*)(?![\w'.])/).map(
      (own, turn) => [own, make("i", {}, own), own, make("sub", {}, own)][turn % 4],
    )),
  );

  /* The page that has an address's own cell, and the way there. */
  function home(part, address) {
    const [url, title] = part.pages[part.tables[address.split("/")[0]]] || [];
    return [url && `${new URL(url, root)}#${address}`, title && ` on the page “${title}”`];
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
    const back = trail.length > 1 ? [button("Back to the number before", "←", goBack)] : [];
    return make("div", { class: "tx-pop-bar" }, ...back, make("span", {}, words), button("Close", "×", close));
  }

  function content({ part, place, address }) {
    const [, symbol, display] = part.numbers[place];
    const [title, kind, facts, formula, filled, used = [], same = []] = part.works[place];
    const [href, where = ""] = home(part, address);
    const [go, there] = at(address) ? [`#${address}`, " on this page"] : [href, where];
    const code = make("code", {}, address);
    const result = make("b", {}, display);
    const others = same.flatMap((own) => [", ", link(part, own, [part.numbers[own][0]])]);
    const users = used.map((own) => make("li", {}, link(part, own, typeset(part.numbers[own][1])), ` = ${part.numbers[own][2]}`));
    const count = users.length === 1 ? "1 number" : `${users.length} numbers`;
    const details = make("details", {}, make("summary", {}, `Used by ${count}`), make("ul", {}, ...users));
    details.ontoggle = () => panel.scrollIntoView({ block: "nearest" });
    return [
      bar(kind),
      make("h2", { tabindex: "-1" }, ...typeset(symbol), " = ", result),
      make("p", {}, part.titles[title]),
      formula && line(part, [formula]),
      filled && line(part, filled),
      filled && make("p", { class: "tx-pop-line" }, "=\u00a0", result.cloneNode(true)),
      facts && make("p", {}, facts),
      same.length && make("p", {}, "Same as ", ...others.slice(1)),
      users.length && details,
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
    const number = target.closest?.("[data-address][tabindex], .tx-work [data-to]");
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
  addEventListener("popstate", (event) => {
    // The theme would load the page again.
    if (location.pathname === here && (leaving || panel.open || wanted().length)) event.stopImmediatePropagation();
    sync();
  }, true);
  addEventListener("hashchange", sync);
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
