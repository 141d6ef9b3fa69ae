package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Format is the major version of a run's files. Readers refuse a higher one.
const Format = 1

const metaName = "run.json"

// Meta is run.json: what was known of a run before it began.
type Meta struct {
	Format    int             `json:"format"` // first, so that nothing is read before it
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Procedure string          `json:"procedure"`
	Tree      string          `json:"tree"`
	Linked    *project.Linked `json:"linked,omitempty"` // of a run in a linked work tree of git's
	Version   string          `json:"version"`          // of the program
	StartedAt time.Time       `json:"started_at"`
	Key       string          `json:"key,omitempty"`     // by which its records are sealed
	Project   string          `json:"project,omitempty"` // the folder of the records that it belongs to
	Head      *seal.Mark      `json:"head,omitempty"`    // how far its journal has come at the least; without it there is no head
	Sealed    []string        `json:"sealed,omitempty"`  // files beside it that were written
	Origin    string          `json:"origin,omitempty"`  // of an earlier version's: the id that it was begun with, in the project that this is a copy of

	// Flags and Config are the caller's. They are long, so they stand last and
	// a list of runs does without them.
	Flags  json.RawMessage `json:"flags,omitempty"`
	Config json.RawMessage `json:"config,omitempty"`

	// Gone says that the work tree is no more, and Tree is where it was.
	Gone bool `json:"-"`
}

// NewerError says that a later version wrote the run.
type NewerError struct {
	File   string
	Format int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer version: it has format %d, and this one reads up to %d", e.File, e.Format, Format)
}

// CorruptError says where a file of a run is not what was written.
type CorruptError struct {
	File string
	Line int
	Err  error
}

func (e *CorruptError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

func (e *CorruptError) Unwrap() error { return e.Err }

// corruptAt makes the error for what was found at an offset of a file.
func corruptAt(path string, offset int64, cause error) error {
	line := 1
	if b, err := readSmall(path); err == nil {
		line += bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
	}
	return &CorruptError{File: path, Line: line, Err: cause}
}

// readMeta reads run.json in a run's folder; the brief form has no Flags and no
// Config. The name is that of the folder, where the run is found again; what
// run.json says that it is stands beside it.
func readMeta(dir string, brief bool) (m Meta, called string, err error) {
	path := filepath.Join(dir, metaName)
	f, err := files.OpenFile(path)
	if err != nil {
		return Meta{}, "", err
	}
	defer f.Close()

	dec := json.NewDecoder(f)
	err = m.decode(dec, brief)
	switch {
	case err != nil:
		return Meta{}, "", corruptAt(path, dec.InputOffset(), err)
	case m.Format > Format:
		return Meta{}, "", &NewerError{File: path, Format: m.Format}
	case m.Format < 1 || m.ID == "":
		return Meta{}, "", corruptAt(path, 0, errors.New("it has no format or no id"))
	}
	called, m.Name = m.Name, filepath.Base(dir)
	return m, called, nil
}

// decode reads the fields one by one and stops where the rest does not matter.
func (m *Meta) decode(dec *json.Decoder, brief bool) error {
	fields := map[string]any{
		"format": &m.Format, "id": &m.ID, "procedure": &m.Procedure, "tree": &m.Tree, "linked": &m.Linked,
		"version": &m.Version, "started_at": &m.StartedAt, "key": &m.Key, "origin": &m.Origin,
		"name": &m.Name, "project": &m.Project, "head": &m.Head, "sealed": &m.Sealed, "flags": &m.Flags, "config": &m.Config,
	}
	if open, err := dec.Token(); err != nil {
		return err
	} else if open != json.Delim('{') {
		return fmt.Errorf("it begins with %v, not with an object", open)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if brief && (key == "flags" || key == "config") {
			return nil
		}
		value, known := fields[key.(string)]
		if !known {
			value = new(json.RawMessage)
		}
		if err := dec.Decode(value); err != nil {
			return err
		}
		if m.Format > Format {
			return nil // what follows may mean anything
		}
	}
	_, err := dec.Token()
	return err
}
