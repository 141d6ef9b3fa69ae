package scaffold

var elixir = row{
	kind: Elixir, markers: []string{"mix.exs"}, testFiles: []string{"*_test.exs"},
	test: "mix test", build: "mix compile", adapt: adaptElixir,
}

func adaptElixir(p tree, t *Toolchain) {
	switch {
	case p.mentions(":credo", "mix.exs"):
		t.Lint.Line = "mix credo"
	case p.has(".formatter.exs"):
		t.Lint.Line = "mix format --check-formatted"
	}
}
