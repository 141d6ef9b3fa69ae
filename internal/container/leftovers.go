package container

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Left lists the containers that dead runners have left in a work tree. An engine
// that is not here has left nothing.
func Left(ctx context.Context, program, tree string) ([]string, error) {
	if _, err := outside.Find(program); err != nil {
		return nil, nil
	}
	e := Engine{Program: program}
	answer, err := ask(ctx, proc.Run, e.ours(), os.Environ())
	return e.abandoned(answer, tree), err
}

// CleanUp removes them, and tells which they were.
func CleanUp(ctx context.Context, program, tree string) (removed []string, err error) {
	left, err := Left(ctx, program, tree)
	errs := []error{err}
	for _, name := range left {
		switch _, err := ask(ctx, proc.Run, Engine{Program: program}.remove(name), os.Environ()); {
		case err == nil:
			removed = append(removed, name)
		case !isGone(err):
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}

// abandoned are the containers in an answer whose runner is dead.
func (e Engine) abandoned(answer, tree string) []string {
	var names []string
	for _, one := range e.listed(answer) {
		if one.mark.Abandoned(tree) {
			names = append(names, one.name)
		}
	}
	return names
}

// found is a container of ours, with the mark of its runner.
type found struct {
	name string
	mark proc.Mark
}

// listed reads the answer of a list. What makes no sense is none of ours.
func (e Engine) listed(answer string) []found {
	var list []found
	if e.Program == Podman {
		var rows []struct {
			Names  []string
			Labels map[string]string
		}
		_ = json.Unmarshal([]byte(answer), &rows)
		for _, row := range rows {
			if len(row.Names) > 0 {
				list = append(list, found{row.Names[0], proc.Mark{Run: row.Labels[runLabel], Runner: row.Labels[runnerLabel]}})
			}
		}
		return list
	}
	for line := range strings.Lines(answer) {
		if fields := strings.Fields(line); len(fields) == 3 {
			list = append(list, found{fields[0], proc.Mark{Run: fields[1], Runner: fields[2]}})
		}
	}
	return list
}
