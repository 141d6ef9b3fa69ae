package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
	"github.com/refrain-loop/refrain/internal/text"
)

// survey is what a walk over a whole journal has found.
type survey struct {
	misfit string // the first line that does not follow the one before it
	end    seal.Mark
	had    map[loop.Type]bool
	met    bool // the line that was looked for
}

// survey walks over a journal, and looks for the line with a seal on the way.
func (r records) survey(sought string) (survey, error) {
	found := survey{end: r.chain.Start(), had: map[loop.Type]bool{}, met: sought == ""}
	sealed := false
	err := lines(r.journal(), func(n int, text []byte) bool {
		e, _, err := decodeLine(text)
		_, its := seal.Unseal(text)
		follows := its != "" && r.chain.Follows(found.end.Seal, text)
		switch {
		case follows: // a runner's, also one that we cannot read
			found.end.Seal, sealed = its, true
			found.met = found.met || its == sought
		case err != nil: // no event, and so nothing is believed of it
			return true
		case its != "" || !r.chain.Early || sealed:
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

// inspect looks at everything that a next runner goes by, and says in misfit what
// a runner has not written; empty when everything fits. Of a run that has ended
// for that already, only its journal is looked at. Nobody may be writing.
func (r records) inspect(ended bool) (survey, map[string]*beside, error) {
	besides := map[string]*beside{}
	least, wrong, err := r.least()
	if err != nil {
		return survey{}, besides, err
	}
	found, err := r.survey(least.Seal)
	if err != nil || found.misfit != "" || ended {
		return found, besides, err
	}
	if !found.met {
		found.misfit = short(found.end.Events, least)
		return found, besides, nil
	}
	if found.misfit = wrong; wrong != "" {
		return found, besides, nil
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
		content, what, err := r.misfitFile(name, needed(name))
		if err != nil || what != "" {
			found.misfit = what
			return found, besides, err
		}
		if content != nil {
			besides[name] = &beside{content: content, saved: true}
		}
	}
	return found, besides, nil
}

// misfitFile reads a sealed file and says what is wrong with it. One of an
// earlier version has no seal.
func (r records) misfitFile(name string, needed bool) (content []byte, what string, err error) {
	b, err := readSmall(besidePath(r.dir, name))
	var strange *files.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist) && needed && !r.chain.Early:
		return nil, name + " is missing", nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case errors.As(err, &strange):
		return nil, name + " is no file", nil
	case err != nil:
		return nil, "", err
	}
	if _, sealed, fits := r.chain.UnsealFile(sealPlace(r.chain, r.meta, name), b); !fits && (sealed || !r.chain.Early) {
		return nil, name + " is not what a runner wrote", nil
	}
	return b, "", nil
}

// doubts says what a reader sees in the files of a run that no runner has left
// so; empty when there is nothing. It looks at all but the lines of the journal,
// which are judged as they are read.
func (r records) doubts(past Past, least seal.Mark, wrong string) string {
	if !r.chain.Checks() || past.Finished != nil && past.Finished.Reason == loop.ByTampering {
		return "" // then it is said already
	}
	if !past.met {
		found, err := r.survey(least.Seal)
		if err == nil && !found.met {
			return short(found.end.Events, least)
		}
	}
	if wrong != "" {
		return wrong
	}
	for _, name := range besideNames {
		_, misfit, err := r.misfitFile(name, slices.Contains(r.meta.Sealed, name))
		if err != nil {
			misfit = fmt.Sprintf("%s cannot be read: %v", name, cause(err))
		}
		if misfit != "" {
			return misfit
		}
	}
	return ""
}

// headBack is how many lines of a head are looked at: the last is good, or the
// one before it. Who fills it with others is not to keep us.
const headBack = 1000

// readHead is the last mark that was made; zero when there is none yet.
func (r records) readHead() (seal.Mark, error) {
	f, size, err := openSized(filepath.Join(r.dir, seal.HeadName))
	if err != nil {
		return seal.Mark{}, err
	}
	defer f.Close()
	n := 0
	for l, err := range seal.Backward(f, size) {
		if err != nil {
			return seal.Mark{}, err
		}
		if m, ok := r.chain.ParseHead(l.Text); ok {
			return m, nil
		}
		if n++; n == headBack {
			break
		}
	}
	return seal.Mark{}, nil
}

// least is how far the journal of a run has come at the least, and what is wrong
// with who should say it. It is read before the journal: a live runner writes the
// other way round.
func (r records) least() (least seal.Mark, wrong string, err error) {
	if r.meta.Head == nil || !r.chain.Checks() {
		return seal.Mark{}, "", nil
	}
	head, err := r.readHead()
	var strange *files.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		wrong, err = seal.HeadName+" is missing", nil
	case errors.As(err, &strange):
		wrong, err = seal.HeadName+" is no file", nil
	}
	if head.Events < r.meta.Head.Events {
		head = *r.meta.Head
	}
	return head, wrong, err
}

// short says that a journal ends before its head.
func short(events int, least seal.Mark) string {
	return fmt.Sprintf("%s has %d %s, its head says %d", journalName, events, text.OneOrMany(events, "event", "events"), least.Events)
}
