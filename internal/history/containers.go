package history

import (
	"context"
	"errors"
	"slices"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/journal"
)

// PruneContainers removes the containers that dead runners have left in a work tree,
// as far as its runs tell by which engine they were made.
func PruneContainers(ctx context.Context, runs journal.Store, dry bool) ([]string, error) {
	list, _, err := runs.List()
	if err != nil {
		return nil, err
	}
	var found []string
	var errs []error
	for _, engine := range Engines(list) {
		look := container.CleanUp
		if dry {
			look = container.Left
		}
		names, err := look(ctx, engine, runs.Tree)
		found, errs = append(found, names...), append(errs, err)
	}
	return found, errors.Join(errs...)
}

// Engines are those by which runs had containers.
func Engines(runs []journal.Entry) []string {
	var list []string
	for _, run := range runs {
		if s := run.Past.State.Sandbox; s != nil && container.Known(s.Mode) && !slices.Contains(list, s.Mode) {
			list = append(list, s.Mode)
		}
	}
	return list
}
