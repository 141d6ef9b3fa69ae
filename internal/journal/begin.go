package journal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Create begins a run of procedure m.Procedure. It gives the run the next name, and an
// id unless it has one, and has run.json on the disk before anything else.
func (s Store) Create(m Meta) (*Run, error) {
	if !procedureName().MatchString(m.Procedure) {
		return nil, fmt.Errorf("create run: %q cannot be the name of a procedure: use letters, digits, dots, dashes and underscores", m.Procedure)
	}
	key, err := s.keys.key()
	if err == nil && key == nil && s.keys.seals() {
		err = errors.New("the records were not claimed")
	}
	if err != nil {
		return nil, fmt.Errorf("create run of %s: %w", m.Procedure, err)
	}
	dir, err := s.runs().make(m.Procedure)
	if err != nil {
		return nil, fmt.Errorf("create run of %s: %w", m.Procedure, err)
	}
	m.Format, m.ID, m.Name, m.Tree, m.Linked = Format, cmp.Or(m.ID, NewID()), filepath.Base(dir), s.Tree, project.LinkOf(s.Tree)
	m.StartedAt = m.StartedAt.UTC().Truncate(time.Millisecond)
	r := newRun(s.keys.under(m, key), dir, s.keys)
	c := s.keys.chainOf(r.meta)
	r.log.bind(c, c.Start())
	if err := r.begin(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("create run %s: %w", m.Name, err)
	}
	return r, nil
}

// make takes the next free name. Another work tree of the same repository may be
// after it at the same time; who makes the folder has it.
func (s shelf) make(procedure string) (string, error) {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return "", err
	}
	highest, err := s.highest(procedure)
	if err != nil {
		return "", err
	}
	for n := highest + 1; ; n++ {
		dir := s.dir(procedure + "-" + strconv.Itoa(n))
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		records := filepath.Dir(string(s))
		for _, parent := range []string{string(s), records, filepath.Dir(records)} {
			if err := files.SyncDir(parent); err != nil {
				return "", err
			}
		}
		return dir, nil
	}
}

// NewID makes a name that no other run anywhere has: a random UUID.
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("loop_%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func newRun(m Meta, dir string, keys Keys) *Run {
	r := &Run{meta: m, dir: dir, attempts: map[attemptKey]*Attempt{}, oldest: 1, beside: map[string]*beside{}, keys: keys}
	r.log = sealedLog{
		journal:  logFile{path: filepath.Join(dir, journalName), full: &r.full},
		head:     logFile{path: filepath.Join(dir, seal.HeadName), full: &r.full, create: true},
		headed:   m.Head != nil,
		restored: func() { r.trouble.note(metaName, r.writeMeta()) },
		trouble:  &r.trouble, full: &r.full,
	}
	return r
}

// begin writes an empty head, run.json and an empty journal. The head comes
// first, so that it is there wherever run.json says so.
func (r *Run) begin() error {
	if r.meta.Head != nil {
		if err := replace(r.log.head.path, nil, true); err != nil {
			return err
		}
	}
	if err := r.writeMeta(); err != nil {
		return err
	}
	if err := replace(r.log.journal.path, nil, true); err != nil {
		return err
	}
	return r.log.journal.open()
}

// Import makes a run that has happened already, with the next name.
func (s Store) Import(m Meta, events []loop.Event) error {
	r, err := s.Create(m)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.log.rewrite(events); err != nil {
		return fmt.Errorf("import run %s: %w", r.meta.Name, err)
	}
	return nil
}

// rewrite makes a journal of events, in one piece.
func (l *sealedLog) rewrite(events []loop.Event) error {
	var anew []byte
	for _, e := range events {
		e.Seal = ""
		line, err := Encode(e)
		if err != nil {
			return err
		}
		line, _ = l.seal(line)
		anew = append(append(anew, line...), '\n')
	}
	return l.replace(anew)
}

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
		err = taking{from: original.keys, to: s}.run(e)
	}
	if err != nil {
		return s, fmt.Errorf("take %s along from %s: %w", e.Name, root, err)
	}
	return s, nil
}

