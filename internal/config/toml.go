package config

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// document is a TOML file by the name that people are shown.
type document struct {
	file string
	tomlfile.Document
}

// at is the place of a key of the document.
func (d document) at(path []string) place {
	at := d.At(path)
	if at.Line == 0 {
		return place{}
	}
	return place{file: d.file, line: at.Line, col: at.Col}
}

// maxFileSize is more than any file of settings has.
const maxFileSize = 4 << 20

// readDocument reads a file that may be missing; then the document is empty.
func readDocument(path, shown string) (document, *Problem) {
	data, err := files.ReadFile(context.Background(), path, maxFileSize)
	if errors.Is(err, os.ErrNotExist) {
		return document{file: shown}, nil
	}
	if err != nil {
		var failed *os.PathError
		if errors.As(err, &failed) {
			err = failed.Err // the path is shown already
		}
		p := place{file: shown}.problem("", fmt.Sprintf("cannot be read: %v", err), "make it a file that you may read, or move it away")
		return document{}, &p
	}
	return parseDocument(data, shown)
}

func parseDocument(data []byte, shown string) (document, *Problem) {
	doc, bad := tomlfile.Parse(data)
	if bad != nil {
		p := place{file: shown, line: bad.Line, col: bad.Col}.problem("", bad.What, bad.Hint)
		return document{}, &p
	}
	return document{shown, doc}, nil
}
