package journal

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// runs is the folder with one folder for each run.
func (s Store) runs() string { return filepath.Join(s.Dir, "runs") }

// dir is the folder of a run, which need not exist.
func (s Store) dir(name string) string { return filepath.Join(s.runs(), name) }

// Create begins a run of procedure m.Procedure. It gives the run its id and the
// next name, and has run.json on the disk before anything else.
func (s Store) Create(m Meta) (*Run, error) {
	if !procedureName.MatchString(m.Procedure) {
		return nil, fmt.Errorf("create run: %q cannot be the name of a procedure: use letters, digits, dots, dashes and underscores", m.Procedure)
	}
	key, err := s.key()
	if err == nil && key == nil && s.sealed() {
		err = errors.New("the records were not claimed")
	}
	if err != nil {
		return nil, fmt.Errorf("create run of %s: %w", m.Procedure, err)
	}
	dir, err := s.makeDir(m.Procedure)
	if err != nil {
		return nil, fmt.Errorf("create run of %s: %w", m.Procedure, err)
	}
	m.Format, m.ID, m.Name, m.Tree, m.Linked = Format, newID(), filepath.Base(dir), s.Tree, linkOf(s.Tree)
	m.StartedAt = m.StartedAt.UTC().Truncate(time.Millisecond)
	r := s.newRun(s.underKey(m, key), dir)
	c := s.chainOf(r.meta)
	r.bind(c, c.start())
	if err := r.begin(); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("create run %s: %w", m.Name, err)
	}
	return r, nil
}

// procedureName is what can be part of the name of a folder everywhere.
var procedureName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// makeDir takes the next free name. Another work tree of the same repository
// may be after it at the same time; who makes the folder has it.
func (s Store) makeDir(procedure string) (string, error) {
	if err := os.MkdirAll(s.runs(), 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(s.runs())
	if err != nil {
		return "", err
	}
	highest := 0
	for _, e := range entries {
		if p, n, ok := parseName(e.Name()); ok && p == procedure {
			highest = max(highest, n)
		}
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
		for _, parent := range []string{s.runs(), s.Dir, filepath.Dir(s.Dir)} {
			if err := files.SyncDir(parent); err != nil {
				return "", err
			}
		}
		return dir, nil
	}
}

// runName is a run's folder, as it is or as SetAside has left it.
var runName = regexp.MustCompile(`^(.+?)-([0-9]+)(\.corrupt-[0-9]+)?$`)

// parseName splits build-7 into its procedure and its number. What was set
// aside keeps its number taken.
func parseName(name string) (procedure string, n int, ok bool) {
	part := runName.FindStringSubmatch(name)
	if part == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(part[2])
	return part[1], n, err == nil
}

// newID makes a name that no other run anywhere has: a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("loop_%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// underKey is what a run says that is sealed with a key, which is nil where none
// is, before anything is in its journal.
func (s Store) underKey(m Meta, key []byte) Meta {
	m.Key, m.Origin, m.Project, m.Head, m.Sealed = "", "", "", nil, nil
	if key != nil {
		m.Key, m.Project, m.Head = keyID(key), s.projectName(), &Mark{}
	}
	return m
}

func (s Store) newRun(m Meta, dir string) *Run {
	r := &Run{meta: m, dir: dir, attempts: map[attemptKey]*Attempt{}, oldest: 1, beside: map[string]*beside{}, holdKey: s.holdKey}
	r.journal = logFile{path: filepath.Join(dir, journalName), full: &r.full}
	r.head = logFile{path: filepath.Join(dir, headName), full: &r.full, create: true}
	return r
}

// begin writes an empty head, run.json and an empty journal. The head comes
// first, so that it is there wherever run.json says so.
func (r *Run) begin() error {
	if r.meta.Head != nil {
		if err := replace(r.head.path, nil, true); err != nil {
			return err
		}
	}
	if err := r.writeMeta(); err != nil {
		return err
	}
	if err := replace(r.journal.path, nil, true); err != nil {
		return err
	}
	return r.journal.open()
}

func (r *Run) writeMeta() error {
	b, err := json.MarshalIndent(r.meta, "", "  ")
	if err != nil {
		return err
	}
	return r.putBeside(metaName, append(b, '\n'))
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
	r := s.newRun(m, s.dir(name)) // with the work tree where it is now
	c := s.chainOf(m)
	past, err := openPast(r.journal.path, c, "")
	if err == nil {
		err = Entry{Meta: m, Past: past}.Checkable()
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
		r.journal.close()
		return nil, Past{}, err
	}
	return r, past, nil
}

// takeUp gets ready to add to the journal, and says what in the records is not a
// runner's. Then what is added goes elsewhere until the run has its end.
func (r *Run) takeUp(c chain, past Past) (tampered string, err error) {
	if c.mac == nil {
		return "", r.journal.open()
	}
	found, err := r.inspect(c, past.Finished != nil && past.Finished.Reason == loop.ByTampering)
	switch {
	case err != nil:
		return "", err
	case found.misfit != "":
		return found.misfit, r.mend(c)
	}
	r.bind(c, found.end)
	return "", r.journal.open()
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
	for l, err := range backward(f, info.Size()) {
		if err != nil {
			return loop.Event{}, err
		}
		if e, err := Decode(l.text); err == nil {
			return e, nil
		}
	}
	return loop.Event{}, nil
}
