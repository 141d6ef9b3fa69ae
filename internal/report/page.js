"use strict";
(() => {
  // Tooltips: the titles work without this, but late and only with a mouse.
  const tip = document.getElementById("tip");
  const texts = new WeakMap();
  for (const title of document.querySelectorAll(".marks title, .band title")) {
    texts.set(title.parentNode, title.textContent);
    title.remove();
  }
  const hide = () => { tip.hidden = true; };
  const show = (event) => {
    const text = texts.get(event.target);
    if (text === undefined) return hide();
    const [first, ...rest] = text.split("\n");
    const head = document.createElement("strong");
    head.textContent = first;
    tip.replaceChildren(head, ...rest.map((line) => {
      const div = document.createElement("div");
      div.textContent = line;
      return div;
    }));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - width - 8);
    const above = event.clientY - height - 14;
    place(Math.max(8, left), above < 8 ? event.clientY + 18 : above);
  };
  // A style set by a script's own property is not inline style to the policy.
  const place = (x, y) => { tip.style.left = x + "px"; tip.style.top = y + "px"; };
  for (const svg of document.querySelectorAll(".marks, .band")) {
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", hide);
  }
  addEventListener("scroll", hide, { passive: true });

  // Sorting: a click on a head, and another for the other way round.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((th, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const down = th.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => {
          const cell = row.cells[column];
          const value = cell.dataset.v ?? cell.textContent.trim();
          return th.dataset.number === undefined ? value : value === "" ? -Infinity : Number(value);
        };
        const keyed = [...table.tBodies[0].rows].map((row) => [key(row), row]);
        keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
        table.tBodies[0].append(...keyed.map(([, row]) => row));
      });
    });
  }

  // A link to files that are folded away opens them, and paper has no folds.
  const open = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", open);
  open();
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll(".changes details")) folded.open = true;
  });
})();
