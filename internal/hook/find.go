package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Command is a hook that is given in the settings.
type Command struct {
	Line string // for the shell; empty is none
	Own  bool   // it is the user's own, and not the project's
}

// Find finds the hooks of a work tree, given by its absolute path: commands, and
// files in Folder for the points without a command; without a tree there are none.
// That there is no hook is fine; the warnings tell of files that look like one and
// will not run.
func Find(tree string, commands map[Point]Command, enabled bool) (Set, []loop.Warning) {
	if !enabled {
		return Set{}, nil
	}
	set := Set{hooks: map[Point]source{}}
	for p, c := range commands {
		if strings.TrimSpace(c.Line) != "" {
			set.hooks[p] = source{name: "hooks.run." + string(p), argv: proc.Shell(c.Line), role: roleOf(c.Own)}
		}
	}
	if tree == "" {
		return set, nil
	}
	folder, err := os.ReadDir(filepath.Join(tree, filepath.FromSlash(Folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return set, nil
	}
	if err != nil {
		return set, []loop.Warning{{
			Text: "the hooks are not run: " + err.Error(),
			Hint: Folder + " must be a folder that can be read; without hooks, take it away or set hooks.enabled = false",
		}}
	}
	return set, set.addFiles(tree, folder)
}

// roleOf is how a hook or a script runs. One that came with the project, or lies
// where an agent could write it, is not to reach more than a gate does.
func roleOf(own bool) proc.Role {
	if own {
		return proc.Own
	}
	return proc.Judge
}

// addFiles adds the files that are hooks, where there is no command. A file
// beside a command of the same point is left unmentioned: the command may well
// be what calls it.
func (s Set) addFiles(tree string, folder []fs.DirEntry) []loop.Warning {
	var warnings []loop.Warning
	var refused []Point
	for _, p := range Points() {
		name := fileOf(p, folder)
		if name == "" || s.Has(p) {
			continue
		}
		shown := Folder + "/" + name
		path := filepath.Join(tree, filepath.FromSlash(shown))
		if w := refuse(path, shown, p); w != nil {
			warnings, refused = append(warnings, *w), append(refused, p)
			continue
		}
		s.hooks[p] = source{name: shown, argv: []string{path}, role: proc.Judge}
	}
	for _, entry := range folder {
		p, ok := meant(entry.Name())
		if !ok || entry.IsDir() || s.Has(p) || slices.Contains(refused, p) {
			continue
		}
		warnings = append(warnings, loop.Warning{
			Text: fmt.Sprintf("%s/%s is not run: no hook has this name", Folder, entry.Name()),
			Hint: fmt.Sprintf("did you mean %s? Then rename it to that, or set hooks.run.%s", fileNames(p)[0], p),
		})
	}
	return warnings
}

// fileOf is the name of the point's file, or nothing.
func fileOf(p Point, folder []fs.DirEntry) string {
	for _, name := range fileNames(p) {
		if slices.ContainsFunc(folder, func(e fs.DirEntry) bool { return e.Name() == name }) {
			return name
		}
	}
	return ""
}

// refuse says why a file that is named like a hook cannot be one, or nothing.
func refuse(path, shown string, p Point) *loop.Warning {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &loop.Warning{Text: shown + " is not run: it is a link that leads nowhere", Hint: "mend the link, or take it away"}
	case err != nil:
		return &loop.Warning{Text: shown + " is not run: " + err.Error()}
	case info.IsDir():
		return &loop.Warning{Text: shown + " is not run: it is a folder", Hint: "a hook is a program with this name; helpers of hooks can be in a folder with another one"}
	case !info.Mode().IsRegular():
		return &loop.Warning{Text: shown + " is not run: it is not a file", Hint: "a hook is a program with this name"}
	}
	return notExecutable(info, shown, p)
}

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
