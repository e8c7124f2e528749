// Lists of claims: searched, filtered and sorted by DataTables. Without it a table stays as it is.
// What is asked stands behind the # of the address, so it can be shared, and the back button works.
datatables.then(({ default: DataTable }) => {
  const FILTERS = ["paper", "verdict", "evidence", "post hoc"]; // of what the table tells of a claim
  // Words that say the same, each as it may be written; "percep" still finds what begins so.
  const SAME = [[/multi[- ]?layer perceptrons?|perceptrons?/g, "mlp"], [/gpt[- ]?2/g, "gpt2"],
                [/scaled signed averaging/g, "ssa"]];
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const HYPHEN = /(?<=\w)-(?=\w)/g; // "least-squares" finds "least squares", "pretraining" "pre-training"
  const unified = (text) => SAME.reduce((found, [words, one]) => found.replace(words, one), text);

  const element = document.querySelector("table.ledger, table.claims");
  const whole = element.matches(".ledger"); // of all papers, and so in pages
  const names = [...element.tHead.rows[0].cells].map((cell) => plain(cell.textContent));
  // A filter has "holds in part" once, whatever the part. A verdict of a chapter's list ends with its evidence.
  function kindsOf(row) {
    const texts = Object.fromEntries(names.map((name, place) => [name, row.cells[place].textContent.trim()]));
    const [verdict, ...evidence] = texts.verdict.split(", ");
    return { evidence: evidence.join(", ") || "none", ...texts,
             verdict: verdict.replace(/ in \d+ of \d+$/, " in part") };
  }
  const rows = [...element.tBodies[0].rows].map((row) => {
    const cells = [...row.cells].map((cell) => plain(cell.textContent));
    [...row.cells].forEach((cell, place) => (cell.dataset.title = names[place])); // for narrow screens
    const text = cells.join(" ");
    return { kinds: kindsOf(row), text: [text, unified(text), text.replace(HYPHEN, "")].join(" ") };
  });
  const filters = FILTERS.filter((name) => name in rows[0].kinds);

  // ---- what is asked: from the address, from the fields ----
  const form = document.createElement("form");
  form.className = "asked";
  form.setAttribute("role", "search");
  form.innerHTML = `<label>Search the claims <input type="search" name="q"></label>${filters.map(
    (name) => `<label>${name} <select name="${name}"><option value="">all</option></select></label>`,
  ).join("")}<button type="reset">Clear</button>`;
  for (const name of filters) {
    const count = new Map();
    for (const { kinds } of rows) {
      const value = kinds[name];
      count.set(value, (count.get(value) ?? 0) + 1);
    }
    for (const value of [...count.keys()].sort()) {
      form.elements[name].add(new Option(`${value} (${count.get(value)})`, value));
    }
  }
  const asked = () => new URLSearchParams(location.hash.slice(1));

  const fits = (index) => {
    const own = asked();
    const { kinds, text } = rows[index];
    const words = unified(plain(own.get("q") ?? "")).split(" ");
    const has = (word) => ["", " "].some((hyphen) => text.includes(word.replace(HYPHEN, hyphen)));
    return words.every(has) &&
      filters.every((name) => !own.get(name) || own.get(name) === kinds[name]);
  };

  // ---- the table ----
  const typeset = (node) => window.MathJax?.startup?.promise?.then(() => MathJax.typesetPromise([node]));
  const PAGE = 25;
  const table = new DataTable(element, {
    pageLength: PAGE, paging: whole, order: [], autoWidth: false,
    layout: { top2: form, topStart: whole ? "info" : null, topEnd: whole ? "pageLength" : null },
    language: { lengthMenu: "_MENU_ claims a page", entries: { _: "claims", 1: "claim" } },
    drawCallback: function () { typeset(this.api().table().node()); },
  });
  table.search.fixed("asked", (text, data, index) => fits(index));

  function show() {
    const own = asked();
    for (const name of ["q", ...filters]) {
      const field = form.elements[name];
      if (field !== document.activeElement || name !== "q") field.value = own.get(name) ?? "";
    }
    const [column, direction] = (own.get("order") ?? "").split(" by ").reverse();
    const place = names.indexOf(column);
    showing = true;
    table.order(place < 0 ? [] : [[place, direction === "falling" ? "desc" : "asc"]]).draw();
    showing = false;
  }

  let showing = false; // while what is asked is shown, nothing new is asked
  let typed = false; // letters typed one after the other are one step of the back button
  function ask(name, value, typing = false) {
    const own = asked();
    if (value) own.set(name, value);
    else own.delete(name);
    const address = `#${own}`;
    if (address === (location.hash || "#")) return; // drawn again, as on paper
    if (typing && typed) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    typed = typing;
    show();
  }

  form.addEventListener("input", ({ target }) => ask(target.name, target.value, target.name === "q"));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    history.pushState(null, "", "#");
    document.activeElement?.blur();
    show();
  });
  table.on("order", () => {
    if (showing) return;
    const [place, direction] = table.order()[0] ?? [];
    ask("order", direction && `${direction === "desc" ? "falling" : "rising"} by ${names[place]}`);
  });
  addEventListener("popstate", () => {
    typed = false;
    document.activeElement?.blur();
    show();
  });
  show();

  // On paper there is no next page to ask for.
  addEventListener("beforeprint", () => {
    table.page.len(-1).draw();
    window.MathJax?.typeset([table.table().node()]);
  });
  addEventListener("afterprint", () => table.page.len(PAGE).draw());
});
