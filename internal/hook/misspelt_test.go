package hook

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMeant(t *testing.T) {
	for _, tt := range []struct {
		file string
		want Point // empty: none
	}{
		{"start", Started},
		{"strated", Started},
		{"Started", Started},
		{"started.sh", Started},
		{"STARTED.PY", Started},
		{"finish", Finished},
		{"fail", Failed},
		{"on-failure.sh", Failed},
		{"next-iteration", NextIteration},
		{"next_iterations", NextIteration},
		{"pre_iteration", NextIteration},
		{"post-iteration.js", PostIteration},
		{"post", PostIteration},
		{"started.sample", ""},
		{"started.bak", ""},
		{"started~", ""},
		{"#started#", ""},
		{".started.swp", ""},
		{"README.md", ""},
		{"notify.sh", ""},
		{"common", ""},
		{"lib.sh", ""},
		{".sh", ""},
	} {
		got, ok := meant(tt.file)
		if !ok {
			got = ""
		}
		if got != tt.want {
			t.Errorf("meant(%q) = %q, want %q", tt.file, got, tt.want)
		}
	}
}

func TestANameWithOneSlipIsStillMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(Points()).Draw(t, "point")
		at := rapid.IntRange(0, len(p)-1).Draw(t, "at")
		letter := byte(rapid.IntRange('a', 'z').Draw(t, "letter"))
		name := []byte(p)
		switch rapid.SampledFrom([]string{"in", "out", "other"}).Draw(t, "slip") {
		case "in":
			name = slices.Insert(name, at, letter)
		case "out":
			name = slices.Delete(name, at, at+1)
		case "other":
			name[at] = letter
		}
		if got, ok := meant(string(name)); !ok || got != p {
			t.Errorf("meant(%q) = %q, %v, want %q", name, got, ok, p)
		}
	})
}

func TestSlipsCountsTheSameBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 8, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		n := slips(a, b)
		if n != slips(b, a) || (n == 0) != (a == b) || n > max(len(a), len(b)) || n < max(len(a), len(b))-min(len(a), len(b)) {
			t.Errorf("slips(%q, %q) = %d, the other way %d", a, b, n, slips(b, a))
		}
	})
}
