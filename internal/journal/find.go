package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Entry is a run as a reader finds it.
type Entry struct {
	Meta
	Past
	Dir string // the folder of the run
}

// Unreadable is a run that is there and cannot be read.
type Unreadable struct {
	Name string
	Tree string // its work tree; empty when not even that can be read
	Dir  string
	Err  error
}

// Checkable is a *LostKeyError when the records of a run cannot be checked.
func (e Entry) Checkable() error {
	if e.Unchecked == "" {
		return nil
	}
	return &LostKeyError{Run: e.Name, File: e.keyFile}
}

// IsOurs tells whether a run that cannot be read may be moved or deleted by who has
// the work tree: what it holds is not what was written, and no live run can be
// meant. What could only not be read now may be read later; one of a newer version
// can be read, only not by us; and of whom not even the work tree is known may be
// live in another one.
func (s Store) IsOurs(b Unreadable) bool {
	if !errors.As(b.Err, new(*CorruptError)) && !errors.As(b.Err, new(*files.NotRegularError)) {
		return false
	}
	if b.Tree != "" {
		return b.Tree == s.Tree
	}
	return !project.AtWork(s.Dir, s.Tree)
}

// NotFoundError says that there is no such run, and which ones there are.
type NotFoundError struct {
	Ref    string
	Near   []string // runs that may have been meant, latest first
	CopyOf string   // the project that this one, which has no run yet, is a copy of
	Away   bool     // that is not there any more
}

func (e *NotFoundError) Error() string {
	text := "there is no run here"
	if e.Ref != "" && e.Ref != latest {
		text = fmt.Sprintf("there is no run %q here", e.Ref)
	}
	switch {
	case e.Away:
		text += fmt.Sprintf(", but this is a copy of a project that was at %s and was moved away", e.CopyOf)
	case e.CopyOf != "":
		text += ", but this is a copy of " + e.CopyOf
	}
	if len(e.Near) > 0 {
		text += ", but " + strings.Join(e.Near, ", ")
	}
	return text
}

// latest is the word for the run that was started last.
const latest = "last"

// List gives every run in the state folder, those of other work trees of the
// repository included, in the order they were started. Flags and Config are
// left out. A folder whose run never started is no run.
func (s Store) List() ([]Entry, []Unreadable, error) {
	metas, bad, err := s.metas()
	if err != nil {
		return nil, nil, err
	}
	var list []Entry
	for _, m := range metas {
		e, err := s.entry(m)
		switch {
		case err == nil:
			list = append(list, e)
		case !isNotFound(err):
			bad = append(bad, Unreadable{Name: m.Name, Tree: m.Tree, Dir: s.dir(m.Name), Err: err})
		}
	}
	return list, bad, nil
}

// Find gives the run that a person means: a name (build-7), a procedure (its
// latest run), "last" or nothing (the latest run). Latest is in this work tree,
// if it has any run, else in the repository.
func (s Store) Find(ref string) (Entry, error) {
	if _, err := s.meta(ref, true); IsName(ref) && !isNotFound(err) {
		return s.Load(ref)
	}
	metas, bad, err := s.metas()
	if err != nil {
		return Entry{}, err
	}
	slices.Reverse(metas)
	meant := func(m Meta) bool { return ref == "" || ref == latest || m.Procedure == ref }
	for _, here := range []bool{true, false} {
		for _, m := range metas {
			if !meant(m) || (m.Tree == s.Tree) != here {
				continue
			}
			e, err := s.Load(m.Name)
			if err == nil {
				err = later(m, bad)
			}
			if !isNotFound(err) {
				return e, err
			}
		}
	}
	if len(bad) > 0 && (ref == "" || ref == latest) {
		return Entry{}, bad[len(bad)-1].Err // there is a run: it just cannot be read
	}
	return Entry{}, &NotFoundError{Ref: ref, Near: s.near(ref, metas), CopyOf: s.CopyOf(), Away: s.project != nil && s.project.Away()}
}

// later is why a later run of the same procedure cannot be read: to show the one
// before it in its place would hide that.
func later(m Meta, bad []Unreadable) error {
	_, n, _ := parseName(m.Name)
	for _, b := range slices.Backward(bad) {
		if procedure, i, ok := parseName(b.Name); ok && procedure == m.Procedure && i > n {
			return b.Err
		}
	}
	return nil
}

