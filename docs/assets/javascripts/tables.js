/* What a table can do where scripts run: be copied, be shaded by value, and show what a row or column feeds.  And how
   the keyboard goes through maps and what scrolls.

   The tools of a table are made when a reader first opens them; what a number feeds is known to work.js, which loads
   it when first asked.  Listeners stand on the document, since instant navigation replaces the page.  */
(() => {
  "use strict";

  const STORED = "tinyxf.shaded"; // ids of the tables that this reader wants shaded

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.append(...children);
    return made;
  };

  // ---- copied: the same text as the command line prints, and as the files hold

  const shown = (cell) => (cell.querySelector("[aria-hidden]") || cell).textContent.trim();
  const texts = (box) => [...box.querySelector("table").rows].map((row) => [...row.cells].map(shown));

  /* A word that a spreadsheet would run as a formula is kept from it. */
  const field = (text) => {
    const inert = /^[=+\-@\t\r]/.test(text) && text !== "-" && !/^[-+]*[\d,.]+%*$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
  };
  const asCsv = (box) => texts(box).map((row) => `${row.map(field).join(",")}\n`).join("");

  const MARKS = /[\\`*_{}[\]|<>&$~^#"]|--|\.\.\.|\((?=(?:c|r|p|tm)\))|(?<=[\d+c=])\/(?=[\do=-])|(?<=\d)[snrt](?=[tdh]\b)/gi;
  const typed = (text) => text.replace(MARKS, (found) =>
    [...found].map((sign) => ("\\`*_{}[]|#".includes(sign) ? `\\${sign}` : `&#${sign.charCodeAt(0)};`)).join(""));

  function asMarkdown(box) {
    const [head, ...rows] = texts(box);
    const numeric = [...box.querySelector("tr").cells].map((cell) => cell.matches(".tx-num"));
    const line = (cells) => `|${cells.map((text) => ` ${text} |`).join("")}\n`;
    const step = box.querySelector(".tx-step")?.textContent;
    const title = typed(box.querySelector(".tx-title").textContent);
    return `**${step ? `${step}: ` : ""}${title}** (\`${box.dataset.table}\`)\n\n${line(head.map(typed))}`
      + line(numeric.map((own) => (own ? "---:" : "---")))
      + rows.map((row) => line(row.map((text, column) => (numeric[column] ? text : typed(text))))).join("");
  }

  async function copy(text) {
    const focused = document.activeElement;
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { // refused, or not there: the older way
      const area = make("textarea", { class: "tx-hidden", readonly: "" });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      focused.focus({ preventScroll: true });
      return done;
    }
  }

  // ---- shaded

  const stored = () => {
    try {
      return new Set(JSON.parse(localStorage.getItem(STORED)));
    } catch {
      return new Set();
    }
  };

  /* Each number against the largest of its kind: q0 with q1, all keys of a query, else the column by itself. */
  function measure(box) {
    const [head, ...rows] = box.querySelector("table").rows;
    const labels = [...head.cells].map((cell) => cell.textContent);
    const kinds = labels.map((label) => (labels[0].includes("\\") ? "" : label.replace(/[\d_]+/g, "")));
    const numbers = rows.flatMap((row) => all("td > data", row));
    const most = {};
    for (const number of numbers) {
      const kind = kinds[number.parentElement.cellIndex];
      most[kind] = Math.max(most[kind] || 0, Math.abs(number.value));
    }
    for (const number of numbers) {
      const cell = number.parentElement;
      cell.classList.toggle("tx-below", number.value < 0);
      cell.style.setProperty("--share", Math.abs(number.value) / most[kinds[cell.cellIndex]] || 0);
    }
  }

  function shade(box, on) {
    if (on && !box.querySelector("[style]")) measure(box);
    box.classList.toggle("tx-shaded", on);
    box.querySelector("[aria-pressed]")?.setAttribute("aria-pressed", on);
  }

  function toggle(id, on) {
    for (const box of all(`.tx-table[data-table="${id}"]`)) shade(box, on);
    const ids = stored();
    ids[on ? "add" : "delete"](id);
    try {
      localStorage.setItem(STORED, JSON.stringify([...ids]));
    } catch { /* a browser that stores nothing forgets it with the page */ }
  }

  // ---- the tools of a table

  function equip(tools) {
    const box = tools.closest(".tx-table");
    const bar = tools.querySelector("p");
    if (bar.querySelector("button")) return;
    const status = make("span", { role: "status" });
    const button = (words, act, attributes = {}) => {
      const made = make("button", { type: "button", ...attributes }, words);
      made.onclick = act;
      return made;
    };
    const copier = (form, write) => button(`Copy as ${form}`, async () => {
      status.textContent = "";
      status.textContent = (await copy(write(box))) ? `Copied as ${form}` : "The browser refuses to copy; take the file";
    });
    bar.prepend(copier("Markdown", asMarkdown), copier("CSV", asCsv));
    bar.append(button("Shade by value", (event) => {
      toggle(box.dataset.table, event.target.getAttribute("aria-pressed") !== "true");
    }, { "aria-pressed": box.classList.contains("tx-shaded"), class: "tx-shade" }), status);
  }

  document.addEventListener("toggle", ({ target }) => target.matches(".tx-tools[open]") && equip(target), true);

  // ---- what a row or column feeds

  let head = null; // the row's or column's head under the pointer, or with the focus

  const lineOf = (th) => (th.closest("thead")
    ? [...th.closest("table").rows].map((row) => row.cells[th.cellIndex])
    : [...th.parentElement.cells]);

  const douse = () => {
    for (const own of all(".tx-line, .tx-fed")) own.classList.remove("tx-line", "tx-fed");
    for (const own of all(".tx-feeds")) own.remove();
  };

  function look(th) {
    if (th === head) return;
    head = th;
    douse();
    if (!th) return;
    const line = lineOf(th);
    for (const cell of line) cell.classList.add("tx-line");
    setTimeout(() => head === th && feed(th, line).catch(() => {}), 120); // not for a pointer that passes by
  }

  async function feed(th, line) {
    const fed = new Set();
    for (const number of line.flatMap((cell) => all("[data-address]", cell))) {
      const { part, place } = await window.tinyxfWork.find(number.dataset.address);
      const [, , , , , used = []] = part?.works[place] || [];
      for (const own of used) fed.add(part.numbers[own][0]);
    }
    if (head !== th || !fed.size) return;
    for (const own of all(".md-content [data-address]")) own.classList.toggle("tx-fed", fed.has(own.dataset.address));
    const box = th.closest(".tx-table");
    const tables = [...new Set([...fed].map((address) => address.split("/")[0]))].filter((id) => id !== box.dataset.table);
    if (!tables.length) return;
    const words = `${th.textContent} feeds ${tables.join(", ")}`;
    th.setAttribute("aria-description", words);
    box.append(make("span", { class: "tx-feeds", "aria-hidden": "true" }, words));
  }

  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, ({ target }) => look(target.closest?.(".tx-table th")));
  }
  document.addEventListener("focusout", () => look(null));

  // ---- a map of the model is one stop for the Tab key: the step that is lit; arrow keys go on from there

  const rove = (links, to) => {
    for (const link of links) link.tabIndex = link === to ? 0 : -1;
  };

  document.addEventListener("keydown", (event) => {
    const map = event.target.closest?.(".tx-map");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!map || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    const links = all("a", map);
    const to = links[links.indexOf(event.target) + step];
    if (!to) return;
    rove(links, to);
    to.focus();
    event.preventDefault();
  });

  // ---- what scrolls in place is a stop for the Tab key, while it does

  const SCROLLING = ".md-typeset pre, .tx-maths, .tx-scroll:has(> .tx-plain)"; // those with numbers are work.js's
  const regions = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });

  // ---- a page is there: the first, or another in its place

  function arrive() {
    head = null;
    const ids = stored();
    for (const box of all(".tx-table")) {
      if (ids.has(box.dataset.table)) shade(box, true);
      for (const th of all("th:not(:has([data-address]))", box)) th.tabIndex = -1; // for the arrow keys
    }
    for (const map of all(".tx-map")) rove(all("a", map), map.querySelector("[aria-current]"));
    for (const tools of all(".tx-tools[open]")) equip(tools); // opened before this script ran
    regions.disconnect();
    for (const region of all(SCROLLING)) regions.observe(region);
  }
  arrive();
  window.document$?.subscribe(arrive);
})();
