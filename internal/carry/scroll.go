package carry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// How many small pieces a journal may be in before they are made one. Each push that has
// news adds one, and every state lists them all.
const (
	mostSmall  = 64
	smallPiece = 1 << 20
)

// scroll is the journal of a run in its pieces.
type scroll struct {
	pieces []int // how long each is
	sum    hash.Hash
	small  [][]byte // the last pieces, as far as they are small
}

// follow is a journal that goes on from that of the card before: the pieces that are
// there stay.
func follow(before *Card, journal []byte) (*scroll, error) {
	s := &scroll{sum: sha256.New()}
	if before == nil {
		s.add(journal)
		return s, nil
	}
	known := 0
	for _, n := range before.Chunks {
		known += n
	}
	if known > len(journal) || before.Begun() && sumOf(journal[:known]) != before.Sum {
		return nil, errors.New("the journal here does not go on from what was carried away before")
	}
	at := 0
	for _, n := range before.Chunks {
		s.take(journal[at : at+n])
		at += n
	}
	s.add(journal[known:])
	return s, nil
}

// add takes in what is new, and tells from which piece on others are there than before.
func (s *scroll) add(text []byte) (from int) {
	from = len(s.pieces)
	for len(text) > 0 {
		n := min(len(text), mostPiece)
		s.take(text[:n])
		text = text[n:]
	}
	return from
}

func (s *scroll) take(piece []byte) {
	s.pieces = append(s.pieces, len(piece))
	s.sum.Write(piece)
	if len(piece) >= smallPiece {
		s.small = nil
		return
	}
	s.small = append(s.small, piece)
}

// crowded tells whether there are too many small pieces.
func (s *scroll) crowded() bool { return len(s.small) > mostSmall }

// join makes the small pieces one, and tells which that is, what it holds, and how many
// pieces there were before.
func (s *scroll) join() (at int, all []byte, before int) {
	for _, piece := range s.small {
		all = append(all, piece...)
	}
	before = len(s.pieces)
	at = before - len(s.small)
	s.pieces = append(s.pieces[:at:at], len(all))
	s.small = nil
	if len(all) < smallPiece {
		s.small = [][]byte{all}
	}
	return at, all, before
}

// note has a card speak of the journal.
func (s *scroll) note(c *Card) {
	c.Chunks, c.Sum = append([]int{}, s.pieces...), hex.EncodeToString(s.sum.Sum(nil))
}
