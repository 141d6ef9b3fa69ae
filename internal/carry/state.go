package carry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/redact"
)

// The names in the tree of a state.
const (
	cardName    = "card.json"
	metaName    = "run.json"
	journalDir  = "journal"
	besideDir   = "beside"
	attemptsDir = journal.AttemptFiles
)

// How large a file may be that travels. What the last attempt printed may still have to
// be judged, so there is more room for it.
const (
	mostFile   = 4 << 20
	mostNewest = 64 << 20
	mostPiece  = 64 << 20 // of the journal: servers mind what is larger
)

// state is one value of the ref of a run.
type state struct {
	card  Card
	files map[string][]byte // by their names in the tree

	parents []string // but for the state before: the checkpoint, the commit that was checked out

	// Of one that only says what has changed since the value before.
	partial bool
	gone    []string // files that are no more
	tree    string   // what it goes on from, where the value before is to be forgotten

	ref string // of our repository, that is to be at it; empty: none
}

// lay puts everything of a run in its place.
func lay(card Card, l journal.Luggage, runDir string, hide *redact.Redactor) (*state, error) {
	s := &state{card: card, parents: []string{card.Checkpoint, card.Head}}
	if err := s.records(l, hide); err != nil {
		return nil, err
	}
	at := 0
	for i, n := range card.Chunks {
		s.files[chunkName(i)] = l.Journal[at : at+n]
		at += n
	}
	s.card.Cut = nil
	if err := s.attempts(runDir, l, hide, everything{}); err != nil {
		return nil, err
	}
	return s, s.fits()
}

// records puts in its place what lies beside the journal. Like that it is sealed as it
// is where it arrives, so nothing can be taken out of it.
func (s *state) records(l journal.Luggage, hide *redact.Redactor) error {
	s.files = map[string][]byte{metaName: l.Meta}
	for name, b := range l.Beside {
		s.files[path.Join(besideDir, name)] = b
	}
	var told []string
	for name, b := range s.files {
		if hide.Text(string(b)) != string(b) {
			told = append(told, name)
		}
	}
	if hide.Text(string(l.Journal)) != string(l.Journal) {
		told = append(told, journalDir)
	}
	if len(told) > 0 {
		slices.Sort(told)
		return &SecretError{told, true}
	}
	return nil
}

// fits refuses a state with more in it than anybody would take in.
func (s *state) fits() error {
	total := int64(0)
	for name, b := range s.files {
		if total += int64(len(b)); int64(len(b)) > mostOf(name) {
			return tooLarge(s.card.called(), name)
		}
	}
	return fits(len(s.files)+1, total) // the card comes on top
}

// fits refuses a run that nobody would take in.
func fits(files int, total int64) error {
	if files > mostFiles || total > mostTotal {
		return tooLarge("the run", fmt.Sprintf("%d files, %d bytes", files, total))
	}
	return nil
}

func tooLarge(run, what string) error {
	return &UnwillingError{run + " is too large to travel: " + what, "it goes on here; retention.transcripts says how many iterations keep what agents printed"}
}

func chunkName(i int) string { return fmt.Sprintf("%s/%08d", journalDir, i+1) }

// picker says what of the attempts is to be looked at. It is asked for each folder, from
// the last one back, and for each file that may travel.
type picker interface {
	folder(name string, back int) bool
	file(name string, info fs.FileInfo) bool
}

// everything picks everything.
type everything struct{}

func (everything) folder(string, int) bool       { return true }
func (everything) file(string, fs.FileInfo) bool { return true }

