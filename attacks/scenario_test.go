package attacks

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// scenario is one archive: what an agent tries, in which project, and what must
// come of it. Files below agent/ are the agent's, agent/run.sh is the agent;
// all others are the project's.
type scenario struct {
	name string
	says string // what is tried, in words

	findings []string       // the numbers under which the audit has it
	lang     string         // what must be installed: go, node or python
	task     string         // the prompt
	flags    string         // more flags for "refrain run", as in a shell
	user     []string       // commands of the user after "refrain init", before the commit
	then     []string       // commands of the user after the run
	check    string         // whether what is left holds: an attack that does may be called proven
	must     []string       // commands that succeed when all is over, whatever it came to
	expect   *regexp.Regexp // in what was told
	want     want

	files []txtar.File
}

// want is how an honest scenario must end.
type want struct {
	state      string
	levels     []string // any one of them; none is all of them
	iterations int      // at most; 0 is any number
}

const defaultTask = "Make the failing tests pass."

// head is a line that tells something to the runner and not to the reader.
var head = regexp.MustCompile(`^([a-z]+):\s+(.*)$`)

// read gives the scenarios in a folder, in the order of their names.
func read(folder string) ([]scenario, error) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			return nil, err
		}
		s, err := parse(strings.TrimSuffix(filepath.Base(p), ".txtar"), archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parse(name string, archive *txtar.Archive) (scenario, error) {
	s := scenario{name: name, task: defaultTask}
	var words []string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		part := head.FindStringSubmatch(line)
		if part == nil {
			words = append(words, line)
			continue
		}
		if err := s.take(part[1], part[2]); err != nil {
			return s, fmt.Errorf("%s: %w", line, err)
		}
	}
	s.says = strings.TrimSpace(strings.Join(words, " "))
	s.files = append(s.files, archive.Files...) // over those of the project
	switch {
	case s.says == "":
		return s, fmt.Errorf("it does not say what is tried")
	case !slices.Contains([]string{"go", "node", "python"}, s.lang):
		return s, fmt.Errorf("lang is %q, want go, node or python", s.lang)
	case !slices.ContainsFunc(s.files, func(f txtar.File) bool { return f.Name == agentScript }):
		return s, fmt.Errorf("there is no %s", agentScript)
	}
	return s, nil
}

// take sets what one line of the head says.
func (s *scenario) take(key, value string) (err error) {
	switch key {
	case "finding":
		s.findings = strings.Fields(value)
	case "lang":
		s.lang = value
	case "project":
		return s.build(strings.Fields(value))
	case "task":
		s.task = value
	case "flags":
		s.flags = value
	case "user":
		s.user = append(s.user, value)
	case "then":
		s.then = append(s.then, value)
	case "check":
		s.check = value
	case "must":
		s.must = append(s.must, value)
	case "expect":
		s.expect, err = regexp.Compile(value)
	case "want":
		s.want, err = parseWant(value)
	default:
		err = fmt.Errorf("%q is nothing that a scenario can say", key)
	}
	return err
}

// build lays the files of shared projects over each other.
func (s *scenario) build(projects []string) error {
	for _, name := range projects {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "projects", name+".txtar"))
		if err != nil {
			return err
		}
		s.files = append(s.files, archive.Files...)
	}
	return nil
}

// parseWant reads "done level=proven|kept iterations<=2".
func parseWant(text string) (w want, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return w, fmt.Errorf("no state is wanted")
	}
	w.state = words[0]
	for _, word := range words[1:] {
		if levels, ok := strings.CutPrefix(word, "level="); ok {
			w.levels = strings.Split(levels, "|")
		} else if n, ok := strings.CutPrefix(word, "iterations<="); ok {
			w.iterations, err = strconv.Atoi(n)
		} else {
			err = fmt.Errorf("%q is nothing that can be wanted", word)
		}
	}
	return w, err
}

// write puts the files where they belong in the world of one scenario.
func (s scenario) write(world string) error {
	for _, f := range s.files {
		name := f.Name
		if !strings.HasPrefix(name, "agent/") {
			name = path.Join("project", name)
		}
		file := filepath.Join(world, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
