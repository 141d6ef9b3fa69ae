// Package realtest runs whole loops with the real coding CLIs, each against a
// scripted model on loopback.
//
// It holds tests only. They need the CLIs that agents.txt names, in the folder
// that REFRAIN_REAL_AGENTS names, and are skipped without; "make test-agents"
// installs them and runs the tests. A CLI gets a home of its own, a dummy key,
// and a proxy that leads nowhere and notes whoever tries to get out.
//
// Tests are about one promise each. The scenarios of TestMatrix are short and the
// same for every CLI: what comes of them is the table in docs/agents.md.
package realtest