// attempts takes along what lies in the folders of the attempts.
func (s *state) attempts(runDir string, l journal.Luggage, hide *redact.Redactor, pick picker) error {
	root := filepath.Join(runDir, attemptsDir)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, e := range entries {
		back := len(entries) - 1 - i
		if !pick.folder(e.Name(), back) {
			continue
		}
		most := int64(mostFile)
		if back == 0 {
			most = mostNewest
		}
		if err := s.attempt(runDir, filepath.Join(root, e.Name()), most, l, hide, pick); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) attempt(runDir, root string, most int64, l journal.Luggage, hide *redact.Redactor, pick picker) error {
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return files.Ignoring(err, fs.ErrNotExist) // what is no file is not a runner's
		}
		rel, err := filepath.Rel(runDir, at)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if _, ok := l.Beside[path.Base(name)]; ok && strings.Count(name, "/") == 2 {
			return nil // it travels without its seal
		}
		info, err := d.Info()
		if err != nil || strings.HasSuffix(name, files.TempMark) || !travels(name) {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		if info.Size() > most {
			s.cut(name, info.Size())
			return nil
		}
		if !pick.file(name, info) {
			return nil
		}
		b, err := files.ReadFile(context.Background(), at, most)
		if err != nil {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		s.files[name] = []byte(hide.Text(string(b)))
		return nil
	})
}

// cut leaves out a file that is too large. The one before it may have had it.
func (s *state) cut(name string, size int64) {
	s.card.Cut = slices.DeleteFunc(slices.Clone(s.card.Cut), func(c Cut) bool { return c.File == name })
	s.card.Cut = append(s.card.Cut, Cut{name, size})
	s.gone = append(s.gone, name)
}

// stream is the state as git fast-import reads it: a commit with these parents, the
// first of which is the state before.
func (s *state) stream(before string) ([]byte, error) {
	var b bytes.Buffer
	data := func(content []byte) { fmt.Fprintf(&b, "data %d\n%s\n", len(content), content) }
	ref := cmp.Or(s.ref, "refs/refrain/making")
	fmt.Fprintf(&b, "feature done\ncommit %s\nmark :1\ncommitter refrain <refrain@localhost> %d +0000\n", ref, s.card.At.Unix())
	data(fmt.Appendf(nil, "%s: leg %d, %s", s.card.called(), s.card.Leg, cmp.Or(s.card.State, "claimed")))
	if s.tree != "" {
		before = ""
	}
	word := "from"
	for _, parent := range append([]string{before}, s.parents...) {
		if parent != "" {
			fmt.Fprintf(&b, "%s %s\n", word, parent)
			word = "merge"
		}
	}
	if !s.partial || s.tree != "" {
		b.WriteString("deleteall\n")
	}
	if s.tree != "" {
		fmt.Fprintf(&b, "M 040000 %s \"\"\n", s.tree)
	}
	for _, name := range s.gone {
		fmt.Fprintf(&b, "D %s\n", quoted(name))
	}
	card, err := json.MarshalIndent(s.card, "", "  ")
	if err != nil {
		return nil, err
	}
	put := func(name string, content []byte) {
		fmt.Fprintf(&b, "M 100644 inline %s\n", quoted(name))
		data(content)
	}
	for name, content := range s.files {
		put(name, content)
	}
	put(cardName, append(card, '\n'))
	b.WriteString("\nget-mark :1\n")
	if s.ref == "" {
		fmt.Fprintf(&b, "reset %s\nfrom %s\n\n", ref, strings.Repeat("0", len(s.card.Head))) // no ref of ours is to name it
	}
	b.WriteString("done\n")
	return b.Bytes(), nil
}

// quoted is a path as fast-import reads it.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

// commit makes the state a commit, in a folder for its objects. In our repository it
// would be one whose checkpoints are elsewhere, and a fetch would take it for whole.
func (r *remote) commit(ctx context.Context, s *state, before, to string, more []string) (string, error) {
	in, err := s.stream(before)
	if err != nil {
		return "", err
	}
	out, err := r.runWriting(ctx, in, to, more, "fast-import", "--quiet", "--force", "--done")
	if err != nil {
		return "", fmt.Errorf("make a state of the run: %w", err)
	}
	return strings.TrimSpace(out), nil
}
