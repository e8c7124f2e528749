// Search: pages that have the words of the query in their title come first, most of all at its start.
// Sphinx counts titles of at most twice the query's length only. The numbers below are Sphinx's own.
var Scorer = {
  score: ([name, title, anchor, description, score]) => {
    const asked = new URLSearchParams(window.location.search).get("q")?.trim().toLowerCase();
    const found = asked && !anchor ? title.toLowerCase().indexOf(asked) : -1;
    return score + (found === 0 ? 120 : found > 0 ? 80 : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
