package conformance

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Story is a script and the rows that it says it shows.
type Story struct {
	Path   string // from the root of the repository
	Test   string // the name under which "go test" reports it
	System string // whose it is; empty for a story of the command line
	Rows   []string
}

// commandLine is where the stories of the command line are.
const commandLine = "internal/cli/testdata/script"

// Stories finds all of them in the repository.
func Stories(repository fs.FS) ([]Story, error) {
	var all []Story
	for _, system := range Systems {
		list, err := storiesIn(repository, "conformance/testdata/"+system, "TestStories/"+system, system)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	list, err := storiesIn(repository, commandLine, "TestScripts", "")
	return append(all, list...), err
}

func storiesIn(repository fs.FS, folder, test, system string) ([]Story, error) {
	paths, err := fs.Glob(repository, folder+"/*.txtar")
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no stories in %s", folder)
	}
	var list []Story
	for _, p := range paths {
		text, err := fs.ReadFile(repository, p)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(path.Base(p), ".txtar")
		story := Story{Path: p, Test: test + "/" + name, System: system}
		if story.Rows, err = named(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		list = append(list, story)
	}
	return list, nil
}

// A comment that names rows has nothing else in it, but perhaps the spec they
// are from: "# RD: FAIL-01 FAIL-02".
var (
	namesRows = regexp.MustCompile(`^# (?:([A-Z0-9]+): )?([A-Z]+-[A-Z]?[0-9]+(?: [A-Z]+-[A-Z]?[0-9]+)*)$`)
	meansTo   = regexp.MustCompile(`^# (T96|T97|RD|FR|DE):`)
)

// elsewhere are the first letters of ids that are no rows: contradictions
// between the systems and how they are settled (X), mistakes in them (W) and
// wishes of their other pages (S).
var elsewhere = []string{"X", "W", "S"}

// named gives the rows that a script names, each once, and not those of the
// files that it brings along.
func named(script string) ([]string, error) {
	script, _, _ = strings.Cut("\n"+script, "\n-- ")
	var rows []string
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		part := namesRows.FindStringSubmatch(line)
		if part == nil && meansTo.MatchString(line) {
			return nil, fmt.Errorf("names no rows: %s", line)
		}
		if part == nil {
			continue
		}
		if part[1] != "" && specs[part[1]] == "" {
			return nil, fmt.Errorf("no spec is called %s: %s", part[1], line)
		}
		for id := range strings.FieldsSeq(part[2]) {
			family, _, _ := strings.Cut(id, "-")
			if !slices.Contains(elsewhere, family) && !slices.Contains(rows, id) {
				rows = append(rows, id)
			}
		}
	}
	return rows, nil
}
