package surface

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/trust"
)

// News is what a request would run, by agents with these names, that nobody has
// agreed to; nil when there is no such.
func News(ctx context.Context, a request.Assignment, agents []string) ([]trust.News, error) {
	if a.Request.Consent == request.Given || inTrustedFolder(a) {
		return nil, nil
	}
	items, err := Of(ctx, a, agents)
	if err != nil {
		return nil, err
	}
	return Unknown(a, items)
}

// Unknown is those of the items that nobody has agreed to.
func Unknown(a request.Assignment, items []trust.Item) ([]trust.News, error) {
	if len(items) == 0 || inTrustedFolder(a) {
		return nil, nil
	}
	record, err := Known(a.Tree)
	if err != nil {
		return nil, err
	}
	return record.News(items), nil
}

// Known is what of a work tree a person has agreed to.
func Known(tree string) (trust.Record, error) {
	place, err := trust.Place(tree)
	if err != nil {
		return trust.Record{}, err
	}
	store, err := trust.Open(os.Getenv)
	if err != nil {
		return trust.Record{Place: place}, err
	}
	return store.Of(place)
}

// inTrustedFolder tells whether the user's own settings say that every work tree
// there may run what it brings along.
func inTrustedFolder(a request.Assignment) bool {
	tree := files.Straight(a.Tree)
	for _, folder := range a.Config().Permissions.Trusted {
		if rest, ok := strings.CutPrefix(folder, "~"); ok {
			folder = filepath.Join(home(), rest)
		}
		if _, inside := files.Under(files.Straight(folder), tree); inside && filepath.IsAbs(folder) {
			return true
		}
	}
	return false
}

// home is the user's own folder; empty: nobody knows.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}
