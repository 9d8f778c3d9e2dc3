# Needs GNU make, Go, git and gcc (for the race detector). Tools come from go.mod.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
SOURCES := cmd deploy pkg schema test
# One set of flags, so that "make test" takes over from its cache what "make check" has tested.
TEST := $(GO) test -timeout 30m
RACE := $(TEST) -race
# The race detector watches everything but the evaluation of examples one by one, which is long and has nothing that races.
RACED = $$($(GO) list ./... | grep -v '/pkg/evaluate$$')
EVALUATOR = -run 'TestOnly|TestSideBySide|TestShared|TestBrokenLayers|TestPanic' ./pkg/evaluate
# Packages whose tests contain something.
dirs_with = $(shell grep -rlE $(1) --include='*_test.go' $(SOURCES) 2>/dev/null | xargs -r -n1 dirname | sort -u | sed 's|^|./|')

.PHONY: help
help: ## Show this help
	@echo 'Usage: make TARGET [VARIABLE=value ...]'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-17s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: demo demo-down
demo: ## Run the main job on KUBECONFIG, or on a cluster of its own; ONCE=1 ends when every expectation was checked
	@$(GO) build -o .cache/demo ./test/demo
	@exec .cache/demo $(if $(filter-out 0,$(ONCE)),--once)
demo-down: ## Stop the demo and remove what it made
	$(GO) run ./test/demo down

# The race detector watches all of our code, not the control plane, which is a program of its own in test/cluster.
# Cluster tests share one control plane; the first build of it takes minutes, so it comes first and shows progress.
.PHONY: test
test: cluster ## Run all tests: unit, golden, property, integration; needs minutes
	$(RACE) $(RACED)
	$(RACE) $(EVALUATOR)
	$(TEST) ./pkg/evaluate
	$(TEST) ./pkg/evaluate/pool # its children have limits that the race detector does not fit in
	$(TEST) ./cmd/reconciler -run '^TestReplay' # the whole history; the race detector sees a part of it
	$(TEST) ./pkg/lifecycle # all states of small fleets; the race detector sees the smallest
	$(TEST) ./pkg/arbitration # all cases of its invariants; the race detector sees a part of them
	$(TEST) ./test/sim # thousands of histories of one goroutine each: nothing that races, and much to do
	cd test/cluster && $(GO) test -trimpath -vet=off -timeout 30m ./...

.PHONY: cluster
cluster:
	@test "$${DAROS_SKIP_CLUSTER:-}" = 1 || $(GO) run ./test/devcluster build

.PHONY: check fmt vet staticcheck architecture race
check: fmt vet staticcheck architecture race ## Run what CI runs before the integration tests
fmt:
	@unformatted=$$(gofmt -l $(SOURCES)); test -z "$$unformatted" || { echo "gofmt -w these:"; echo "$$unformatted"; exit 1; }
vet:
	$(GO) vet ./...
staticcheck:
	$(GO) tool staticcheck ./...
architecture:
	$(GO) test ./test/architecture
race:
	DAROS_SKIP_CLUSTER=1 $(RACE) $(RACED)
	$(RACE) $(EVALUATOR)
	$(TEST) ./pkg/evaluate

GOLDEN = $(call dirs_with,'flag\.Bool."update"')
.PHONY: golden
golden: ## Write the files that tests compare with anew; look at the difference before you commit it
	$(GO) test $(GOLDEN) -update
	git status --short

FUZZTIME ?= 10s
.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@grep -rnoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' $(SOURCES) | sed -E 's/^([^:]+):[0-9]+:func (.*)/\1 \2/' | sort | \
	while read -r file target; do \
		echo "== $$target in $$(dirname "$$file")"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
	done

.PHONY: cover
cover: | bin ## Measure which code the tests reach; bin/cover.html shows it
	$(GO) test -timeout 30m -coverpkg ./cmd/...,./pkg/...,./schema -coverprofile bin/cover.out ./...
	$(GO) tool cover -html bin/cover.out -o bin/cover.html
	$(GO) tool cover -func bin/cover.out | tail -n 1

.PHONY: bench
bench: ## Measure: the packages' benchmarks, then the whole way on a cluster
	@dirs="$(call dirs_with,'^func Benchmark')"; test -z "$$dirs" || $(GO) test -run '^$$' -bench . -benchmem $$dirs
	@test ! -d test/bench || $(GO) run ./test/bench

APPS ?= 1000
.PHONY: bench-evaluate
bench-evaluate: ## Measure what evaluating a fleet of APPS (1000) applications costs, beside cue vet and the floor
	$(GO) test -timeout 60m -run '^TestMeasure' -v -count 1 ./pkg/evaluate/pool -apps $(APPS)

.PHONY: bench-arbitration
bench-arbitration: ## Measure what decisions cost on one core, and how far they are from the best
	$(GO) run ./test/arbitration/bench

.PHONY: bench-lifecycle
bench-lifecycle: ## Measure passes of the loop at 10,000 applications, the growth of the status branch, and a start
	$(GO) run ./test/bench/lifecycle

.PHONY: generate
generate: ## Write anew what follows from the sources: the vendored schema, charts and tables in docs/
	$(GO) generate ./...
	$(GO) test $(filter $(GOLDEN),$(call dirs_with,'/docs/[a-z-]+\.md')) -update

.PHONY: build
build: | bin ## Build bin/reconciler and bin/nodeagent
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/reconciler ./cmd/nodeagent

bin:
	mkdir -p bin

.PHONY: clean
clean: ## Remove what was built; the test cluster in .cache stays, as it takes minutes to build
	rm -rf bin
