package journal

import (
	"os"

	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// taking gives a copy of a project a run of the original's.
type taking struct {
	from Keys // of the original
	to   Store
}

// run copies a run beside its place first, so that it is there whole or not at
// all.
func (t taking) run(e Entry) error {
	if err := os.MkdirAll(string(t.to.runs()), 0o700); err != nil {
		return err
	}
	return t.to.project.Build(func(dir string) error {
		if err := project.CopyFolder(e.Dir, dir, "proof"); err != nil {
			return err
		}
		m := e.Meta
		m.ID, m.Tree = NewID(), t.to.Tree
		if m.Key != "" {
			if err := t.adopt(m, records{dir, e.Meta, t.from.chainOf(e.Meta)}); err != nil {
				return err
			}
		} else {
			if err := t.to.project.AdmitEarlier(m.Name); err != nil {
				return err
			}
			if err := newRun(m, dir, t.to.keys).writeMeta(); err != nil {
				return err
			}
		}
		return project.MoveInto(dir, t.to.dir(e.Name))
	})
}

// adopt makes copied records those of a run of this project. Their seals are
// looked at in the copy, which nobody else writes to, and made anew.
func (t taking) adopt(m Meta, was records) error {
	found, besides, err := was.inspect(false)
	if err == nil && found.misfit != "" {
		err = &TamperedError{What: found.misfit}
	}
	if err != nil {
		return err
	}
	key, err := t.to.keys.key()
	if err != nil {
		return err
	}
	r := newRun(t.to.keys.under(m, key), was.dir, t.to.keys)
	defer r.Close()
	c := t.to.keys.chainOf(r.meta)
	r.log.bind(c, c.Start())
	journal, err := r.log.sealAnew(was.chain)
	if err == nil {
		err = replace(r.log.head.path, nil, true)
	}
	if err == nil {
		err = r.log.replace(journal)
	}
	if err != nil {
		return err
	}
	at := r.log.safe
	r.meta.Head = &at
	for _, name := range besideNames {
		f := besides[name]
		if f == nil || name == metaName {
			continue
		}
		object, _, _ := seal.Chain{}.UnsealFile("", f.content)
		if err := r.putBeside(name, object); err != nil {
			return err
		}
	}
	return r.writeMeta()
}