// Resume opens a run to go on with it. Only the holder of the lock may: it cuts
// a last line that a crash has torn.
func (s Store) Resume(name string) (*Run, Past, error) {
	r, past, err := s.resume(name)
	if err != nil {
		return nil, Past{}, fmt.Errorf("open run %s: %w", name, err)
	}
	return r, past, nil
}

func (s Store) resume(name string) (*Run, Past, error) {
	m, err := s.meta(name, false)
	if err != nil {
		return nil, Past{}, err
	}
	if m.Gone {
		return nil, Past{}, s.Gone(m)
	}
	r := newRun(m, s.dir(name), s.keys) // with the work tree where it is now
	c := s.keys.chainOf(m)
	past, err := openPast(r.log.journal.path, c, "")
	if err == nil {
		err = Entry{Meta: m, Past: past}.Checkable()
	}
	if err == nil {
		past.State, err = recall(r.log.journal.path, c, past.State)
	}
	if err != nil {
		return nil, Past{}, err
	}
	if past.Tampered, err = r.takeUp(c, past); err != nil {
		return nil, Past{}, err
	}
	dropTemps(r.dir)
	dropTemps(attemptDir(r.dir, 0, 1))
	// A strange line may have been an event that somebody has seen.
	r.seq = past.Seq() + int64(past.Strange.Count+past.Strange.Forged)
	if err := r.findAttempts(); err != nil {
		_ = r.log.journal.close()
		return nil, Past{}, err
	}
	return r, past, nil
}

// dropTemps removes what a runner that was killed had not put in its place yet.
func dropTemps(dir string) {
	entries, _ := os.ReadDir(dir) // what stays costs only room
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), files.TempMark) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// takeUp gets ready to add to the journal, and says what in the records is not a
// runner's. Then what is added goes elsewhere until the run has its end.
func (r *Run) takeUp(c seal.Chain, past Past) (tampered string, err error) {
	if !c.Keyed() {
		return "", r.log.journal.open()
	}
	found, err := r.inspect(c, past.Finished != nil && past.Finished.Reason == loop.ByTampering)
	switch {
	case err != nil:
		return "", err
	case found.misfit != "":
		return found.misfit, r.log.mend(c)
	}
	r.log.bind(c, found.end)
	return "", r.log.journal.open()
}

// inspect looks at everything that a next runner goes by, and takes it up.
func (r *Run) inspect(c seal.Chain, ended bool) (survey, error) {
	found, besides, err := records{r.dir, r.meta, c}.inspect(ended)
	r.beside = besides
	return found, err
}

// findAttempts learns which iterations have folders and goes on counting after
// the last event of the last of them, which may be later than the journal's.
func (r *Run) findAttempts() error {
	entries, err := os.ReadDir(filepath.Join(r.dir, iterationsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var last attemptKey
	for _, e := range entries {
		key, ok := parseAttempt(e.Name())
		if !ok {
			continue
		}
		if last.iter == 0 || key.iter < r.oldest {
			r.oldest = key.iter
		}
		if key.iter > last.iter || key.iter == last.iter && key.n > last.n {
			last = key
		}
	}
	if last.iter == 0 {
		return nil
	}
	r.newest = last.iter
	e, err := lastEvent(filepath.Join(attemptDir(r.dir, last.iter, last.n), eventsName))
	r.seq = max(r.seq, e.Seq)
	return err
}

// lastEvent is the last event of a file that can be read, zero when there is none.
func lastEvent(path string) (loop.Event, error) {
	f, err := files.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return loop.Event{}, nil
	}
	if err != nil {
		return loop.Event{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return loop.Event{}, err
	}
	for l, err := range seal.Backward(f, info.Size()) {
		if err != nil {
			return loop.Event{}, err
		}
		if e, err := Decode(l.Text); err == nil {
			return e, nil
		}
	}
	return loop.Event{}, nil
}

// parseAttempt is the other way round: the attempt that a folder's name means.
func parseAttempt(name string) (attemptKey, bool) {
	first, second, again := strings.Cut(name, "-")
	if !again {
		second = "1"
	}
	iter, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	return attemptKey{iter, n}, err1 == nil && err2 == nil && iter > 0 && n > 0
}
