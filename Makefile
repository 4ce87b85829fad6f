# Every target makes the virtual environment when it is missing.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-slow check bench weights clean

demo: $(VENV)/ready  ## two sets of examples, the programs for them, and gcc's word on these
	@$(BIN)/python examples/demo.py

test: $(VENV)/ready  ## the default suite
	$(BIN)/python -m pytest -q

test-slow: $(VENV)/ready  ## the long agreement tests: minutes each
	$(BIN)/python -m pytest -q -m slow

check: $(VENV)/ready  ## lint, layout and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/ready  ## every benchmark: JSON on the terminal
	@for script in benchmarks/[!_]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The shipped weights from nothing, in runs/weights: some two hours on two cores. PROCESSES=1 trains on one.
PROCESSES ?= 2
HOURS ?= 1.2
weights: $(VENV)/ready  ## data, training, evaluation and export of the model that is shipped
	test -d data/ship || $(BIN)/lasynth generate c --out data/ship --train 900000 --val 1000 --seed 11 --reduce
	OMP_NUM_THREADS=1 $(BIN)/torchrun --standalone --no-python --nproc-per-node $(PROCESSES) $(BIN)/lasynth train data/ship \
	    --out runs/ship --model LaSynth+ --set operation_predictor=True --set token_attention=True --hours $(HOURS) \
	    --draw-examples 1 10 --validate-every 2000 --resume
	PYTHON=$(BIN)/python LASYNTH=$(BIN)/lasynth sh experiments/shipped_weights.sh runs/ship runs/weights

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lasynth needs Python 3.11 or newer; set PYTHON=..")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
