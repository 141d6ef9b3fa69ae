package journal

import (
	"fmt"
	"os"

	"github.com/refrain-loop/refrain/internal/project"
)

// LiveError says that a run is live, and that its records cannot be had for that.
type LiveError struct{ What, Hint string }

func (e *LiveError) Error() string { return e.What }

// TakeAlong gives a copy of a project one of the original's runs, by what a person
// calls it: with an id of its own, to go on here. The original's records are only
// read. In a project that is no copy, there is no such run.
func (s Store) TakeAlong(ref string) (Store, error) {
	root := s.CopyOf()
	if root == "" {
		return s, &NotFoundError{Ref: ref}
	}
	original, err := opened(s.project.Original(), nil)
	if err != nil {
		return s, err
	}
	e, err := original.Find(ref)
	if err != nil {
		return s, err
	}
	if e.Linked != nil {
		return s, &NotFoundError{Ref: ref} // its work tree was not copied
	}
	if !original.Status(e).Ended() {
		return s, &LiveError{
			What: fmt.Sprintf("%s is live in %s, of which this is a copy", e.Name, root),
			Hint: "start a run of its own here with \"refrain run\", or wait until that one has ended",
		}
	}
	if err := e.Checkable(); err != nil {
		return s, err
	}
	if s, err = s.Claim(); err == nil {
		err = s.copyRun(e, original)
	}
	if err != nil {
		return s, fmt.Errorf("take %s along from %s: %w", e.Name, root, err)
	}
	return s, nil
}

// copyRun copies a run beside its place first, so that it is there whole or not
// at all.
func (s Store) copyRun(e Entry, from Store) error {
	if err := os.MkdirAll(s.runs(), 0o700); err != nil {
		return err
	}
	return s.project.Build(func(dir string) error {
		if err := project.CopyFolder(e.Dir, dir, "proof"); err != nil {
			return err
		}
		m := e.Meta
		m.ID, m.Tree = newID(), s.Tree
		if m.Key != "" {
			if err := s.adopt(m, dir, from.newRun(e.Meta, dir), from.chainOf(e.Meta)); err != nil {
				return err
			}
		} else {
			if err := s.project.AdmitEarlier(m.Name); err != nil {
				return err
			}
			if err := s.newRun(m, dir).writeMeta(); err != nil {
				return err
			}
		}
		return project.MoveInto(dir, s.dir(e.Name))
	})
}

// adopt makes copied records those of a run of this project. Their seals are
// looked at in the copy, which nobody else writes to, and made anew.
func (s Store) adopt(m Meta, dir string, was *Run, under chain) error {
	found, err := was.inspect(under, false)
	if err == nil && found.misfit != "" {
		err = &TamperedError{What: found.misfit}
	}
	if err != nil {
		return err
	}
	key, err := s.key()
	if err != nil {
		return err
	}
	r := s.newRun(s.underKey(m, key), dir)
	defer r.Close()
	c := s.chainOf(r.meta)
	r.bind(c, c.start())
	journal, err := r.sealAnew(under)
	if err == nil {
		err = replace(r.head.path, nil, true)
	}
	if err == nil {
		err = r.replaceJournal(journal)
	}
	if err != nil {
		return err
	}
	at := r.safe
	r.meta.Head = &at
	for _, name := range besideNames {
		f := was.beside[name]
		if f == nil || name == metaName {
			continue
		}
		object, _, _ := under.unsealFile("", f.content)
		if err := r.putBeside(name, object); err != nil {
			return err
		}
	}
	return r.writeMeta()
}
