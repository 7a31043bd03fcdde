"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const root = document.documentElement;
  const main = one("main"), query = one("#query"), found = one("#found"), keys = one("#keys"), listen = one("#listen");
  one("#search").hidden = false;
  one("#tools").hidden = false;

  // Folding

  const open = (node) => {
    for (let at = node; at; at = at.parentElement) if (at.localName === "details") at.open = true;
  };
  const reach = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    open(target);
    target.scrollIntoView();
    requestAnimationFrame(() => target.scrollIntoView()); // what lies between has its true height only now
  };
  addEventListener("hashchange", reach);
  reach();

  const toggle = (id, work) => {
    const button = one(id);
    if (!button) return () => {};
    const flip = () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      work(on);
    };
    button.addEventListener("click", flip);
    return flip;
  };
  let folds = null;
  const unfold = toggle("#unfold", (on) => {
    if (on) {
      folds = all("details", main).filter((each) => !each.open);
      for (const each of folds) each.open = true;
    } else for (const each of folds || []) each.open = false;
  });
  const spoken = toggle("#spoken", (on) => main.classList.toggle("spoken", on));

  // Dark and light

  const theme = one("#theme");
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  const turn = () => { root.dataset.theme = dark() ? "light" : "dark"; label(); };
  theme.addEventListener("click", turn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();

  // Search: in every text by itself, folded or not

  const MOST = 5000;
  let texts = null, hits = [], at = -1, waiting = 0;
  const nodes = (unit) => {
    const list = [];
    for (const each of all(".t", unit)) {
      const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) list.push(walker.currentNode);
    }
    return list;
  };
  const range = ({ unit, from, to }) => {
    const made = new Range();
    let passed = 0, begun = false;
    for (const node of nodes(unit)) {
      const end = passed + node.length;
      if (!begun && from < end) { made.setStart(node, from - passed); begun = true; }
      if (begun && to <= end) { made.setEnd(node, to - passed); break; }
      passed = end;
    }
    return made;
  };
  const paint = (name, ranges) => {
    if (!CSS.highlights) return;
    CSS.highlights.delete(name);
    if (!ranges.length) return;
    const highlight = new Highlight();
    for (const each of ranges) highlight.add(each);
    CSS.highlights.set(name, highlight);
  };
  const say = () => {
    const many = hits.length === MOST ? `${MOST}+` : hits.length;
    found.textContent = !query.value ? "" : hits.length ? `${at < 0 ? "" : `${at + 1} of `}${many}` : "not found";
  };
  const look = () => {
    clearTimeout(waiting);
    waiting = 0;
    texts = texts || all(".s", main).map((unit) => [unit, nodes(unit).map((node) => node.data).join("")]);
    hits = [];
    at = -1;
    if (query.value) {
      const wanted = new RegExp(query.value.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"), "giu");
      search: for (const [unit, text] of texts)
        for (const { index, 0: hit } of text.matchAll(wanted)) {
          hits.push({ unit, from: index, to: index + hit.length });
          if (hits.length === MOST) break search;
        }
    }
    paint("hit", hits.map(range));
    paint("now", []);
    say();
  };
  const go = (step) => {
    if (waiting || (query.value && !hits.length)) look();
    if (!hits.length) return;
    at = at < 0 && step < 0 ? hits.length - 1 : (at + step + hits.length) % hits.length;
    if (main.classList.contains("spoken") && !hits[at].unit.getClientRects().length && hits[at].unit.closest(".e")) spoken();
    const now = range(hits[at]);
    open(now.startContainer.parentElement);
    const show = () => {
      const box = now.getBoundingClientRect();
      scrollBy(0, box.top - innerHeight / 3);
    };
    now.startContainer.parentElement.scrollIntoView({ block: "nearest" });
    show();
    requestAnimationFrame(show);
    paint("now", [now]);
    say();
  };
  query.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 150); });
  one("#search").addEventListener("submit", (event) => { event.preventDefault(); go(1); });
  one("#back").addEventListener("click", () => go(-1));

  // Keys

  const step = (selector, by) => {
    const list = all(selector).filter((each) => each.getClientRects().length);
    if (!list.length) return;
    const here = document.activeElement.closest(".e");
    let index = here ? list.indexOf(here) : -1;
    if (index < 0) {
      const after = list.findIndex((each) =>
        here ? here.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING : each.getBoundingClientRect().bottom > 0);
      index = after < 0 ? list.length - 1 : by > 0 ? after : after - 1;
    } else index += by;
    const target = list[Math.max(0, Math.min(list.length - 1, index))];
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView();
    requestAnimationFrame(() => target.scrollIntoView());
  };
  const fold = () => {
    const here = document.activeElement.closest(".e");
    const first = here && here.querySelector("details");
    if (first) first.open = !first.open;
  };
  const show = () => keys.showModal();
  one("#help").addEventListener("click", show);
  const work = {
    "/": () => { query.focus(); query.select(); },
    n: () => go(1), N: () => go(-1),
    j: () => step(".e", 1), k: () => step(".e", -1),
    "]": () => step(".e.human", 1), "[": () => step(".e.human", -1),
    o: fold, e: unfold, c: spoken, d: turn, "?": show,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === query) {
      if (event.key === "Escape") { query.value = ""; look(); query.blur(); }
      return;
    }
    if (!listen.checked || event.target.closest("input, textarea, select") || !Object.hasOwn(work, event.key)) return;
    event.preventDefault();
    work[event.key]();
  });
})();
