# make demo    a first look: breadth-first search on a small graph, step by step
# make test    formatting, types, tests and the site
# make fuzz    odd and damaged input at every gate, damaged folders through every command, then the tests once more, each law on many more
#              random cases; INPUTS=1000000 SEED=1 FOLDERS=1000 say how many
# make soak    commands killed at any moment and at every access to the disk, full disks, two writers at once
# make lock    constraints-hashed.txt, the exact files of all dependencies by their SHA-256, for Linux; it needs the internet
# make sbom    sbom.json, what is installed as a CycloneDX bill of materials
# make docs    the site, in site/; open site/index.html
# make docs-outputs  writes what commands print into README.md and docs/, and draws the rooms anew, after a change of output or imports
# make notebooks  runs the notebooks in Jupyter's kernel
# make model-cards  results/models/, from the folders of the models that ship
# make test-wheel  builds the wheel, installs it into an environment of its own, and uses it there
# make test-browser  the page of a run, thoroughly: in Chromium, which it installs on Debian where it can; types and axe-core, where npm
#              is; and 126 what-ifs of every algorithm, equal in the page and in Python
# make test-spark  programs on Spark: on this machine, and on a cluster of two workers of which one is killed; it needs Java 17
# make pictures  docs/player.png and docs/player-phone.png, by Chromium
# make bench   how fast it is, as ratios in one run
# make results the report of results/runs: results/pages/paper.md, figures and tables.json; report.html and tables/ (Markdown, LaTeX, CSV) beside
#              them are not committed
# make check-results  every figure of the runs in results/ and of the models that ship, once more from their weights; it takes hours
# make certificates  rules and certificates of what ships, after a change of code; of other runs with RUNS='results/runs/*-exact'
# make check-certificates  what ships is shown once more by Z3 (SOLVER=cvc5: by cvc5) and by the second checker
# make explanations  what every observation of every model that ships means to it, and whether that is what is declared
# make shipped the models that ship with the package, trained anew, then their certificates: after a change of what these rest on; -j4: four at once
# make venv    only the environment, in .venv

PYTHON ?= python3
BIN := .venv/bin
export NO_MKDOCS_2_WARNING = 1
# compiled modules are kept, whatever the environment says: each of the many processes of the tests then starts three seconds sooner
export PYTHONDONTWRITEBYTECODE =

# a crashed process ends the tests: the others would wait for it for ever
PYTEST := $(BIN)/pytest -n auto --dist loadfile --max-worker-restart 0

RUNS ?= src/algolens/shipped/*

.PHONY: venv demo test schemas fuzz soak lock sbom test-browser test-spark pictures test-wheel docs docs-outputs notebooks model-cards bench results check-results certificates check-certificates explanations shipped format clean

venv: .venv/ready

.venv/ready: pyproject.toml constraints.txt setup.py src/algolens/engines/delta.c
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: venv
	$(BIN)/algolens execute bfs examples/village.csv --source Mill
	$(BIN)/algolens train bfs --preset paper --seeds 0 --epochs 100 --set enough=5 --out runs/demo --overwrite
	$(BIN)/algolens explain runs/demo

test: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST)
	$(MAKE) docs

# not --quiet: it would keep warnings from counting
docs: venv
	$(BIN)/mkdocs build --strict

notebooks: venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[kernel]'
	$(BIN)/python -m tests.docs.notebooks

test-wheel: venv
	$(BIN)/python -m tests.docs.wheel

docs-outputs: venv
	$(BIN)/python -m tests.test_pages
	$(BIN)/python -m tests.docs.blocks

schemas: venv
	$(BIN)/python -m tests.programs.schema
	$(BIN)/python -c "from pathlib import Path; from algolens.records import write_schemas; write_schemas(Path('docs/schemas'))"

INPUTS ?= 50000
FOLDERS ?= 200
SEED ?= 0

fuzz: venv
	$(BIN)/python -m benchmarks.fuzz --inputs $(INPUTS) --seed $(SEED) --keep fuzzed
	$(BIN)/python -m benchmarks.fuzz --folders $(FOLDERS) --seed $(SEED) --keep fuzzed
	$(PYTEST) --hypothesis-profile thorough

soak: venv
	$(BIN)/python -m benchmarks.soak --seed $(SEED)

lock: venv
	$(BIN)/python -m benchmarks.dependencies lock --out constraints-hashed.txt

sbom: venv
	$(BIN)/python -m benchmarks.dependencies sbom --out sbom.json

AXE := axe-core@4.14.0
TSC := typescript@7.0.2
WHAT_IFS ?= 126

# the page's types, then its tests, of which most run in `make test` too where Chromium and Playwright are there
test-browser: venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,browser]'
	if ! command -v chromium && command -v apt-get; then apt-get install --yes --quiet chromium || true; fi
	if command -v npm; then npm install --silent --no-save --no-package-lock $(AXE) $(TSC); \
	  else echo "npm is not installed: types are not checked, and axe-core is skipped"; fi
	if [ -x node_modules/.bin/tsc ]; then node_modules/.bin/tsc --noEmit --allowJs --checkJs --strict --target es2022 \
	  --lib es2023,dom,dom.iterable src/algolens/player/*.js; fi
	ALGOLENS_WHAT_IFS=$(WHAT_IFS) $(BIN)/pytest -n auto -rs tests/player

test-spark: venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,spark]'
	ALGOLENS_SPARK=1 $(BIN)/pytest -rs tests/spark

pictures: venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,browser]'
	$(BIN)/python -m benchmarks.player_pictures --out docs

bench: venv
	$(BIN)/python -m benchmarks

results: venv
	rm -rf results/figures results/tables results/tables.json
	$(BIN)/algolens reproduce --report-only --out results --markdown results/pages/paper.md

check-results: venv
	ALGOLENS_ALL_RESULTS=1 $(BIN)/pytest -n auto tests/test_results.py

explanations: venv
	for run in $(RUNS); do $(BIN)/algolens explain $$run || exit 1; done

certificates: venv
	for run in $(RUNS); do $(BIN)/algolens explain $$run --redraw && $(BIN)/algolens certify $$run || exit 1; done

SOLVER ?= z3

check-certificates: venv
	for run in src/algolens/shipped/*; do \
	  $(BIN)/python -m algolens.checker $$run && $(BIN)/algolens certify $$(basename $$run) --check-with $(SOLVER) || exit 1; \
	done

ALGORITHMS := $(filter-out _%,$(basename $(notdir $(wildcard src/algolens/algorithms/*.py))))

# a step for every edge, or two for every node: minutes at 1,024 nodes, so these are scored at up to 256
LONG := articulation_points bellman_ford bridges dag_shortest_paths dfs dfs_topological_sort graham_scan kmp_matcher kruskal strong_components
# a step for every pair of nodes
SQUARED := bubble_sort heapsort jarvis_march naive_string_matcher quickselect quicksort

COMMA := ,
AND_1024 := ,1024

shipped: $(ALGORITHMS:%=shipped-%)
	$(MAKE) model-cards

model-cards: venv
	$(BIN)/python -m benchmarks.model_cards --out results/models

shipped-%: venv
	$(BIN)/algolens train $* --preset exact --sizes $(if $(filter $*,$(SQUARED)),16$(COMMA)64,16$(COMMA)64$(COMMA)256$(if $(filter $*,$(LONG)),,$(AND_1024))) --device cpu \
	  --out src/algolens/shipped/$* --overwrite --no-picture
	$(BIN)/algolens certify src/algolens/shipped/$*

format: venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
