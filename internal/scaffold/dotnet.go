package scaffold

var dotNet = row{
	kind: DotNet, markers: []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"}, testFiles: []string{"*Tests.cs"},
	test: "dotnet test", build: "dotnet build", adapt: adaptDotNet,
}

// adaptDotNet names the solution where there are several files that could be
// meant, which dotnet refuses to choose from.
func adaptDotNet(p tree, t *Toolchain) {
	if p.has(".editorconfig") {
		t.Lint.Line = "dotnet format --verify-no-changes"
	}
	var candidates []string
	for _, pattern := range []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"} {
		candidates = append(candidates, p.all(pattern)...)
	}
	if len(candidates) < 2 {
		return
	}
	for _, c := range []*Command{&t.Test, &t.Build, &t.Lint} {
		if c.Line != "" {
			c.Line += " " + word(candidates[0])
		}
	}
	t.note("there are several solutions or projects at the root; the commands name "+candidates[0], "name another one in [commands] of "+settingsFile+" if it is not the one")
}
