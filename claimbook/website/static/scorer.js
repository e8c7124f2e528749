// Search: which pages are found, and which comes first.
//
// Sphinx asks that a page has every word of the query and takes the score of the best one. Here a word
// counts by how rare it is, and a page may lack some; an entry of the index (`{index}` in a page, or a
// term of the glossary) that says the same as the query comes before all pages.
const FILLER = ["about", "can", "do", "does", "get", "how", "i", "make", "me", "what", "where", "which",
                "who", "why", "you"];
// Words that say the same, each in the form that the book has.
const SAME = [[/\b(custom|my)\b/g, "own"], [/\b(mlp|multi-?layer perceptron)\b/g, "perceptron"],
              [/\bgpt2\b/g, "gpt-2"], [/\bcuda\b/g, "gpu"], [/\bhugging ?face\b/g, "transformers"],
              [/\bsklearn\b/g, "scikit-learn"], [/\bset-?up\b/g, "install"], [/\bvs\b/g, "versus"]];
const SAID = ["is", "are", "a", "the", "of", "to"]; // in entries of the index they say nothing

const askedFor = () => new URLSearchParams(window.location.search).get("q")?.trim().toLowerCase() ?? "";

// The stems of what is asked for, or of an entry.
function stemsOf(text) {
  const stemmer = new Stemmer();
  const unified = SAME.reduce((found, [words, one]) => found.replace(words, one), text.toLowerCase());
  return [...new Set(splitQuery(unified))]
    .filter((word) => !FILLER.includes(word) && !SAID.includes(word) && !stopwords.includes(word))
    .map((word) => stemmer.stemWord(word));
}

// How much of each of two lists is in the other: 1 where they are the same, in any order.
function overlap(one, other) {
  const shared = one.filter((word) => other.includes(word)).length;
  return (2 * shared) / (one.length + other.length || 1);
}

// What a page says of itself, as HTML.
function described(name) {
  const part = document.createElement("p");
  part.className = "context";
  part.textContent = DESCRIPTIONS[name] ?? "";
  return part.outerHTML;
}

var Scorer = {
  // Pages whose title has the query come first, most of all where it begins with it.
  score: (item) => {
    const [name, title, anchor, , score] = item;
    if (window.location.protocol === "file:") item[3] ||= described(name);
    const asked = askedFor();
    const found = asked && !anchor ? title.toLowerCase().indexOf(asked) : -1;
    return score + (found === 0 ? 120 : found > 0 ? 80 : 0);
  },
  // Sphinx's own numbers.
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};

function pagesWith(stems) {
  const { terms, titleterms, titles } = Search._index;
  const list = (files) => (files === undefined ? [] : [files].flat());
  const scores = new Map();
  let most = 0;
  for (const stem of stems) {
    const beginsSo = (found) =>
      Object.keys(found).filter((term) => term.startsWith(stem)).flatMap((term) => list(found[term]));
    const own = (found) => (Object.hasOwn(found, stem) ? list(found[stem])
      : stem.length > 2 ? beginsSo(found) : []);
    const inTitle = new Set(own(titleterms));
    const files = new Set([...own(terms), ...inTitle]);
    if (!files.size) continue;
    const rare = Math.log(1 + titles.length / files.size);
    most += rare;
    for (const file of files) {
      const [score, found] = scores.get(file) ?? [0, 0];
      scores.set(file, [score + rare * (inTitle.has(file) ? 3 : 1), found + rare]);
    }
  }
  return [...scores].filter(([, [, found]]) => found > most / 2)
    .map(([file, [score]]) => [file, "", 5 * score]);
}

function entriesLike(stems) {
  // Who asks what something is wants its meaning.
  const meaning = /^(what (is|are)|define|meaning)\b/.test(askedFor());
  return Object.entries(Search._index.indexentries).flatMap(([entry, places]) => {
    const alike = overlap(stemsOf(entry), stems);
    if (alike < 0.75) return [];
    return places.map(([file, anchor]) => {
      const term = anchor.startsWith("term-");
      return [file, `#${anchor}`, (term ? 60 : 150) * alike + (term && meaning ? 200 : 0)];
    });
  });
}

Search.performTermsSearch = () => {
  const { docnames, titles, filenames } = Search._index;
  const stems = stemsOf(askedFor());
  return [...pagesWith(stems), ...entriesLike(stems)].map(([file, anchor, score]) => [
    docnames[file], titles[file], anchor, null, score, filenames[file]]);
};
