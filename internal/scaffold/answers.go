package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// AnswersFile has the answers to questions that are about no spec in particular.
const AnswersFile = SpecsFolder + "/answers.md"

// answersHeading is the section of a spec that has what a person has answered.
const answersHeading = "## Answers"

// AddAnswer writes the answer to a question below the heading "Answers" of a spec,
// which is made where it is missing. Nothing else in it changes.
func AddAnswer(root, spec, question, answer string) error {
	tree, err := files.OpenTree(root)
	if err != nil {
		return fmt.Errorf("open the work tree: %w", err)
	}
	defer tree.Close()
	if err := reachable(tree, spec); err != nil {
		return err
	}
	name, mode := filepath.FromSlash(spec), plain
	old, err := readOld(tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte("# Answers\n")
		if err := tree.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", spec, err)
		}
	case err != nil:
		return refused(spec, err)
	default:
		if info, err := tree.Stat(name); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err := replace(tree, name, withAnswer(string(old), question, answer), mode); err != nil {
		return fmt.Errorf("write %s: %w", spec, err)
	}
	return nil
}

// withAnswer is a spec with one more answer, at the end of its section.
func withAnswer(spec, question, answer string) string {
	item := "- " + strings.Join(strings.Fields(question), " ") + "\n"
	for line := range strings.Lines(strings.TrimSpace(answer)) {
		item += "  " + strings.TrimRight(line, "\r\n") + "\n"
	}
	lines := strings.SplitAfter(strings.TrimRight(spec, " \t\r\n")+"\n", "\n")
	at, in := len(lines), false
	for i, line := range lines {
		switch {
		case !in && strings.TrimSpace(line) == answersHeading:
			in = true
		case in && (strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# ")):
			at = i
			item += "\n"
		}
		if at < len(lines) {
			break
		}
	}
	before := strings.TrimRight(strings.Join(lines[:at], ""), "\r\n")
	switch last := before[strings.LastIndex(before, "\n")+1:]; {
	case !in:
		before += "\n\n" + answersHeading + "\n\n"
	case strings.TrimSpace(last) == answersHeading:
		before += "\n\n"
	default:
		before += "\n"
	}
	return before + item + strings.Join(lines[at:], "")
}

// Answered is the questions that have an answer in a spec, each on one line.
func Answered(root string) (map[string]bool, error) {
	tree, err := files.OpenTree(root)
	if err != nil {
		return nil, fmt.Errorf("open the work tree: %w", err)
	}
	defer tree.Close()
	known := map[string]bool{}
	err = fs.WalkDir(files.FS(tree), SpecsFolder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return nil // what cannot be read has no answer
		}
		text, err := readOld(tree, filepath.FromSlash(name))
		if err != nil {
			return nil
		}
		in := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# ") {
				in = strings.TrimSpace(line) == answersHeading
			}
			if question, ok := strings.CutPrefix(line, "- "); in && ok {
				known[strings.Join(strings.Fields(question), " ")] = true
			}
		}
		return nil
	})
	return known, err
}
