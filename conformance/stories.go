package conformance

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Story is a script and the places where it shows rows.
type Story struct {
	Path   string // from the root of the repository
	Test   string // the name under which "go test" reports it
	System string // whose it is; of the stories of the command line only those of a whole life have one
	Shown  []Shown
	Wrong  []string // with how it names rows
}

// shows tells whether the row is among those of the story.
func (s Story) shows(id string) bool {
	return slices.ContainsFunc(s.Shown, func(at Shown) bool { return at.Row == id })
}

// commandLine is where the stories of the command line are.
const commandLine = "internal/cli/testdata/script"

// Stories finds all of them in the repository, the tests of the library with them.
func Stories(repository fs.FS) ([]Story, error) {
	all, err := libraryStories(repository)
	if err != nil {
		return nil, err
	}
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
		if whose, is := strings.CutPrefix(name, "life-"); is {
			story.System = whose
		}
		story.Shown, story.Wrong = shown(string(text))
		list = append(list, story)
	}
	return list, nil
}