// near names a few runs of the same procedure, or else of any.
func (s Store) near(ref string, latestFirst []Meta) []string {
	const few = 3
	procedure, _, _ := parseName(ref)
	var list []string
	for _, same := range []bool{true, false} {
		for _, m := range latestFirst {
			if len(list) == few || same && m.Procedure != procedure {
				continue
			}
			if _, err := s.entry(m); err == nil {
				list = append(list, m.Name)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	return list
}

// Load reads one run.
func (s Store) Load(name string) (Entry, error) {
	m, err := s.meta(name, false)
	if err != nil {
		return Entry{}, err
	}
	return s.entry(m)
}

// entry reads the past of a run.
func (s Store) entry(m Meta) (Entry, error) {
	return records{s.dir(m.Name), m, s.keys.chainOf(m)}.entry()
}

// Status is the state of the run now. A run without an end whose lock is free,
// or held for another run, has crashed, unless it is parked.
func (s Store) Status(e Entry) loop.Status {
	if e.Finished != nil {
		return e.Finished.State
	}
	if e.Parked != nil {
		return loop.Parked
	}
	h, held := s.At(e.Tree).Holder()
	if !held || h.Run != e.Name {
		return loop.Crashed
	}
	status := loop.Running
	for _, event := range e.Tail {
		status = status.After(event.Payload)
	}
	return status
}

// entry reads the past of a run.
func (r records) entry() (Entry, error) {
	least, wrong, err := r.least()
	if err != nil {
		wrong = fmt.Sprintf("%s cannot be read: %v", seal.HeadName, cause(err))
	}
	past, err := openPast(r.journal(), r.chain, least.Seal)
	if err != nil && !isNotFound(err) {
		return Entry{}, err
	}
	if past.Last == nil && len(past.Tail) == 0 {
		return Entry{}, r.empty(err != nil, past.Strange.Forged > 0, least, wrong)
	}
	past.Tampered = r.doubts(past, least, wrong)
	return Entry{Meta: r.meta, Past: past, Dir: r.dir}, nil
}

// empty is what to say of a run without any event: that it is none, for its runner
// died before it began; or that there was more.
func (r records) empty(missing, forged bool, least seal.Mark, wrong string) error {
	_, err := os.Lstat(filepath.Join(r.dir, iterationsName))
	if !forged && least.Events == 0 && wrong == "" && err != nil {
		return &NotFoundError{Ref: r.meta.Name}
	}
	what := "it has no event"
	switch {
	case forged:
		what = "no line of it was written by a runner of this run"
	case missing:
		what = "it is missing"
	}
	if least.Events > 0 {
		what += fmt.Sprintf(", and its head says %d", least.Events)
	}
	return &CorruptError{File: r.journal(), Line: 1, Err: errors.New(what)}
}

// meta reads the run.json of a run.
func (s Store) meta(name string, brief bool) (Meta, error) {
	m, err := s.runs().written(name, brief, s.keys)
	return s.homes().at(m), err
}

// written is the run.json of a run as it was written.
func (s shelf) written(name string, brief bool, keys Keys) (Meta, error) {
	if !IsName(name) {
		return Meta{}, &NotFoundError{Ref: name}
	}
	m, called, err := readMeta(s.dir(name), brief)
	if errors.Is(err, fs.ErrNotExist) {
		// The journal comes last when a run is made, and has its first line then.
		if info, err := os.Lstat(filepath.Join(s.dir(name), journalName)); err == nil && info.Size() > 0 {
			return Meta{}, &CorruptError{File: filepath.Join(s.dir(name), metaName), Line: 1, Err: errors.New("it is missing")}
		}
		return Meta{}, &NotFoundError{Ref: name}
	}
	if err != nil {
		return Meta{}, err
	}
	return m, keys.misplaced(m, s.dir(name), called)
}

// homes finds the work trees of runs.
func (s Store) homes() homes {
	find := Open
	if s.project != nil {
		find = func(tree string) (Store, error) { return OpenIn(s.project.State(), tree) }
	}
	return homes{dir: s.Dir, tree: s.Tree, find: find}
}

// misplaced says that run.json tells of another run than that of its folder.
func (k Keys) misplaced(m Meta, dir, called string) error {
	if !k.seals() {
		return nil
	}
	elsewhere := m.Head != nil && m.Project != k.records() // earlier versions did not say
	if called == m.Name && !elsewhere {
		return nil
	}
	whose := called
	if elsewhere {
		whose += " of another project"
	}
	return &CorruptError{File: filepath.Join(dir, metaName), Line: 1, Err: fmt.Errorf("it is that of %s, which somebody has copied here", whose)}
}

// metas reads every run.json, in brief, in the order the runs were started.
func (s Store) metas() ([]Meta, []Unreadable, error) {
	entries, err := s.runs().folders()
	if err != nil {
		return nil, nil, err
	}
	var list []Meta
	var bad []Unreadable
	for _, e := range entries {
		m, err := s.meta(e.Name(), true)
		switch {
		case err == nil:
			list = append(list, m)
		case !isNotFound(err):
			bad = append(bad, Unreadable{Name: e.Name(), Tree: m.Tree, Dir: s.dir(e.Name()), Err: err})
		}
	}
	slices.SortStableFunc(list, func(a, b Meta) int { return a.before(b) })
	return list, bad, nil
}

// before orders runs by their start, and those of one moment by their name.
func (m Meta) before(o Meta) int {
	if later := m.StartedAt.Compare(o.StartedAt); later != 0 {
		return later
	}
	_, i, _ := parseName(m.Name)
	_, j, _ := parseName(o.Name)
	return cmp.Or(cmp.Compare(i, j), strings.Compare(m.Name, o.Name))
}

func isNotFound(err error) bool {
	var e *NotFoundError
	return errors.As(err, &e)
}
