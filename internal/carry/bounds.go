package carry

import (
	"bytes"
	"context"
	"fmt"
)

// What a remote gives may be of any size, so that is looked at before it is read into
// memory.

// mostListing is how long a list of files may be: of as many as there may be, with names
// that are longer than a runner's.
const mostListing = 64 << 20

// cardFits refuses a card by how large it is; -1: there is none.
func cardFits(size int64) error {
	switch {
	case size < 0:
		return &ForeignError{What: "it has no card"}
	case size > mostMeta:
		return &ForeignError{What: fmt.Sprintf("its card is too large: %d bytes", size)}
	}
	return nil
}

var errTooMuch = &ForeignError{What: "there is too much of it"}

// bounded takes in no more than so much.
type bounded struct {
	bytes.Buffer
	most   int
	over   bool
	enough context.CancelCauseFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > b.most; b.over {
		b.enough(errTooMuch)
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
