package scaffold

import "github.com/refrain-loop/refrain/internal/text"

var rust = row{
	kind: Rust, markers: []string{"Cargo.toml"}, testFiles: []string{"tests/"},
	test: "cargo test --no-fail-fast", build: "cargo build", lint: "cargo clippy --all-targets", adapt: adaptRust,
	reaches: func(above tree, _ Toolchain, _ string) bool {
		return cargoWorkspace().MatchString(above.read("Cargo.toml"))
	},
}

var cargoWorkspace = text.NewPattern(`(?m)^\s*\[workspace[\].]`)

// adaptRust takes in all crates of a workspace, and not only the one at the root.
func adaptRust(p tree, t *Toolchain) {
	if cargoWorkspace().MatchString(p.read("Cargo.toml")) {
		for _, c := range []*Command{&t.Test, &t.Build, &t.Lint} {
			c.Line += " --workspace"
		}
	}
	t.Test.Why = "Without --no-fail-fast, the first test program that fails hides the tests of all others."
	t.Lint.Why = `Add "-- -D warnings" to refuse warnings too.`
}
