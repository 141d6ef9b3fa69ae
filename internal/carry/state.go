package carry

import (
	"bytes"
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
	card    Card
	luggage journal.Luggage
	files   map[string][]byte // by their names in the tree
}

// lay puts everything of a run in its place.
func lay(card Card, l journal.Luggage, runDir string, hide *redact.Redactor) (*state, error) {
	s := &state{card: card, luggage: l, files: map[string][]byte{metaName: l.Meta}}
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
	if len(told) > 0 { // these are sealed as they are, so nothing can be taken out of them
		slices.Sort(told)
		return nil, &SecretError{told, true}
	}
	at := 0
	for i, n := range card.Chunks {
		s.files[chunkName(i)] = l.Journal[at : at+n]
		at += n
	}
	if err := s.attempts(runDir, l, hide); err != nil {
		return nil, err
	}
	total := int64(0)
	for name, b := range s.files {
		if total += int64(len(b)); int64(len(b)) > mostOf(name) {
			return nil, tooLarge(card.Name, name)
		}
	}
	return s, fits(len(s.files)+1, total) // the card comes on top
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

// attempts takes along what lies in the folders of the attempts.
func (s *state) attempts(runDir string, l journal.Luggage, hide *redact.Redactor) error {
	root := filepath.Join(runDir, attemptsDir)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	newest := ""
	for _, e := range entries {
		newest = max(newest, e.Name())
	}
	s.card.Cut = nil
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err // what is no file is not a runner's
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
		most := int64(mostFile)
		if strings.Split(name, "/")[1] == newest {
			most = mostNewest
		}
		if info.Size() > most {
			s.card.Cut = append(s.card.Cut, Cut{name, info.Size()})
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

// stream is the state as git fast-import reads it: a commit with these parents, the
// first of which is the state before.
func (s *state) stream(before string) ([]byte, error) {
	var b bytes.Buffer
	data := func(content []byte) { fmt.Fprintf(&b, "data %d\n%s\n", len(content), content) }
	fmt.Fprintf(&b, "feature done\ncommit refs/refrain/making\nmark :1\ncommitter refrain <refrain@localhost> %d +0000\n", s.card.At.Unix())
	data(fmt.Appendf(nil, "%s: leg %d, %s", s.card.Name, s.card.Leg, s.card.State))
	word := "from"
	for _, parent := range []string{before, s.card.Checkpoint, s.card.Head} {
		if parent != "" {
			fmt.Fprintf(&b, "%s %s\n", word, parent)
			word = "merge"
		}
	}
	b.WriteString("deleteall\n")
	card, err := json.MarshalIndent(s.card, "", "  ")
	if err != nil {
		return nil, err
	}
	s.files[cardName] = append(card, '\n')
	for name, content := range s.files {
		fmt.Fprintf(&b, "M 100644 inline %s\n", quoted(name))
		data(content)
	}
	fmt.Fprintf(&b, "\nget-mark :1\nreset refs/refrain/making\nfrom %s\n\ndone\n", strings.Repeat("0", len(s.card.Head))) // no ref of ours is to name it
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
