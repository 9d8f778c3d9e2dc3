# Needs GNU make, Go, git and gcc (for the race detector). Tools come from go.mod.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

GO ?= go
SOURCES := cmd deploy pkg schema test
# Without a symbol table and debugging information a test program is linked in less than half the time; what a panic prints stays.
# Most programs have kustomize in them, which imports plugin, so that the go command would have them linked once more by gcc.
TEST := $(GO) test -ldflags='-s -linkmode=internal' -timeout 30m
# Tests leave much garbage and keep little: to collect it less often saves a tenth of their CPU time, without the race detector up to
# a fifth. The detector multiplies what they keep. A watched program would sleep for a second before it exits.
PURE := GOGC=800 $(TEST)
WATCHED := GOGC=300 GORACE=atexit_sleep_ms=100 $(TEST) -race -vet=off
# Tests make thousands of small Git repositories. In memory they cost half the system time of a disk. What is built stays on the
# disk: its place is in the go command's settings, for a GOTMPDIR in the environment moves the directories of tests, too. The
# directory has one name, or go test would find no result of an earlier run; whoever uses it last removes it.
IN_MEMORY = if [ -w /dev/shm ] && [ "$$(df --output=avail -m /dev/shm | tail -n 1)" -gt 4096 ]; then \
		built=$${GOTMPDIR:-$${TMPDIR:-/tmp}}; export TMPDIR=/dev/shm/daros-tests-$$(id -u); \
		exec {lock}>"$$TMPDIR.lock"; flock -s $$lock; trap 'if flock -n $$lock; then rm -rf "$$TMPDIR"; fi; flock -u $$lock' EXIT; mkdir -p "$$TMPDIR"; \
		settings=$$(cat "$$($(GO) env GOENV)" 2>/dev/null || true); export GOENV=$$TMPDIR/go.env; unset GOTMPDIR; \
		printf '%s\nGOTMPDIR=%s\n' "$$settings" "$$built" >"$$GOENV"; \
	fi
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

.PHONY: demo-process
demo-process: ## Run a fleet of plain processes on this machine, as root and without Kubernetes, in half a minute
	@$(GO) run ./test/demoprocess

# Tests of these need a cluster, a browser or a virtual machine, which -short goes without: to link their programs takes a
# dozen seconds of CPU time and tests next to nothing. They are compiled and vetted.
LARGE := ./test/browser ./test/chaos ./test/demo ./test/e2e ./test/kubelet
.PHONY: quick
quick: ## Test every package a little, in 3 minutes: no cluster, no race detector
	$(IN_MEMORY); $(PURE) -p 4 -short $$($(GO) list ./... | grep -vE '/($(subst $() ,|,$(LARGE:./%=%)))$$')
	$(GO) vet $(LARGE)

.PHONY: test
test: fmt vet staticcheck cluster ## Test everything once, on a real control plane, in 12 to 14 minutes
	$(MAKE) --no-print-directory -j 3 watched unwatched control-plane

.PHONY: check
check: export DAROS_SKIP_CLUSTER := 1
check: fmt vet staticcheck ## Run what make test runs, without the tests that need a cluster
	$(MAKE) --no-print-directory -j 2 watched unwatched

# The packages with more to test are those whose tests ask test/tier how much to do, or run in a guest.
.PHONY: soak
soak: cluster ## Test all there is to test, for hours: all states, thousands of histories, fuzzing, 30,000 applications
	$(GO) test -timeout 12h $(call dirs_with,'d-aros/test/(tier|guest)"') -soak
	$(MAKE) fuzz FUZZTIME=2m
	$(MAKE) mutate-arbitration
	$(MAKE) attack-mutations
	$(GO) run ./test/arbitration/bench
	$(MAKE) bench-apply OBJECTS=200
	for apps in 10000 30000; do $(MAKE) bench-evaluate bench-lifecycle APPS=$$apps; done

