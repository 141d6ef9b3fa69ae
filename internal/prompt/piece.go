package prompt

import (
	"cmp"
	"context"
	"errors"
	"strings"
)

// Piece is one of several texts that a prompt is put together from: a file,
// which is read anew for every iteration, or a text that is given.
type Piece struct {
	Section string // the heading it stands under; empty is none
	Name    string // what messages call it; empty: its path
	Text    string
	Path    string // as the user wrote it; when set, Text is not used
	Dir     string // what a relative Path is relative to, and what a Text includes from

	// Trusted says that its commands may be run: it is the user's own, or ours.
	Trusted bool
}

// Read gives the text as it is now, front matter and templates as they are
// written. It may be empty: then the piece is left out of the prompt.
func (p Piece) Read() (string, error) { return p.read(context.Background()) }

func (p Piece) read(ctx context.Context) (string, error) {
	text, err := p.source().load(ctx)
	var e *Error
	if errors.As(err, &e) {
		e.Path = cmp.Or(e.Path, p.Name)
	}
	return strings.TrimPrefix(text, mark), err
}

func (p Piece) source() Source { return Source{Text: p.Text, Path: p.Path, Dir: p.Dir} }

// name is what messages call the piece; it may be empty.
func (p Piece) name() string { return cmp.Or(p.Name, p.Path) }

// pieces is what the prompt is put together from. The file that the user named
// as the prompt is the user's own.
func (b *Builder) pieces() []Piece {
	if len(b.Pieces) > 0 {
		return b.Pieces
	}
	s := b.Source
	return []Piece{{Text: s.Text, Path: s.Path, Dir: s.Dir, Trusted: true}}
}

// read gives the text of piece i, or the one that it had first.
func (b *Builder) read(ctx context.Context, i int) (string, error) {
	if text, kept := b.first[i]; kept {
		return text, nil
	}
	text, err := b.load(ctx, i)
	if err == nil && b.Frozen {
		if b.first == nil {
			b.first = map[int]string{}
		}
		b.first[i] = text
	}
	return text, err
}

func (b *Builder) load(ctx context.Context, i int) (string, error) {
	if len(b.Pieces) > 0 {
		return b.Pieces[i].read(ctx)
	}
	return b.Source.read(ctx)
}
