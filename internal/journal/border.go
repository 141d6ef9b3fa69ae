package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Luggage is what a next runner goes by, on its way to records that are sealed with
// another key: the same words without seals. Nobody can check them on the way, so
// they are looked at before they leave, and who takes them in believes where they
// come from.
type Luggage struct {
	ID      string
	Name    string // the run's here
	Meta    []byte // run.json
	Journal []byte
	Beside  map[string][]byte // guarded.json and known.json, as far as there are any
}

// besideTravels are the files beside the journal that go along under their own names.
var besideTravels = []string{guardedName, knownName}

// What is noted in guarded.json under these names is of one machine: what decides how
// git acts there. It may hold what should not leave it, and means nothing elsewhere.
const (
	NotedGit        = "git/"
	NotedUserGit    = "git of the user/"
	NotedCommitRuns = "run by commits/"
)

// ofTheTree is what of guarded.json is of the work tree.
func ofTheTree(object []byte) ([]byte, error) {
	var notes map[string]json.RawMessage
	if err := json.Unmarshal(object, &notes); err != nil {
		return nil, err
	}
	for _, name := range []string{NotedGit, NotedUserGit, NotedCommitRuns} {
		delete(notes, name)
	}
	return json.MarshalIndent(notes, "", "  ")
}

// NotSealedError says that nobody can tell who wrote the records of a run.
type NotSealedError struct{ Run string }

func (e *NotSealedError) Error() string {
	return e.Run + " cannot be carried away: nobody can tell who wrote its records, for they have no seal"
}

// Border is where runs leave the records of a work tree, and come into them. Only the
// holder of its lock may take one across.
type Border struct{ Store Store }

// Pack is the run as it leaves. It is a *TamperedError when the records are not what a
// runner wrote.
func (b Border) Pack(name string) (Luggage, error) {
	s := b.Store
	m, err := s.meta(name, false)
	if err != nil {
		return Luggage{}, err
	}
	if m.Key == "" || m.Head == nil || !s.keys.seals() {
		return Luggage{}, &NotSealedError{Run: name}
	}
	r := records{s.dir(name), m, s.keys.chainOf(m)}
	if r.chain.Lost {
		return Luggage{}, &LostKeyError{Run: name, File: r.chain.KeyFile}
	}
	found, besides, err := r.inspect(false)
	if err == nil && found.misfit != "" {
		err = &TamperedError{What: found.misfit}
	}
	if err != nil {
		return Luggage{}, err
	}
	l, err := b.luggage(m, besides)
	if err != nil {
		return l, err
	}
	l.Journal, err = believed(r.journal(), r.chain)
	return l, err
}

// believed is what is believed of a journal, without its seals.
func believed(path string, under seal.Chain) ([]byte, error) {
	plain := []byte{}
	walk := under.Walk()
	err := lines(path, func(_ int, text []byte) bool {
		fits := walk.Believes(text)
		if _, _, err := decodeLine(text); err != nil || !fits {
			return true
		}
		plain = appendPlain(plain, text)
		return true
	})
	return plain, err
}

// Unpack puts a run that has travelled among the records here, in one piece, sealed
// with the key of this place. Fill puts the other files of the run into its folder.
// A run that was here is taken out where all of it has come back: its journal, and what
// replaces, given both folders, asks for beside that. Else it is set aside, in a folder
// that is named. The name is the one that the run has here: its own where that is free.
func (b Border) Unpack(l Luggage, fill func(dir string) error, replaces func(was, next string) bool) (name, aside string, err error) {
	s := b.Store
	m, err := l.meta()
	if err != nil {
		return "", "", err
	}
	if !s.keys.seals() {
		return "", "", errors.New("the records here are not sealed, so no run can be taken in")
	}
	was, err := b.sameRun(l.ID)
	if err != nil {
		return "", "", err
	}
	if name = was; name == "" {
		if name, err = b.freeName(l.Name, m.Procedure); err != nil {
			return "", "", err
		}
	}
	if err := os.MkdirAll(string(s.runs()), 0o700); err != nil {
		return "", "", err
	}
	m.Name, m.Tree, m.Linked = name, s.Tree, project.LinkOf(s.Tree)
	err = s.project.Build(func(dir string) error {
		if err := fill(dir); err != nil {
			return err
		}
		if err := b.sealAll(m, dir, l); err != nil {
			return err
		}
		gone := func() error { return nil }
		if was != "" {
			all := b.holds(l, was) && replaces(s.dir(was), dir)
			if aside, gone, err = b.makeRoom(was, dir, all); err != nil {
				return err
			}
		}
		if err := project.MoveInto(dir, s.dir(name)); err != nil {
			return err
		}
		return gone()
	})
	return name, aside, err
}

// meta is its run.json, which may be anybody's.
func (l Luggage) meta() (m Meta, err error) {
	if err := m.decode(json.NewDecoder(bytes.NewReader(l.Meta)), false); err != nil {
		return m, &LuggageError{What: metaName + ": " + err.Error()}
	}
	switch {
	case m.Format > Format:
		return m, &NewerError{File: metaName, Format: m.Format}
	case m.Format < 1 || m.ID != l.ID || !procedureName().MatchString(m.Procedure):
		return m, &LuggageError{What: metaName + " is not that of the run"}
	}
	return m, nil
}

