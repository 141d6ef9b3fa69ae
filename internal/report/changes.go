package report

import (
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// changed is what one attempt did to the files.
type changed struct {
	ID, Label, Files, Lines, Commits string
	Open                             bool
	Paths                            []changedPath
	More                             string
	Diff                             *shown
}

type changedPath struct{ Sign, Word, Path, From string }

const (
	// maxChangedPaths is how many files a page lists in all; the latest attempts
	// come first.
	maxChangedPaths = 4000
	// fewChangedPaths is how many may be open to begin with.
	fewChangedPaths = 40
)

// laterFile is a file that runs by itself, and was changed.
type laterFile struct{ Path, Why string }

func runsLater(d *Data) []laterFile {
	var list []laterFile
	for _, file := range d.Status.RunsLater {
		list = append(list, laterFile{view.LaterFile(file), view.LaterWhy(file)})
	}
	return list
}

func moreLater(d *Data) string {
	if d.Status.RunsLaterMore == 0 {
		return ""
	}
	return "and " + text.Plural(d.Status.RunsLaterMore, "more file")
}

func changes(d *Data) []changed {
	var list []changed
	room := maxChangedPaths
	for i := len(d.attempts) - 1; i >= 0; i-- {
		a := d.attempts[i]
		n := files(a.changes)
		if n == 0 {
			continue
		}
		c := changed{
			ID: a.anchor("d"), Label: "Iteration " + a.place.String(), Files: text.Plural(n, "file"),
			Lines: lines(a.changes.LinesAdded, a.changes.LinesRemoved), Commits: commits(a.changes.Commits),
		}
		for _, p := range a.changes.Paths[:min(len(a.changes.Paths), room)] {
			c.Paths = append(c.Paths, pathOf(p))
		}
		room -= len(c.Paths)
		c.Diff = d.texts.diffs[a.place]
		if left := n - len(c.Paths); left > 0 {
			c.More = fmt.Sprintf("%s more: refrain diff %s/%d", text.Count(left), text.Line(d.run.Name), a.iter)
		}
		list = append(list, c)
	}
	for i := range list {
		list[i].Open = maxChangedPaths-room <= fewChangedPaths
	}
	slices.Reverse(list)
	return list
}

// spoken is what the agent of one attempt said and did.
type spoken struct {
	ID, Label, Result string
	Text              *shown
}

func transcripts(d *Data) []spoken {
	var list []spoken
	for _, a := range d.attempts {
		if t := d.texts.scripts[a.place]; t != nil {
			list = append(list, spoken{ID: a.anchor("t"), Label: "Iteration " + a.place.String(), Result: view.Fit(a.summary, maxSaid), Text: t})
		}
	}
	return list
}

// maxSaid is how much of an agent's summary stands beside its iteration.
const maxSaid = 100

var signs = map[string]string{"created": "A", "modified": "M", "deleted": "D", "renamed": "R"}

func pathOf(p loop.PathChange) changedPath {
	sign, ok := signs[p.Change]
	if !ok {
		sign = "M"
	}
	shown := changedPath{Sign: sign, Word: text.Words(p.Change), Path: text.Path(p.Path)}
	if p.From != "" {
		shown.From = text.Path(p.From)
	}
	return shown
}

func files(c *loop.Changes) int {
	if c == nil {
		return 0
	}
	return c.Created + c.Modified + c.Deleted
}
