package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// survey is what a walk over a whole journal has found.
type survey struct {
	misfit string // the first line that does not follow the one before it
	end    Mark
	had    map[loop.Type]bool
	met    bool // the line that was looked for
}

// survey walks over a journal, and looks for the line with a seal on the way.
func (c chain) survey(path, seal string) (survey, error) {
	found := survey{end: c.start(), had: map[loop.Type]bool{}, met: seal == ""}
	sealed := false
	err := lines(path, func(n int, text []byte) bool {
		e, _, err := decodeLine(text)
		_, its := unseal(text)
		follows := its != "" && c.follows(found.end.Seal, text)
		switch {
		case follows: // a runner's, also one that we cannot read
			found.end.Seal, sealed = its, true
			found.met = found.met || its == seal
		case err != nil: // no event, and so nothing is believed of it
			return true
		case its != "" || !c.early || sealed:
			found.misfit = fmt.Sprintf("line %d of %s, %s, is not what a runner wrote there", n, journalName, e.Type())
			return false
		}
		found.end.Events++
		if err == nil {
			found.had[e.Type()] = true
		}
		return true
	})
	return found, err
}

// lines gives the complete lines of a file, from the first on, until it is told
// to stop.
func lines(path string, look func(n int, text []byte) bool) error {
	f, err := files.OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size, err := goodEnd(f, info.Size())
	if err != nil {
		return err
	}
	all := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), blockSize)
	for n := 1; ; n++ {
		text, err := all.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		if !look(n, bytes.TrimSuffix(text, []byte("\n"))) {
			return nil
		}
	}
}

// inspect looks at everything that a next runner goes by, and says in misfit what
// a runner has not written; empty when everything fits. Of a run that has ended
// for that already, only its journal is looked at. Nobody may be writing.
func (r *Run) inspect(c chain, ended bool) (survey, error) {
	least, wrong, err := c.least(r.meta, r.dir)
	if err != nil {
		return survey{}, err
	}
	found, err := c.survey(r.journal.path, least.Seal)
	if err != nil || found.misfit != "" || ended {
		return found, err
	}
	if !found.met {
		found.misfit = short(found.end.Events, least)
		return found, nil
	}
	if found.misfit = wrong; wrong != "" {
		return found, nil
	}
	needed := func(name string) bool {
		switch {
		case name == metaName:
			return true
		case r.meta.Head != nil:
			return slices.Contains(r.meta.Sealed, name)
		case name == guardedName:
			return found.had[(*loop.IterationStarted)(nil).Type()]
		}
		return found.had[(*loop.RunBaseline)(nil).Type()]
	}
	for _, name := range besideNames {
		content, what, err := c.misfitFile(r.meta, r.dir, name, needed(name))
		if err != nil || what != "" {
			found.misfit = what
			return found, err
		}
		if content != nil {
			r.beside[name] = &beside{content: content, saved: true}
		}
	}
	return found, nil
}

// misfitFile reads a sealed file and says what is wrong with it. One of an
// earlier version has no seal.
func (c chain) misfitFile(m Meta, dir, name string, needed bool) (content []byte, what string, err error) {
	b, err := readSmall(besidePath(dir, name))
	var strange *files.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist) && needed && !c.early:
		return nil, name + " is missing", nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case errors.As(err, &strange):
		return nil, name + " is no file", nil
	case err != nil:
		return nil, "", err
	}
	if _, sealed, fits := c.unsealFile(c.sealPlace(m, name), b); !fits && (sealed || !c.early) {
		return nil, name + " is not what a runner wrote", nil
	}
	return b, "", nil
}

// doubts says what a reader sees in the files of a run that no runner has left
// so; empty when there is nothing. It looks at all but the lines of the journal,
// which are judged as they are read.
func (s Store) doubts(m Meta, c chain, past Past, least Mark, wrong string) string {
	if c.mac == nil || c.lost || past.Finished != nil && past.Finished.Reason == loop.ByTampering {
		return "" // then it is said already
	}
	dir := s.dir(m.Name)
	if !past.met {
		found, err := c.survey(filepath.Join(dir, journalName), least.Seal)
		if err == nil && !found.met {
			return short(found.end.Events, least)
		}
	}
	if wrong != "" {
		return wrong
	}
	for _, name := range besideNames {
		_, misfit, err := c.misfitFile(m, dir, name, slices.Contains(m.Sealed, name))
		if err != nil {
			misfit = fmt.Sprintf("%s cannot be read: %v", name, cause(err))
		}
		if misfit != "" {
			return misfit
		}
	}
	return ""
}