// eventsOf gives the lines of a journal without seals, without their ends. The error
// says that one of them is no event of the run, or that there is none.
func eventsOf(journal []byte, run string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line := range bytes.Lines(journal) {
			text, whole := bytes.CutSuffix(line, []byte("\n"))
			e, good, err := decodeLine(text)
			if _, sealed := seal.Unseal(text); err != nil || !whole || !good || sealed != "" || e.Run != run {
				yield(nil, &LuggageError{What: "a line of its journal is no event of the run"})
				return
			}
			if !yield(text, nil) {
				return
			}
		}
		if len(journal) == 0 {
			yield(nil, &LuggageError{What: "its journal is empty"})
		}
	}
}

// LuggageError says that what has travelled is not a run.
type LuggageError struct{ What string }

func (e *LuggageError) Error() string { return "it is not what Refrain carries away: " + e.What }

// Load is the run with an id, whatever it is called here.
func (b Border) Load(id string) (Entry, error) {
	name, err := b.sameRun(id)
	if err != nil {
		return Entry{}, err
	}
	if name == "" {
		return Entry{}, &NotFoundError{Ref: id}
	}
	return b.Store.Load(name)
}

// sameRun is what a run is called here, by its id; empty when it is not here.
func (b Border) sameRun(id string) (string, error) {
	metas, _, err := b.Store.metas()
	for _, m := range metas {
		if m.ID == id {
			return m.Name, nil
		}
	}
	return "", err
}

// freeName is the name of the run, if no other run here has it, and else the next.
func (b Border) freeName(name, procedure string) (string, error) {
	s := b.Store
	if p, _, ok := parseName(name); ok && p == procedure && IsName(name) {
		if _, err := os.Lstat(s.dir(name)); files.Absent(err) {
			return name, nil
		}
	}
	highest, err := s.runs().highest(procedure)
	if err != nil && !files.Absent(err) {
		return "", err
	}
	return fmt.Sprintf("%s-%d", procedure, highest+1), nil
}

// holds tells whether the luggage has all of the journal of a run that is here.
func (b Border) holds(l Luggage, name string) bool {
	mine, err := b.Pack(name)
	return err == nil && bytes.HasPrefix(l.Journal, Renamed(mine.Journal, name, l.Name))
}

// makeRoom sets the run that is here aside. Where the next one has all of it, but for what
// does not travel, that gets the rest, and what was set aside is removed by gone: once the
// next one is in its place, so that who is killed on the way loses nothing.
func (b Border) makeRoom(name, next string, all bool) (stays string, gone func() error, err error) {
	s := b.Store
	if all {
		if err := keepRest(s.dir(name), next); err != nil {
			return "", nil, err
		}
	}
	aside, err := s.SetAside(name)
	if err != nil || !all {
		return aside, func() error { return nil }, err
	}
	return "", func() error {
		trash := filepath.Join(s.Dir, project.Removing+filepath.Base(next))
		if err := os.Rename(aside, trash); err != nil {
			return err
		}
		return os.RemoveAll(trash)
	}, nil
}

// replaced is what of the folder of a run the next one has in its own way, or makes anew:
// the checkpoints, what is made for a while, how the run stands, what git goes by.
var replaced = []string{"objects", "proof", "commit", stateName, "gitconfig", "gitignore", "gitattributes"}

// keepRest gives a folder the files that it has not, and another has.
func keepRest(from, to string) error {
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && slices.Contains(replaced, rel):
			return fs.SkipDir
		case !d.Type().IsRegular(), slices.Contains(replaced, rel):
			return nil
		}
		target := filepath.Join(to, rel)
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return files.Copy(at, target, files.SyncFile)
	})
}

// sealAll seals what has travelled, and puts it on the disk.
func (b Border) sealAll(m Meta, dir string, l Luggage) error {
	keys := b.Store.keys
	key, err := keys.key()
	if err == nil && key == nil {
		err = errors.New("the records were not claimed")
	}
	if err != nil {
		return err
	}
	r := newRun(keys.under(m, key), dir, keys)
	defer r.Close()
	c := keys.chainOf(r.meta)
	r.log.bind(c, c.Start())
	journal := []byte{}
	for text, err := range eventsOf(Renamed(l.Journal, l.Name, m.Name), m.ID) {
		if err != nil {
			return err
		}
		sealed, _ := r.log.seal(text)
		journal = append(append(journal, sealed...), '\n')
	}
	if err := replace(r.log.head.path, nil, true); err != nil {
		return err
	}
	if err := r.log.replace(journal); err != nil {
		return err
	}
	at := r.log.safe
	r.meta.Head = &at
	for _, name := range besideTravels {
		object, ok := l.Beside[name]
		if !ok {
			continue
		}
		if !json.Valid(object) {
			return &LuggageError{What: name + " is not JSON"}
		}
		if err := os.MkdirAll(filepath.Dir(besidePath(dir, name)), 0o700); err != nil {
			return err
		}
		if err := r.putBeside(name, object); err != nil {
			return err
		}
	}
	return r.writeMeta()
}

// Renamed is a journal whose first event calls the run otherwise. Where another run
// has its name already, a run that has travelled has a name of its own there.
func Renamed(journal []byte, from, to string) []byte {
	if from == to {
		return journal
	}
	first, rest, _ := bytes.Cut(journal, []byte("\n"))
	first = bytes.Replace(first, fmt.Appendf(nil, `"name":%q`, from), fmt.Appendf(nil, `"name":%q`, to), 1)
	return bytes.Join([][]byte{first, rest}, []byte("\n"))
}

// AttemptFiles are the folders of a run's attempts, in its folder.
const AttemptFiles = iterationsName
