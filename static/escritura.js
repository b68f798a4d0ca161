// Escritura. Everything here is an addition: the page reads well without it.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("con-guion");

  // The reader's theme wins over the book's and the system's. Private windows
  // and some browsers on local files have no storage.
  const stored = (value) => {
    try {
      if (value !== undefined) localStorage.setItem("escritura-tema", value);
      return localStorage.getItem("escritura-tema");
    } catch {
      return null;
    }
  };
  const chosen = stored();
  if (chosen === "claro" || chosen === "oscuro") root.dataset.tema = chosen;

  const isDark = () =>
    root.dataset.tema ? root.dataset.tema === "oscuro" : matchMedia("(prefers-color-scheme: dark)").matches;

  const element = (name, properties, ...inner) => {
    const one = Object.assign(document.createElement(name), properties);
    one.append(...inner);
    return one;
  };

  const themeButton = () => {
    const button = document.querySelector(".tema");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.tema = isDark() ? "claro" : "oscuro";
      stored(root.dataset.tema);
    });
  };

  // Contents: open where they have a column of their own; the section at hand is marked.
  const contents = () => {
    const nav = document.querySelector(".contenido");
    if (!nav) return;
    const isColumn = () => getComputedStyle(nav).position === "sticky";
    let column = false;
    const fit = () => {
      if (isColumn() === column) return;
      column = !column;
      nav.querySelector("details").open = column;
    };
    addEventListener("resize", fit);
    fit();
    const links = [...nav.querySelectorAll("a")];
    const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    let current = null;
    const mark = () => {
      const last = headings.findLastIndex((one) => one && one.getBoundingClientRect().top < innerHeight / 4);
      const link = links[last] ?? null;
      if (link === current) return;
      current?.removeAttribute("aria-current");
      link?.setAttribute("aria-current", "true");
      current = link;
      if (link && column) {
        const above = link.offsetTop - nav.clientHeight / 2;
        nav.scrollTo({ top: above, behavior: "instant" });
      }
    };
    let waiting = false;
    addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark();
      });
    }, { passive: true });
    mark();
  };

  // Tables: a click on a header sorts, a third one gives back the original order.
  const collator = new Intl.Collator(root.lang, { numeric: true });
  const machine = (cell) => cell.dataset.valor ?? cell.textContent.trim();
  const missing = (text) => text === "" || text === "—";
  // What is missing stays last in both directions.
  const order = (a, b, sign) =>
    missing(a) - missing(b) || sign * (Number.isNaN(a - b) ? collator.compare(a, b) : a - b);
  const sortable = (table) => {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) return;
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = element("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        const direction = next === undefined ? "ascending" : next;
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        if (direction) head.setAttribute("aria-sort", direction);
        const sign = direction === "descending" ? -1 : 1;
        const sorted = original.map((row) => [machine(row.cells[column]), row]);
        if (direction) sorted.sort(([a], [b]) => order(a, b, sign));
        body.append(...sorted.map(([, row]) => row));
      });
    });
  };

  // Long tables: only the rows with the words typed, whatever their accents and capitals.
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const filterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length <= 30) return;
    const box = element("input", { type: "search" });
    const count = element("span", { role: "status" });
    const label = element("label", { className: "filtro" }, document.body.dataset.filtrar, " ", box, " ", count);
    table.closest(".desliza").before(label);
    const texts = rows.map((row) => plain(row.textContent));
    box.addEventListener("input", () => {
      const words = plain(box.value).split(/\s+/);
      rows.forEach((row, at) => (row.hidden = !words.every((word) => texts[at].includes(word))));
      count.textContent = `${rows.filter((row) => !row.hidden).length} / ${rows.length}`;
    });
  };

  // Search: the index arrives when the box is first used. A letter and its folded
  // form take the same room, so that a match is marked where it stands.
  const fold = (text) => text.replace(/[^\0-\x7f]/g, (one) => plain(one)[0] ?? " ").toLowerCase();
  // The text around its first match, every match marked.
  const excerpt = ({ texto, folded }, words) => {
    const first = Math.min(...words.map((word) => folded.indexOf(word) >>> 0));
    const from = first > 50 && first < texto.length ? texto.lastIndexOf(" ", first - 40) + 1 : 0;
    const until = from + 170;
    const text = texto.slice(from, until);
    const pieces = [from ? "… " : ""];
    let done = 0;
    const any = new RegExp(words.map((word) => word.replace(/\W/g, "\\$&")).join("|"), "g");
    for (const { index, 0: word } of folded.slice(from, until).matchAll(any)) {
      pieces.push(text.slice(done, index), element("mark", {}, text.slice(index, index + word.length)));
      done = index + word.length;
    }
    return [...pieces, text.slice(done), until < texto.length ? " …" : ""];
  };
  const search = () => {
    const form = document.querySelector(".buscar");
    if (!form) return;
    const [box, status, list] = form.children;
    const says = form.dataset;
    let index = null;
    const load = async () => {
      const answer = await fetch(`${says.raiz}buscar.json`);
      if (!answer.ok) throw new Error(answer.status);
      return (await answer.json()).flatMap(({ titulo, ruta, partes }) => partes.map((part) => ({
        ...part, capitulo: titulo, ruta: `${says.raiz}${ruta}${part.ancla && "#"}${part.ancla}`,
        name: fold(`${part.titulo} ${titulo}`), folded: fold(part.texto),
      })));
    };
    const item = (part, words) => {
      const link = element("a", { href: part.ruta }, element("b", {}, part.titulo));
      link.append(element("small", {}, part.capitulo), element("span", {}, ...excerpt(part, words)));
      return element("li", {}, link);
    };
    const look = async () => {
      const words = fold(box.value.normalize()).split(/\s+/).filter(Boolean);
      list.hidden = !words.length;
      if (!words.length) return void (status.textContent = "");
      try {
        index ??= load();
        const inside = (text) => words.every((word) => text.includes(word));
        // Those whose title has the words go first.
        const all = (await index)
          .filter((part) => inside(`${part.name} ${part.folded}`))
          .sort((a, b) => inside(b.name) - inside(a.name));
        const n = all.length;
        status.textContent = n === 1 ? says.uno : n ? `${n} ${says.varios}` : says.ninguno;
        list.replaceChildren(...all.slice(0, 20).map((part) => item(part, words)));
      } catch {
        index = null;
        status.textContent = says.error;
        list.replaceChildren();
      }
      if (!list.children.length) list.append(element("li", {}, status.textContent));
    };
    const close = () => (list.hidden = true);
    box.addEventListener("input", look);
    box.addEventListener("focus", look);
    list.addEventListener("click", close);
    form.addEventListener("focusout", (event) => form.contains(event.relatedTarget) || close());
    form.addEventListener("keydown", (event) => {
      const stops = [box, ...list.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") {
        box.focus();
        close();
      } else if (event.key === "Enter" && event.target === box && !list.hidden) stops[1]?.click();
      else if (step) {
        event.preventDefault();
        stops.at((stops.indexOf(event.target) + step) % stops.length).focus();
      }
    });
    form.hidden = false;
  };

  const markdownOf = (table) => {
    const text = (cell) => cell.textContent.trim().replace(/\s+/g, " ").replaceAll("|", "\\|");
    const line = (cells) => `| ${[...cells].map(text).join(" | ")} |`;
    const heads = table.tHead.rows[0].cells;
    const rule = [...heads].map((one) => (one.classList.contains("numero") ? "--:" : "---"));
    const caption = table.caption ? `${text(table.caption)}\n\n` : "";
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => line(row.cells));
    return `${caption}${line(heads)}\n| ${rule.join(" | ")} |\n${rows.join("\n")}\n`;
  };
  const copyButton = (figure) => {
    const table = figure.querySelector("table");
    const actions = figure.querySelector(".acciones");
    if (!table || !actions || !navigator.clipboard) return;
    const words = document.body.dataset;
    const button = element("button", { type: "button", ariaLive: "polite" }, words.copiar);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(markdownOf(table));
      button.textContent = words.copiado;
      setTimeout(() => (button.textContent = words.copiar), 2000);
    });
    actions.firstElementChild.after(button);
  };

  // Shows a balloon under something, or above it, inside the window; or beside the
  // text, where there is room for a note on the margin.
  const show = (balloon, what, edge = Infinity) => {
    balloon.showPopover();
    const at = what.getBoundingClientRect();
    const beside = edge + 250 < root.clientWidth;
    balloon.style.maxWidth = beside ? `${Math.min(380, root.clientWidth - edge - 16)}px` : "";
    const left = beside ? edge : Math.min(at.left, root.clientWidth - balloon.offsetWidth - 16);
    const under = beside ? at.top - 12 : at.bottom + 8;
    const fits = under + 8 + balloon.offsetHeight <= root.clientHeight;
    const top = fits ? under : beside ? root.clientHeight - balloon.offsetHeight - 8 : at.top - 8 - balloon.offsetHeight;
    balloon.style.left = `${Math.max(8, left) + scrollX}px`;
    balloon.style.top = `${Math.max(8, top) + scrollY}px`;
  };

  // Values: a click, or the Enter key, shows where the number comes from, which is
  // also listed at the end of the page. All of them are one stop of the Tab key;
  // the arrows go from number to number.
  const values = () => {
    if (!HTMLElement.prototype.showPopover) return;
    const origin = (value) => document.getElementById(`origen:${value.dataset.origen}`);
    const all = [...document.querySelectorAll(".texto .valor")].filter((one) => origin(one) && !one.closest("a, button"));
    const balloon = element("div", { className: "globo", popover: "auto" });
    document.body.append(balloon);
    const open = (value) => {
      const inside = [...origin(value).childNodes, ...document.querySelectorAll(".de-datos")];
      balloon.replaceChildren(...inside.map((node) => node.cloneNode(true)));
      show(balloon, value, value.closest(".texto").getBoundingClientRect().right + 24);
    };
    all.forEach((value, at) => {
      Object.assign(value, { tabIndex: at ? -1 : 0, role: "button" });
      value.setAttribute("aria-describedby", origin(value).id);
      value.addEventListener("click", () => open(value));
      value.addEventListener("keydown", (event) => {
        const next = all[at + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
        if (event.key === "Enter" || event.key === " ") open(value);
        else if (next) {
          value.tabIndex = -1;
          next.tabIndex = 0;
          next.focus();
        } else return;
        event.preventDefault();
      });
    });
  };

  // Figures: the arrows go from datum to datum, left to right, and say what each one is.
  const points = () => {
    if (!HTMLElement.prototype.showPopover) return;
    const balloon = element("div", { className: "globo", popover: "manual" });
    const voice = element("p", { className: "oculto", role: "status" });
    document.body.append(balloon, voice);
    document.querySelectorAll(".lienzo").forEach((canvas) => {
      const { flechas } = canvas.dataset;
      if (!flechas || !canvas.querySelector("svg g title")) return;
      canvas.setAttribute("aria-description", flechas);
      let marks = [];
      let at = -1;
      const leave = () => {
        marks[at]?.classList.remove("visto");
        at = -1;
        balloon.hidePopover();
      };
      const left = (mark) => mark.getBoundingClientRect().left;
      canvas.addEventListener("blur", leave);
      canvas.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return leave();
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step || event.target !== canvas) return;
        if (at < 0) {
          const named = [...canvas.querySelectorAll("svg g title")].map((title) => title.parentNode);
          marks = named.filter((mark) => mark.getClientRects().length).sort((a, b) => left(a) - left(b));
        }
        if (!marks.length) return;
        event.preventDefault();
        marks[at]?.classList.remove("visto");
        at = at < 0 && step < 0 ? marks.length - 1 : Math.max(0, Math.min(marks.length - 1, at + step));
        marks[at].classList.add("visto");
        marks[at].scrollIntoView({ block: "nearest", inline: "nearest" });
        balloon.textContent = voice.textContent = marks[at].querySelector("title").textContent;
        show(balloon, marks[at]);
      });
    });
  };

  // A link into something folded unfolds it.
  const unfold = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    const folded = target && target.closest("details:not([open])");
    if (!folded) return;
    folded.open = true;
    target.scrollIntoView();
  };

  document.addEventListener("DOMContentLoaded", () => {
    themeButton();
    search();
    contents();
    document.querySelectorAll(".tabla table").forEach((table) => {
      filterable(table);
      sortable(table);
    });
    document.querySelectorAll(".tabla").forEach(copyButton);
    values();
    points();
    unfold();
    addEventListener("hashchange", unfold);
  });
})();
