package git

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// userRule is a file in which a user says for every repository what git ignores, or
// how it treats files. An agent that writes there hides work from checkpoints.
type userRule struct {
	key    string // the setting that names it
	usual  string // where it is unless named, among the user's files
	copied string // our copy of it
}

var userRules = []userRule{
	{"core.excludesFile", "ignore", "gitignore"},
	{"core.attributesFile", "attributes", "gitattributes"},
}

// note is under what the rules are noted.
func (r userRule) note() string { return "rules " + r.key }

// rulesAt is where the rules are; empty when there are none.
func (t *Tree) rulesAt(ctx context.Context, r userRule, all []scopedSetting) (string, error) {
	named := slices.ContainsFunc(all, func(s scopedSetting) bool { return s.key == strings.ToLower(r.key) })
	if !named {
		return userFile(r.usual), nil
	}
	path, err := t.git.line(ctx, Command{}, "config", "--type=path", "--get", r.key)
	if err != nil || path == "" {
		return "", err
	}
	return project.From(t.gitTop(), path), nil
}

// text is what the rules say, for a note. What git could not read either says
// nothing.
func (r userRule) text(ctx context.Context, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := files.ReadFile(ctx, path, SmallFile)
	if files.Absent(err) || errors.Is(err, fs.ErrPermission) || errors.As(err, new(*files.NotRegularError)) {
		return "", nil
	}
	return base64.StdEncoding.EncodeToString(text), err
}
