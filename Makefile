# make book: build the website from the committed records.
# make test: run every test, each page at smoke size, each notebook, and the book with warnings as
# errors, which tests/test_book.py builds; its parts test-python, test-golden and test-notebooks can
# be called alone.
# make test-large: all cases of what make test tries a sample of.
# make bare: quick tests, a page and a notebook where a machine has less, or others, than most: one font,
# other locales, no HOME, no git; tests/bare.sh lists them. ONLY: the names of some.
# make offline: the website as a zip and, where there is Chromium, as one PDF: _build/offline.
# All make the environment in .venv first if it is not there yet.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.PHONY: book offline test test-python test-golden test-notebooks test-large bare bench clean

book: $(INSTALLED)
	$(BIN)/python -m claimbook book

offline: book
	$(BIN)/python -m claimbook.website.offline

# Two other processors, as far as a library lets itself be told which one it is on: one without AVX
# and one without AVX-512. Golden numbers must be the same there; make test tries them on the first, make test-large on all.
ON_SSE := ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_ENABLE_INSTRUCTIONS=SSE4_2 \
	OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL" \
	GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F
ON_AVX2 := ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 \
	OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" \
	GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F
GOLDEN := tests/test_golden.py \
	tests/papers/causal_lm/test_trained.py::test_errors_of_a_cell_are_those_of_its_seeds \
	tests/papers/signed_averaging/test_affine.py::test_golden_numbers_of_a_small_run

# Every part runs, whatever fails; at the end stands how each went. The other parts run beside the tests
# of Python, and what they say is shown when all is done. Two cores are busy all the time.
PARTS := test-python test-golden test-notebooks
test: $(INSTALLED)
	@folder=$$(mktemp -d); cd "$$folder"; trap 'rm -r "$$folder"; kill 0' INT; \
	for part in $(PARTS); do echo $$part: FAILED > $$part; done; \
	try() { $(MAKE) --no-print-directory -C "$(CURDIR)" $$1 && echo $$1: passed > $$1; }; \
	{ try test-golden; try test-notebooks; } > beside 2>&1 & \
	try test-python; wait; cat beside $(PARTS); ! grep -q FAILED $(PARTS); red=$$?; rm -r "$$folder"; exit $$red

# Processes of one thread each: two for Python, each of which collects all tests, and one beside them, more than
# two cores have, since a test may wait for a browser or a kernel.
$(PARTS): export OMP_NUM_THREADS := 1
test-python: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --ignore tests/test_golden.py tests

test-golden: $(INSTALLED)
	$(ON_SSE) $(BIN)/python -m pytest -q $(GOLDEN)

test-large: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m large tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q $(GOLDEN)
	OMP_NUM_THREADS=1 $(ON_SSE) $(BIN)/python -m pytest -q -m "large or not large" $(GOLDEN)
	OMP_NUM_THREADS=1 $(ON_AVX2) $(BIN)/python -m pytest -q -m "large or not large" $(GOLDEN)

bare: $(INSTALLED)
	PYTHON=$(CURDIR)/$(BIN)/python tests/bare.sh $(ONLY)

test-notebooks: $(INSTALLED)
	$(BIN)/python -m pytest -n 1 --dist loadfile --nbval --nbval-current-env \
		--nbval-sanitize-with notebooks/nbval.cfg --nbval-cell-timeout 300 \
		-p no:cacheprovider notebooks

# Which PyTorch: "cpu", its build for CPUs, where no GPU is seen; "cuda", that for GPUs; "any", whichever build the
# package index has; "present", the one that $(PYTHON) has. The build for CPUs comes from PyTorch's own index
# or from what pip is told to look at; another takes its place only where that is asked for.
# --no-deps: what it needs comes with the rest.
TORCH ?= $(if $(shell nvidia-smi -L 2> /dev/null),cuda,cpu)
PINNED := $(shell grep -o '^torch==[^ ;]*' requirements.txt)
TORCH_cpu := $(BIN)/python -m pip install -q --no-deps --retries 1 --timeout 15 \
	--extra-index-url https://download.pytorch.org/whl/cpu $(PINNED)$(if $(filter Linux,$(shell uname)),+cpu) || \
	{ echo "PyTorch's build for CPUs (2 GB with all else) could not be had: make TORCH=any takes the package index's, 6 GB on Linux"; exit 1; }
TORCH_any := $(BIN)/python -m pip install -q $(PINNED)
TORCH_cuda := $(TORCH_any)
TORCH_present := $(PYTHON) -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])' \
	> "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/present.pth"

# Packages are checked against their digests, or, beside another PyTorch, chosen to go with it. What is added
# to the environment later keeps to .venv/versions.txt.
ifeq ($(TORCH),present)
VERSIONS := $(PYTHON) -c 'from importlib import metadata; print("torch==" + metadata.version("torch"))'
REST := grep -v '^torch==' requirements.txt | $(BIN)/python -m pip install -q -r /dev/stdin -c $(VENV)/versions.txt
else
VERSIONS := grep -o '^[a-zA-Z][^ ]*==[^ ]*' requirements.lock
REST := $(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements.lock
endif

$(INSTALLED): requirements.txt requirements.lock pyproject.toml claimbook/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV) || { echo "No venv module: on Debian, apt-get install python3-venv"; exit 1; }
	$(or $(TORCH_$(TORCH)),$(error TORCH: expected cpu, cuda, any or present, got $(TORCH)))
	$(VERSIONS) > $(VENV)/versions.txt
	$(REST)
	$(BIN)/python -m pip install -q --no-deps -e claimbook -e .
	@$(BIN)/python -c 'import torch; print("PyTorch", torch.__version__, "for CUDA " + torch.version.cuda if torch.version.cuda else "for CPUs")'
	touch $(INSTALLED)

bench: $(INSTALLED)
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/signed_kernel.py

clean:
	rm -rf _build book/_generated
