# %% [markdown]
# # Figure 8: how long the embeddings of words are (not run)
#
# Not tested: the weights of GPT-2 and the corpus OpenWebText cannot be had here. The paper says that
# words, too, differ much in size, and shows how many {term}`tokens <token>` of a corpus have an embedding
# of which length. The figure below is a made example.
#
# In the paper's tests one very large number draws nearly all {term}`attention` to itself. Do inputs of
# very different size occur in language, too? A language model turns each token $v$ of its vocabulary into
# a vector, its *embedding* $e_v$. {cite:t}`naim2025scaled` write in Section 5.3 that "significant
# differences" of size occur with words.
#
# The figure counts the tokens $w_1, w_2, \dots$ of the corpus, on a log scale, by the norm of their
# embedding:
#
# $$\text{count(bin)} = \# \{ i : \lVert e_{w_i} \rVert \in \text{bin} \} .$$
#
# It has no printed number. This page has the command that makes it, an estimated half minute of one core.

# %% tags=["parameters"]
profile = "stored"

# %%
from claimbook import Page

page = Page("signed_averaging/fig08_token_norms", profile)

# %% [markdown]
# ## How to run it
#
# With the `model.safetensors` of GPT-2 (124M), and the `train.bin` that the data preparation of nanoGPT
# makes of OpenWebText (a flat file of 16-bit token ids):
#
# ```bash
# python -m papers.language_models.token_norms \
#     model.safetensors train.bin fig08.csv
# ```
#
# The file begins with the SHA-256 of the weights and the number of tokens in the corpus. Its columns are
# the edges of each bin, the tokens of the corpus in it, and the tokens of the vocabulary in it.
#
# The cost, for a corpus of 9.0 billion tokens, is estimated from an assumed $10^9$ bytes per second for
# reading, at 2 bytes a token. Counting takes $7 \times 10^8$ tokens per second, as measured on made
# tokens with one core:

# %% tags=["numbers"]
from papers.language_models import token_norms
from papers.signed_averaging import fig08_token_norms as sheet

print(f"{sheet.OPENWEBTEXT:,} tokens, {2 * sheet.OPENWEBTEXT / 1e9:.0f} GB: "
      f"{sheet.counting_seconds():.0f} s on one core")

# %% [markdown]
# ## Figure: a made example
#
# These are 1,000 made tokens with random embeddings of 16 dimensions, of which the rare ones are shorter.
# There are a million draws, in which token $v$ comes up in proportion to $1 / (v + 1)$. Nothing here is
# GPT-2 or OpenWebText, and nothing can be learned from it about either.

# %%
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from claimbook.pages.plotting import series

rng = np.random.default_rng(0)
frequency = 1 / np.arange(1, 1001)
made = rng.normal(size=(1000, 16)) * np.linspace(1, 0.5, 1000)[:, None]
corpus = rng.choice(1000, size=10**6, p=frequency / frequency.sum())
with tempfile.TemporaryDirectory() as folder:
    weights, tokens = Path(folder) / "made.safetensors", Path(folder) / "made.bin"
    save_file({"wte.weight": made}, weights)
    corpus.astype("<u2").tofile(tokens)
    norms = token_norms.embedding_norms(weights)
    counts = token_norms.token_counts(tokens, vocabulary=len(norms))
histogram = token_norms.norm_histogram(norms, counts, bins=20)
middles = histogram[["low", "high"]].mean(axis=1)
table = page.save_figure(*(series("made example", name, middles, histogram[name], "made")
                           for name in ("corpus", "vocabulary")))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import GOLD, VIOLET

figure, axes = plt.subplots(figsize=(9, 3.6))
edges = [*histogram["low"], histogram["high"].iloc[-1]]
for name, color in (("corpus", VIOLET), ("vocabulary", GOLD)):
    axes.stairs(histogram[name], edges, color=color, label=f"made {name}", baseline=None)
axes.set(xlabel="token embedding norm", ylabel="token count", yscale="log",
         title="made example: not GPT-2, not OpenWebText")
legend = axes.legend()

# %% [markdown] tags=["caption"]
# A made example, not the paper's figure: how many tokens of a corpus, and of a vocabulary, have an
# embedding of which norm.
#
# Alt text: Made example, not the paper's figure. Token counts on a log axis over twenty
# bins of embedding norms from about 1 to 5, as two step lines: tokens of the made corpus
# above, tokens of the made vocabulary below.

# %% [markdown]
# ## Numbers
#
# Every fourth bin of norms:

# %% tags=["numbers"]
histogram.iloc[::4].round(2).reset_index(drop=True)

# %% [markdown]
# ## The paper's claim

# %%
page.not_run()

# %% [markdown]
# ## What differs and why
#
# - *The figure is missing.* What the command counts is tested against a plain loop on small made
#   embeddings and corpora.
# - *Two readings.* The caption can mean tokens of the corpus or tokens of the vocabulary; the command
#   counts both.
# - *Assumed.* The caption names a tokenizer and not a model; the embeddings are taken to be those of the
#   public GPT-2 with 124 million parameters. The number of bins is assumed to be 100, of equal width.
# - *What the figure can show.* The attention of GPT-2 does not read $e_v$, but a layer normalization of
#   $e_v$ plus the embedding of the position. As $\operatorname{LN}(c\, u) = \operatorname{LN}(u)$ for
#   every $c > 0$, up to a small constant in the denominator, a long embedding weighs more against that of
#   its position. Its length does not otherwise reach the scores of the first layer. So differences of
#   norms are no differences of scores, which would have to be measured themselves. Claim 50 takes the
#   figure's reading all the same.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/signed_averaging/fig08_token_norms/figure.csv>`.

# %% tags=["provenance"]
print("a made example; no run, no record")
