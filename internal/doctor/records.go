package doctor

import (
	"errors"
	"fmt"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/text"
)

// checkRecords tells where the records of runs are, and of which projects there
// are some that nobody will look for.
func checkRecords(tree string) Check {
	const name = "records"
	store, err := journal.Open(tree)
	if err != nil {
		return Check{name, Problem, err.Error(), "set HOME or XDG_STATE_HOME to a folder that can be written to"}
	}
	if store.InProject() {
		return Check{name, Worry, "in the project itself, where an earlier version has put them: " + store.Dir, "the next run moves them out of the project"}
	}
	if _, inTree := files.Under(store.Tree, store.Dir); inTree {
		return Check{name, Worry, "in the work tree, where the agent can reach them: " + store.Dir, history.RecordsOutside}
	}
	gone, err := history.GoneProjects(store)
	if err != nil || len(gone) == 0 {
		return Check{name, Fine, "in " + store.Dir, ""}
	}
	return Check{name, Fine, fmt.Sprintf("in %s; also those of %s that %s gone", store.Dir, text.Plural(len(gone), "project"), are(len(gone))), "\"refrain ls --all\" lists them, \"refrain prune --gone\" deletes them"}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// checkSeals sees whether the records here can be checked.
func checkSeals(tree string) Check {
	const name = "seals"
	store, err := journal.Open(tree)
	if err != nil || store.InProject() {
		return Check{name, Fine, "no run is sealed yet", ""} // the check of the records says why
	}
	has, err := store.Keys().Has()
	var damaged *project.KeyError
	if errors.As(err, &damaged) {
		return Check{name, Problem, damaged.Error(), damaged.Hint()}
	}
	runs, _, listErr := store.List()
	if err = errors.Join(err, listErr); err != nil {
		return Check{name, Problem, err.Error(), "look at who owns the file and who may read it"}
	}
	lost := 0
	for _, e := range runs {
		if e.Unchecked != "" {
			lost++
		}
	}
	switch {
	case lost > 0 && !has:
		return Check{name, Worry, fmt.Sprintf("%s is gone: %s here cannot be checked", store.Keys().File(), text.Plural(lost, "run")), "put it back from a copy; else the next run makes another"}
	case lost > 0:
		return Check{name, Worry, fmt.Sprintf("%s here cannot be checked: the key that sealed them is gone", text.Plural(lost, "run")), "put it back to " + store.Keys().File() + " if you have a copy, or delete them with \"refrain prune\""}
	case !has:
		return Check{name, Fine, "no run is sealed yet", ""}
	}
	return Check{name, Fine, "the records are sealed", ""}
}
