package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/seal"
)

// Trail is a run that leaves again and again, as far as it has got, while its runner
// goes on writing. What has left is not read again.
type Trail struct {
	border Border
	name   string

	path  string
	chain seal.Chain
	walk  *seal.Walk
	at    int64     // of the journal, up to which it has left
	left  hash.Hash // of that, without seals
	bytes int       // and how long it is
}

// Trail begins before the first event of a run.
func (b Border) Trail(name string) (*Trail, error) {
	s := b.Store
	m, err := s.meta(name, false)
	if err != nil {
		return nil, err
	}
	if m.Key == "" || m.Head == nil || !s.keys.seals() {
		return nil, &NotSealedError{Run: name}
	}
	t := &Trail{border: b, name: name, path: filepath.Join(s.dir(name), journalName), chain: s.keys.chainOf(m)}
	if t.chain.Lost {
		return nil, &LostKeyError{Run: name, File: t.chain.KeyFile}
	}
	t.begin()
	return t, nil
}

func (t *Trail) begin() {
	t.walk, t.at, t.left, t.bytes = t.chain.Walk(), 0, sha256.New(), 0
}

// More is what the journal has got since it was last asked for, without seals. It is a
// *TamperedError where somebody else has written there: nothing of that leaves.
func (t *Trail) More() ([]byte, error) {
	more, err := t.read()
	if err == nil || t.at == 0 {
		return more, err
	}
	// The file may be another one: a runner puts its journal back when it is gone.
	was, n := t.left.Sum(nil), t.bytes
	t.begin()
	all, err := t.read()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(all[:min(n, len(all))])
	if n > len(all) || !bytes.Equal(sum[:], was) {
		return nil, &TamperedError{What: journalName + " is another than what has left of it"}
	}
	return all[n:], nil
}

// read reads on from where the last read has ended.
func (t *Trail) read() ([]byte, error) {
	f, size, err := openSized(t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size < t.at {
		return nil, &TamperedError{What: journalName + " has become shorter"}
	}
	text, err := io.ReadAll(io.NewSectionReader(f, t.at, size-t.at))
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // the last one may be under way
	plain := []byte{}
	for line := range bytes.Lines(text) {
		line = line[:len(line)-1]
		if _, _, err := decodeLine(line); err != nil {
			continue // no event, and so nothing is believed of it
		}
		if !t.walk.Believes(line) {
			return nil, &TamperedError{What: journalName + " has an event that no runner wrote"}
		}
		plain = appendPlain(plain, line)
	}
	t.at += int64(len(text))
	t.bytes += len(plain)
	t.left.Write(plain)
	return plain, nil
}

// appendPlain appends a line of a journal without its seal.
func appendPlain(to, line []byte) []byte {
	body, _ := seal.Unseal(line)
	body = body[max(0, bytes.LastIndex(body, []byte(seal.EventStart))):] // it may run on from half a line
	return append(append(to, body...), "}\n"...)
}

// Luggage is what lies beside the journal as it is now, and no journal.
func (t *Trail) Luggage() (Luggage, error) {
	m, err := t.border.Store.meta(t.name, false)
	if err != nil {
		return Luggage{}, err
	}
	r := records{t.border.Store.dir(t.name), m, t.chain}
	besides := map[string]*beside{}
	for _, name := range besideNames {
		content, misfit, err := r.misfitFile(name, name == metaName)
		if err == nil && misfit != "" {
			err = &TamperedError{What: misfit}
		}
		if err != nil {
			return Luggage{}, err
		}
		if content != nil {
			besides[name] = &beside{content: content}
		}
	}
	return t.border.luggage(m, besides)
}

// luggage is a run without its journal: what no seal of this place closes.
func (b Border) luggage(m Meta, besides map[string]*beside) (l Luggage, err error) {
	l = Luggage{ID: m.ID, Name: m.Name, Beside: map[string][]byte{}}
	bare := b.Store.keys.under(m, nil)
	bare.Tree, bare.Linked = "", nil
	if l.Meta, err = json.MarshalIndent(bare, "", "  "); err != nil {
		return l, err
	}
	for _, name := range besideTravels {
		f := besides[name]
		if f == nil {
			continue
		}
		l.Beside[name], _, _ = seal.Chain{}.UnsealFile("", f.content)
		if name != guardedName {
			continue
		}
		if l.Beside[name], err = ofTheTree(l.Beside[name]); err != nil {
			return l, fmt.Errorf("read %s of %s: %w", guardedName, m.Name, err)
		}
	}
	return l, nil
}
