package text

import "testing"

// What a screen does not show is written out.
func TestLegible(t *testing.T) {
	for text, want := range map[string]string{
		"npm test": "npm test", "naïve": "naïve",
		"true # nothing\nrm x": `"true # nothing\nrm x"`, "a\u200bb": `"a\u200bb"`, "a\u202eb": `"a\u202eb"`, "a\x1b[8mb": `"a\x1b[8mb"`,
	} {
		if got := Legible(text); got != want {
			t.Errorf("Legible(%q) = %s, want %s", text, got, want)
		}
	}
}
