# make          build ./refrain and ./refrain-worker
# make test     every test but the slow suites, in a few minutes
# make race     every test with the race detector
# make lint     formatting and static analysis
# make conformance   the four source systems' requirements, row by row
# make mutants  breaks the program in many places: a story must notice each
# make test-agents   loops with the real coding CLIs, from npm (AGENTS="claude codex opencode", or all).
#               MATRIX=1 plays every scenario of the table in docs/agents.md instead, TABLE=write
#               writes it, VERSIONS=newest takes the newest of npm and says what changed
# make test-browser  the report and the web page, looked at in Chromium
# make test-terminal the first minutes of a new user, in tmux
# make test-fleet    a short life of a fleet on this machine: a server, a git remote, workers
# make chaos-fleet   the same with FAULTS (200) faults at random moments; SEED says which
# make bench-fleet   RUNS (1000) runs in one fleet: iterations a second, memory, overhead
# make attacks       ways to cheat the gates, none of which may be called proven
# make chaos    the crash and kill tests with all their rounds
# make fuzz     every fuzz target for FUZZTIME (10s)
# make bench    the numbers that we hold ourselves to
# make docs     what is generated: tables of settings and rules, the reasons of the library
# make house    how the code is built: widths, distances, sizes

GO       ?= go
FUZZTIME ?= 10s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X github.com/refrain-loop/refrain/internal/cli.Version=$(VERSION)

.PHONY: all test race attacks conformance mutants test-agents test-browser test-terminal test-fleet chaos-fleet bench-fleet lint chaos fuzz bench docs house clean

all:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o refrain ./cmd/refrain
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o refrain-worker ./cmd/refrain-worker

test:
	@GO='$(GO)' scripts/test

race:
	@RACE=1 GO='$(GO)' scripts/test

attacks:
	@GO='$(GO)' scripts/attacks

conformance:
	@GO='$(GO)' scripts/conformance

mutants:
	@GO='$(GO)' scripts/mutants

test-agents:
	@GO='$(GO)' AGENTS='$(AGENTS)' MATRIX='$(MATRIX)' TABLE='$(TABLE)' VERSIONS='$(VERSIONS)' scripts/test-agents

test-browser:
	@GO='$(GO)' scripts/test-browser

test-terminal:
	@GO='$(GO)' scripts/test-terminal

test-fleet:
	@GO='$(GO)' scripts/fleet test

chaos-fleet:
	@GO='$(GO)' FAULTS='$(FAULTS)' SEED='$(SEED)' scripts/fleet chaos

bench-fleet:
	@GO='$(GO)' RUNS='$(RUNS)' scripts/fleet bench

lint:
	@GO='$(GO)' scripts/lint

chaos:
	CHAOS_ROUNDS=200 $(GO) test -count=1 -timeout 30m -run 'Chaos' -v ./internal/cli ./internal/proc

fuzz:
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' scripts/fuzz

bench: all
	@GO='$(GO)' scripts/bench

docs:
	$(GO) generate ./...

house:
	@cd tools && $(GO) run ./house ..

clean:
	rm -f refrain refrain-worker
