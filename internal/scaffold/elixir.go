package scaffold

func adaptElixir(p tree, t *Toolchain) {
	switch {
	case p.mentions(":credo", "mix.exs"):
		t.Lint.Line = "mix credo"
	case p.has(".formatter.exs"):
		t.Lint.Line = "mix format --check-formatted"
	}
}
