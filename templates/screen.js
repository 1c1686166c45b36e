"use strict";
/* Copy, filter, sort. Everything can be read without this script. */
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  for (const box of all("[data-copy]")) {
    const button = box.querySelector("button.copy"), text = box.querySelector("pre");
    if (!button || !text) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      let done = false;
      try { await navigator.clipboard.writeText(text.textContent); done = true; } catch { done = select(text); }
      button.textContent = done ? "Copied" : "Select and copy";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
  function select(text) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const chosen = getSelection();
    chosen.removeAllRanges();
    chosen.addRange(range);
    return document.execCommand("copy");
  }

  for (const bar of all("[data-filter]")) {
    const table = document.getElementById(bar.dataset.filter);
    if (!table) continue;
    bar.hidden = false;
    const buttons = all("button[data-kind]", bar), search = bar.querySelector("input");
    let kind = "";
    const apply = () => {
      const words = search ? search.value.trim().toLowerCase() : "";
      for (const row of all("tbody tr:not(.grp)", table)) {
        row.hidden = (kind !== "" && row.dataset.kind !== kind) || (words !== "" && !row.textContent.toLowerCase().includes(words));
        const block = row.dataset.for && document.getElementById(row.dataset.for);
        if (block) block.hidden = row.hidden;
      }
      for (const head of all("tr.grp", table))
        head.hidden = all("tr:not(.grp)", head.parentElement).every(row => row.hidden);
    };
    for (const button of buttons) button.addEventListener("click", () => {
      kind = button.dataset.kind;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      apply();
    });
    if (search) search.addEventListener("input", apply);
  }

  const order = new Intl.Collator("en", { numeric: true });
  for (const table of all("table.sortable")) {
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0], cell = row => row.cells[column] ? row.cells[column].textContent : "";
        body.append(...Array.from(body.rows).sort((a, b) => (down ? -1 : 1) * order.compare(cell(a), cell(b))));
      });
    });
  }

  /* A link to a finding that the filter hid shows everything again; a folded part opens. */
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) for (const bar of all("[data-filter]")) {
      const search = bar.querySelector("input"), first = bar.querySelector("button[data-kind='']");
      if (search) { search.value = ""; search.dispatchEvent(new Event("input")); }
      if (first) first.click();
    }
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
