# Every target makes the virtual environment when it is missing.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-slow check bench weights clean

demo: $(VENV)/ready  ## two sets of examples, the programs for them, and gcc's word on these
	@$(BIN)/python examples/demo.py

WORKERS ?= 2
test: $(VENV)/ready  ## the default suite, on two cores; WORKERS=8 on eight
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

test-slow: $(VENV)/ready  ## the long agreement tests: minutes each
	$(BIN)/python -m pytest -q -m slow

check: $(VENV)/ready  ## lint, layout and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/ready  ## every benchmark: JSON on the terminal
	@for script in benchmarks/[!_]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The shipped weights from nothing, in runs/weights: some two hours on two cores. A training of so many hours learns as
# much as the machine allows, so other weights come out each time.
HOURS ?= 1.12
PROCESSES ?= 2
weights: $(VENV)/ready  ## data, training, evaluation and export of the model that is shipped
	test -d data/ship || $(BIN)/lasynth generate c --out data/ship --train 500000 --val 1000 --seed 13 --reduce --reduce-checks 0 \
	    --rewrite --branch-share 0.5 --loop-share 0 --zero-share 0.05
	OMP_NUM_THREADS=1 $(BIN)/torchrun --standalone --no-python --nproc-per-node $(PROCESSES) $(BIN)/lasynth train data/ship \
	    --out runs/ship --hours $(HOURS) --model Executed --draw-examples 1 10 --longest 32 --validate-every 4000 --resume
	PYTHON=$(BIN)/python LASYNTH=$(BIN)/lasynth sh experiments/shipped_weights.sh runs/ship runs/weights

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lasynth needs Python 3.11 or newer; set PYTHON=..")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
