package hook

import (
	"slices"
	"strings"
)

// endings are those of programs. A file with another one, such as .sample or
// .bak, was put aside on purpose.
var endings = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".php", ".lua", ".js", ".mjs", ".cjs", ".ts", ".ps1", ".cmd", ".bat", ".exe"}

// synonyms are names that people try, or know from elsewhere, and that are too
// far from ours to be a slip.
var synonyms = map[string]Point{
	"next": NextIteration, "pre_iteration": NextIteration,
	"post":       PostIteration,
	"on_failure": Failed, "failure": Failed,
}

// maxSlips is how many letters may be wrong in a name that is still meant.
const maxSlips = 2

// meant tells for which point a file was probably written.
func meant(file string) (Point, bool) {
	name := strings.ToLower(file)
	for _, ending := range endings {
		if before, ok := strings.CutSuffix(name, ending); ok {
			name = before
			break
		}
	}
	name = strings.ReplaceAll(name, "-", "_")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" { // started~, #started#
		return "", false
	}
	if p, ok := synonyms[name]; ok {
		return p, true
	}
	best := slices.MinFunc(Points(), func(a, b Point) int { return slips(name, string(a)) - slips(name, string(b)) })
	return best, slips(name, string(best)) <= maxSlips
}

// slips is how many letters of a must be put in, left out or changed to get b.
func slips(a, b string) int {
	row := make([]int, len(b)+1) // from what was read of a to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
