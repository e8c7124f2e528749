// The ledger: searched, sorted and filtered by DataTables. Without it the table stays as it is.
datatables.then(({ default: DataTable }) => {
  const typeset = (table) => window.MathJax?.startup?.promise?.then(() => MathJax.typesetPromise([table]));
  const filters = { columns: [0, 3, 4, 5], initCollapsed: true, layout: "columns-4", controls: false,
                    viewTotal: true };
  const shown = { searchPanes: { show: true }, targets: filters.columns };
  const table = new DataTable("table.ledger", {
    pageLength: 25, order: [], autoWidth: false, columnDefs: [shown],
    layout: { top1: { searchPanes: filters } },
    language: { search: "Search the claims:", lengthMenu: "_MENU_ claims a page" },
    drawCallback: function () { typeset(this.api().table().node()); },
  });
  // On paper there is no next page to ask for.
  addEventListener("beforeprint", () => {
    table.page.len(-1).draw();
    MathJax.typeset([table.table().node()]);
  });
  addEventListener("afterprint", () => table.page.len(25).draw());
});
