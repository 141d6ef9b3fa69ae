package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// fewLater is how many files a line names.
const fewLater = 4

// RunsLater says in one line what in the tree runs by itself and has changed since
// the run began; empty for nothing. "refrain show --later" lists all.
func RunsLater(r *Run) string {
	list := r.Sum.RunsLater
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, file := range list[:min(len(list), fewLater)] {
		names = append(names, LaterFile(file))
	}
	said := strings.Join(names, ", ")
	if more := len(list) - len(names) + r.Sum.RunsLaterMore; more > 0 {
		return fmt.Sprintf("%s … and %s more, changed during the run (refrain show %s --later)", said, text.Count(more), text.Line(r.Name))
	}
	return said + ": changed during the run"
}

// LaterFile is a file that runs later, with the part of it that was changed.
func LaterFile(file loop.LaterFile) string {
	if file.Part == "" {
		return text.Path(file.Path)
	}
	return fmt.Sprintf("%s (%s)", text.Path(file.Path), text.Line(file.Part))
}

// LaterWhy says who runs such a file, and what is known of who changed it.
func LaterWhy(file loop.LaterFile) string {
	said := "run by " + runners(file.What)
	if file.Iteration > 0 {
		said += fmt.Sprintf(", changed in iteration %d", file.Iteration)
	}
	return said
}

// runners are those who run a kind of file, and when.
func runners(what string) string {
	switch what {
	case "package manager":
		return "the package manager, when somebody installs or builds"
	case "build":
		return "the build tool, and by editors that open the project"
	case "CI":
		return "CI, when the work is pushed"
	case "git":
		return "git, when somebody commits or checks out"
	case "shell":
		return "the shell, and by tools that load it with the folder"
	case "editor":
		return "the editor that opens the folder"
	case "agent":
		return "the next agent that is started here"
	case "refrain":
		return "the next run"
	}
	return text.Line(what) // a gate
}