.PHONY: watched unwatched control-plane fmt vet staticcheck architecture cluster
# The race detector watches the packages whose sources start goroutines or take locks. They wait for a third of their time, so the
# others are tested meanwhile. What takes its time by the clock begins first. Of packages that have neither, those tests run there
# once more in which others call them side by side.
watched:
	$(IN_MEMORY); packages="./test/chaos ./test/e2e ./pkg/evaluate/pool $$($(GO) run ./test/goroutines)"; $(WATCHED) -p 3 $$packages
unwatched:
	$(IN_MEMORY); packages=$$($(GO) run ./test/goroutines -without); $(PURE) -p 2 -vet=off $$packages
	$(IN_MEMORY); $(WATCHED) -parallel 16 -run '^TestParallel' $(call dirs_with,'^func TestParallel')
control-plane:
	cd test/cluster && $(TEST) -trimpath -vet=off ./...
fmt:
	@unformatted=$$(gofmt -l $(SOURCES) web/*.go); test -z "$$unformatted" || { echo "gofmt -w these:"; echo "$$unformatted"; exit 1; }
vet:
	$(GO) vet ./...
staticcheck:
	$(GO) tool staticcheck ./...
architecture:
	$(GO) test ./test/architecture
# Cluster tests share one control plane. The first build of it takes minutes, so it comes first and shows progress.
cluster:
	@test "$${DAROS_SKIP_CLUSTER:-}" = 1 || $(GO) run ./test/devcluster build

.PHONY: mutate-arbitration
mutate-arbitration: ## Plant bugs in the rules of arbitration, each of which a test must catch; takes half an hour
	$(GO) run ./test/arbitration/mutate

GOLDEN = $(call dirs_with,'flag\.Bool."update"')
.PHONY: golden
golden: ## Write the files that tests compare with anew; look at the difference before you commit it
	$(GO) test $(GOLDEN) -update
	git status --short

.PHONY: attack-mutations
attack-mutations: cluster ## Take each defence out, and see the test of its attack fail
	$(GO) run ./test/attack

CHAOS ?= 1h
SEED ?= 0
.PHONY: chaos
chaos: cluster ## Attack and break a fleet for CHAOS (1h), check every 10 s that it holds; SEED=N draws the faults of a run again
	$(GO) test -timeout 24h -run '^TestChaos$$' -v -count 1 ./test/chaos -for $(CHAOS) -seed $(SEED)

# promtool is a tool of a module of its own, for its weight. The tag leaves out the service discovery of all clouds.
.PHONY: alerts
alerts: ## Test the alert rules of deploy/monitoring with Prometheus' promtool
	cd test/promtool && $(GO) run -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool test rules ../../deploy/monitoring/alerts_test.yaml

# Without a limit, making an input that is new smaller takes the whole time.
FUZZTIME ?= 10s
.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@grep -rnoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' $(SOURCES) | sed -E 's/^([^:]+):[0-9]+:func (.*)/\1 \2/' | sort | \
	while read -r file target; do \
		echo "== $$target in $$(dirname "$$file")"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "./$$(dirname "$$file")"; \
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
	$(GO) test -timeout 3h -run '^TestMeasure' -v -count 1 ./pkg/evaluate/pool -apps $(APPS)

BOMBS ?= 1000
.PHONY: bench-tenancy
bench-tenancy: cluster ## Measure how much later a tenant's change is evaluated and applied beside BOMBS (1000) bombs of another tenant
	$(GO) test -timeout 3h -run '^TestMeasureTenancy' -v -count 1 ./pkg/evaluate/pool ./pkg/apply -bombs $(BOMBS)

.PHONY: bench-apply
bench-apply: OBJECTS = 5000
bench-apply: ## Measure applying OBJECTS (5000) objects beside a bare loop, cli-utils and Flux' ssa, on an API server of its own
	cd test/peers/apply && $(GO) run . -applications $$(($(OBJECTS) / 10))

.PHONY: bench-arbitration
bench-arbitration: ## Measure what decisions cost on one core, and how far they are from the best
	$(GO) run ./test/arbitration/bench

.PHONY: bench-lifecycle
bench-lifecycle: APPS = 10000
bench-lifecycle: ## Measure passes of the loop at APPS (10000) applications, the growth of the status branch, and a start
	$(GO) run ./test/bench/lifecycle -apps $(APPS)

.PHONY: bench-first-start
bench-first-start: APPS = 10000
bench-first-start: ## Measure how soon others are heard while APPS (10000) applications start for the first time
	$(GO) run ./test/bench/lifecycle -apps $(APPS) -first

.PHONY: bench-qos
bench-qos: ROUNDS = 5
bench-qos: PHASE = 30s
bench-qos: ## Measure what the node agent keeps for a workload beside others that want everything, as ROUNDS (5) of phases of PHASE (30s), and draw the chart of docs/qos.md
	$(GO) run ./test/bench/isolation -rounds $(ROUNDS) -phase $(PHASE) -chart docs/images/qos-isolation.svg

.PHONY: qos-guest
qos-guest: export DAROS_CACHE ?= $(CURDIR)/.cache
qos-guest: export QOS_REAL = require
qos-guest: ## Test what needs memory in cgroup v2, iocost or fq in a virtual machine: needs qemu-system-x86, busybox-static and apt, which has the kernel
	test/guest/fetch.sh "$$DAROS_CACHE/guest"
	$(TEST) -vet=off -count 1 -v -run '^TestInGuest$$' $(call dirs_with,'d-aros/test/guest"') -soak

.PHONY: qos-kubelet
qos-kubelet: export DAROS_CACHE ?= $(CURDIR)/.cache
qos-kubelet: export QOS_REAL = require
qos-kubelet: cluster ## Test the node agent beside a kubelet that runs, in such a virtual machine: apt has containerd and runc for it
	test/guest/fetch.sh "$$DAROS_CACHE/guest" containerd runc
	$(TEST) -timeout 1h -vet=off -count 1 -v ./test/kubelet -soak

.PHONY: bench-ui
bench-ui: APPS = 10000
bench-ui: ## Measure what the answers of the dashboard cost with APPS (10000) applications
	$(GO) test -timeout 1h -run '^TestMeasure$$' -v -count 1 ./pkg/dashboard -apps $(APPS)
	$(GO) test -timeout 1h -run '^TestLarge$$' -v -count 1 ./test/browser -apps $(APPS)
	$(GO) test -timeout 1h -run '^$$' -bench '^Benchmark(Follow|Past)$$' -v ./pkg/status
	$(GO) test -timeout 1h -run '^$$' -bench '^Benchmark(CostlyDraft|PlatformEdit)$$' -v ./pkg/offline
	@test ! -d web/node_modules || (cd web && npx vitest bench --run)

.PHONY: generate
generate: ## Write anew what follows from the sources: the vendored schema, charts and tables in docs/
	$(GO) generate ./...
	$(GO) test $(filter $(GOLDEN),$(call dirs_with,'/docs/[a-z-]+\.md')) -update

.PHONY: web
web: ## Build the pages of the dashboard anew: needs Node 20.19 or newer, and fetches their packages
	cd web && npm ci && npm test && npm run build

.PHONY: browser
browser: ## Show the dashboard of the real program to a real browser: needs chromium, Node and what make web fetched; bin/screens has pictures
	BROWSER=require $(GO) test -count 1 -v ./web ./test/browser

.PHONY: build
build: | bin ## Build bin/reconciler, bin/reconciler-decrypt and bin/nodeagent
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/reconciler ./cmd/reconciler-decrypt ./cmd/nodeagent

bin:
	mkdir -p bin

SIGN_KEY ?=
.PHONY: release
release: ## Make dist/ from a clean checkout: archives, images, bill of materials, manifests, checksums (SIGN_KEY=FILE signs)
	$(GO) run ./test/release $(if $(SIGN_KEY),--sign-key $(SIGN_KEY))

.PHONY: clean
clean: ## Remove what was built; the test cluster in .cache stays, as it takes minutes to build
	rm -rf bin dist
