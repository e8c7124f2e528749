# %% [markdown]
# # Tables 2, 8 and 9: does the prefix mask help large language models?
#
# Not tested: this page shows the paper's scores, in which the {term}`prefix mask` is always
# ahead of the {term}`causal mask`. Its text says that the lead grows with the model. On the
# benchmark MMLU it does; on BBH it does not from Base to Large.
#
# - *Table 2* of {cite:t}`ding2024causallm` compares decoder-only T5 models that were
#   pre-trained and fine-tuned with one of the masks. The questions come with 5 (MMLU) or 3
#   (BBH) solved examples.
# - *Table 8* compares the masks in PaLM2 on MMLU.
# - *Table 9* compares them in PaLI-X, which captions images after 4 or 8 captioned ones. Its
#   score, CIDEr, says how well a caption agrees with those that people wrote. The mask was
#   changed in the encoder, with a block-causal mask between the two, or in the decoder.
#
# With the models that the authors released Table 2 takes minutes of a GPU, without them about
# 18,000 GPU-hours. The models of Tables 8 and 9 are not public.
#
# Three things stand in for the missing run. These are [a small experiment of our
# own](few_shot_tokens.ipynb), [the prefix mask for
# decoders](../../book/howto/prefix_language_models.md) of `transformers`, and the evaluation of
# Table 2 for such decoders, tested on made-up questions.

# %% tags=["parameters"]
profile = "stored"

# %%
from claimbook import Page
from papers.causal_lm import tables02_08_09_language_models as sheet

page = Page("causal_lm/tables02_08_09_language_models", profile)

# %% [markdown]
# ## The paper's scores

# %%
from claimbook.pages.plotting import series

table = page.save_figure(*(
    series(printed.source, mask, range(len(scores)), scores, "paper")
    for printed in sheet.PRINTED for mask, scores in printed.rows.items()))

# %% tags=["figure"]
import matplotlib.pyplot as plt
from claimbook.pages.plotting import OLIVE, draw
from papers.colors import marked

figure, panels = plt.subplots(2, 3, figsize=(9, 5.9))
figure.suptitle("As printed: the prefix mask scores highest everywhere (not run here)")
panels = panels.flat
styles = {"prefix": marked("prefix"), "causal": marked("causal"),
          "block-causal": {"color": OLIVE, "marker": "^", "ls": "--"}}
for axes, printed in zip(panels, sheet.PRINTED):
    for mask, style in styles.items():
        if mask in printed.rows:
            draw(axes, table, printed.source, mask, **style | {"mfc": "white"})
    axes.set(title=printed.source, ylabel=printed.score, xmargin=0.2,
             xticks=range(len(printed.columns)), xticklabels=printed.columns)
panels[5].axis("off")
legend = panels[5].legend(*panels[3].get_legend_handles_labels(), loc="center")

# %% [markdown] tags=["caption"]
# The paper's printed scores, by size of the model or number of examples. Nothing here was run
# by us; the axes do not start at zero.
#
# Alt text: Five panels of printed scores. Table 2, T5 on MMLU and BBH by size; Table 8, PaLM2
# on MMLU by size; Table 9, PaLI-X captions by shots, mask changed in encoder or decoder. In
# every panel the prefix mask lies above the causal one; block-causal lies between them.

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
import pandas as pd

scores = pd.concat({f"{printed.source} ({printed.score})":
                    pd.DataFrame(printed.rows, index=list(printed.columns))
                    for printed in sheet.PRINTED})
scores["prefix - causal"] = (scores["prefix"] - scores["causal"]).round(1)
scores.map(lambda score: "" if pd.isna(score) else f"{score:.1f}")

# %% [markdown]
# The text says of Table 2 that *such gap widens as the size of the model becomes larger* (claim
# 44). On MMLU the table agrees, with 0.8, 5.1 and 9.0 points. On BBH it has 2.6, 2.4 and 3.8.
# The paper prints no spread.
#
# ## The claims, one by one

# %%
page.not_run()

# %% [markdown]
# ## What it would cost
#
# The [paper's public code](https://github.com/google-research/causallm_icl) has the shapes of
# the T5 models. Its README names a public bucket with all six as T5X checkpoints, pre-trained
# and fine-tuned. We have not tried whether the bucket still answers.
#
# With the checkpoints Table 2 takes a forward pass over its prompts, $2 N D$ floating-point
# operations for $N$ parameters and $D$ tokens. These are 14,042 questions of MMLU and 6,511 of
# BBH, at 2,000 tokens each (assumed).
#
# Without them the models must be pre-trained, at $6 N D$ operations. The one million steps are
# the paper's. Of the rest it says only "the same T5 pretraining recipe". We assume the 2,048
# sequences a step and 626 tokens a sequence of T5X's public decoder-only example. The rate is
# assumed too: $4 \times 10^{14}$ operations a second on an H200, 40% of its dense bf16 peak.

# %% tags=["numbers"]
costs = pd.DataFrame({
    size: {"parameters (millions)": decoder.parameters() / 1e6,
           "evaluating, operations": sheet.evaluation_flops(decoder),
           "pre-training, operations": sheet.pretraining_flops(decoder)}
    for size, decoder in sheet.DECODERS.items()}).T
seconds = 2 * costs.iloc[:, 1:] / sheet.SPEED  # both masks
costs["evaluating, minutes"] = seconds.iloc[:, 0] / 60
costs["pre-training, hours"] = seconds.iloc[:, 1] / 3600
costs.map(lambda number: f"{number:.2g}" if number > 1e9 else f"{number:,.0f}")

# %% [markdown]
# Operations are for one mask; minutes and hours of one H200 are for both.

# %% tags=["numbers"]
print(f"all pre-training: {costs['pre-training, hours'].sum():,.0f} H200-hours")

# %% [markdown]
# Fine-tuning has 40,000 steps (Base) or 20,000 (Large, XL). At the same batch size that adds 4%
# or 2% to pre-training. Tables 8 and 9 cannot be had at any cost, as the weights of their
# models are not public.
#
# ## What differs and why
#
# - *The evaluation* is written for any plainly causal decoder of `transformers`, and was run in
#   the tests alone, on made-up questions and random weights. It reads the files of MMLU's and
#   BBH's public archives, makes the prompts, and answers under either mask:
#
#   ```python
#   from papers.language_models import questions
#
#   questions.table_2(model, tokenizer, questions.read_mmlu("mmlu/data"),
#                     questions.read_bbh("bbh"), prefix=True)
#   ```
#
#   The paper gives neither the wording of the prompts nor how an answer is read. We assume the
# forms of the benchmarks' authors: for MMLU the letter with the highest likelihood, for BBH the
# generated line, without chains of thought; and a mean over tasks.
#
# - *What is left to write.* With the released checkpoints: T5X's decoder-only network in
#   PyTorch, and a conversion of the weights. From scratch, also a reader of C4 with T5's
#   tokenizer and span corruption, a training loop for models of this size, and the FLAN
#   mixture.
# - The usual T5 checkpoints do not help: they are encoder-decoder models, as the paper says
#   itself.
#
# The numbers behind the figure:
# {download}`figure.csv <../../results/causal_lm/tables02_08_09_language_models/figure.csv>`.

# %% tags=["provenance"]
print("printed scores; no run, no record")
