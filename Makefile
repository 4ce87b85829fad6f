# Every target makes the virtual environment when it is missing.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-slow check bench weights weights-karel clean

demo: $(VENV)/ready  ## solves three tasks, checks the C with gcc, draws a robot
	@$(BIN)/python examples/demo.py

WORKERS ?= 2
test: $(VENV)/ready  ## the default suite, on two cores; WORKERS=8 on eight
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

test-slow: $(VENV)/ready  ## all tests, with more random examples and the long ones: minutes each
	LASYNTH_EXAMPLES=200 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "slow or not slow"

check: $(VENV)/ready  ## lint, layout and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

WITH_DATA = benchmarks/relabel.py benchmarks/karel_memory.py
bench: $(VENV)/ready  ## every benchmark that needs no data set: JSON on the terminal
	@for script in $(filter-out $(WITH_DATA),$(wildcard benchmarks/[!_]*.py)); do \
	    echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The shipped weights from nothing, in runs/weights: three data sets and three trainings, each with the weights of the one before;
# some six hours on two cores. Steps, batch and processes are fixed, so each call on the same machine gives the same weights. STEPS
# are of the three trainings, as in the card of the shipped weights. Those were trained by hours, with a learning rate that follows
# the clock, so this gives a model like them, not the same.
STEPS ?= 16972 16956 19690
GENERATE = $(BIN)/lasynth generate c --val 1000 --reduce --reduce-checks 0 --rewrite --branch-share 0.5 --loop-share 0 --zero-share 0.05
TRAIN = OMP_NUM_THREADS=1 $(BIN)/lasynth train --processes 2 --batch 128 \
    --model Executed --draw-examples 1 10 --longest 32 --validate-every 4000 --resume
GO_ON = --learning-rate 7e-4 --curriculum 0 --mistakes 0.25
weights: $(VENV)/ready  ## data, training, evaluation and export of the model that is shipped
	@test $(words $(STEPS)) = 3 || { echo 'STEPS needs three numbers, one for each training: make weights STEPS="9 9 9"'; exit 2; }
	test -d data/first || $(GENERATE) --out data/first --train 500000 --seed 13
	$(TRAIN) data/first --out runs/first --steps $(word 1,$(STEPS))
	test -d data/second || $(GENERATE) --out data/second --train 600000 --seed 14
	$(TRAIN) data/second --out runs/second --steps $(word 2,$(STEPS)) --begin-with runs/first --seed 1 $(GO_ON)
	test -d data/third || $(GENERATE) --out data/third --train 400000 --seed 15
	$(TRAIN) data/third --out runs/third --steps $(word 3,$(STEPS)) --begin-with runs/second --seed 2 $(GO_ON)
	PYTHON=$(BIN)/python LASYNTH=$(BIN)/lasynth sh experiments/shipped_weights.sh runs/third runs/weights

# The weights for Karel from nothing, in runs/weights-karel: two data sets and two trainings, the second with the weights of
# the first; some two hours on one core. KAREL_STEPS are of the two trainings.
KAREL_STEPS ?= 30000 20000
GENERATE_KAREL = $(BIN)/lasynth generate karel --train 1000000 --val 1000 --test 1000 --reduce --splits shared
TRAIN_KAREL = OMP_NUM_THREADS=1 $(BIN)/lasynth train --processes 1 --batch 128 --model Executed --clip 1 --beta2 0.99 \
    --curriculum 0 --draw-examples 3 6 --validation-tasks 500 --resume
weights-karel: $(VENV)/ready  ## data, training, evaluation and export of the model for Karel
	@test $(words $(KAREL_STEPS)) = 2 || { echo 'KAREL_STEPS needs two numbers: make weights-karel KAREL_STEPS="9 9"'; exit 2; }
	test -d data/karel || $(GENERATE_KAREL) --out data/karel --seed 11
	$(TRAIN_KAREL) data/karel --out runs/karel --steps $(word 1,$(KAREL_STEPS)) --learning-rate 1.5e-3 --warmup 500 \
	    --validate-every 3000 --seed 1
	test -d data/karel2 || $(GENERATE_KAREL) --out data/karel2 --seed 12
	$(TRAIN_KAREL) data/karel2 --out runs/karel2 --steps $(word 2,$(KAREL_STEPS)) --learning-rate 7e-4 --warmup 300 \
	    --validate-every 4000 --seed 2 --begin-with runs/karel
	PYTHON=$(BIN)/python LASYNTH=$(BIN)/lasynth sh experiments/shipped_karel.sh runs/karel2 runs/weights-karel

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lasynth needs Python 3.11 or newer; set PYTHON=..")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
