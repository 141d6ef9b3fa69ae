package carry

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// However a journal grows, its pieces are the whole of it, few, and as they were where
// they are not joined.
func TestAScrollIsTheJournal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []byte
		var have [][]byte // as they are in the state
		var card Card
		s, err := follow(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		grow := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 200).Draw(t, "pieces")
		large := rapid.IntRange(-1, 199).Draw(t, "large")
		again := rapid.IntRange(0, 199).Draw(t, "again")
		for i, n := range grow {
			if i == large {
				n = smallPiece
			}
			text := bytes.Repeat([]byte{byte(i)}, n)
			all = append(all, text...)
			if i == again { // another runner goes on
				if s, err = follow(&card, all); err != nil {
					t.Fatal(err)
				}
				if n > 0 {
					have = append(have, text)
				}
			} else if from := s.add(text); from < len(s.pieces) {
				have = append(have, text)
			}
			if s.crowded() {
				at, joined, before := s.join()
				if before != len(have) {
					t.Fatalf("%d pieces were joined, there are %d", before, len(have))
				}
				have = append(have[:at:at], joined)
			}
			s.note(&card)
			if card.Sum != sumOf(all) || !bytes.Equal(bytes.Join(have, nil), all) || len(card.Chunks) != len(have) || len(have) > 3*mostSmall {
				t.Fatalf("after %d: %v", i, card.Chunks)
			}
			for i, n := range card.Chunks {
				if n != len(have[i]) {
					t.Fatalf("piece %d is %d long, not %d", i, len(have[i]), n)
				}
			}
		}
	})
}

func TestAScrollOfAnotherJournal(t *testing.T) {
	var card Card
	s, _ := follow(nil, []byte("one\n"))
	s.note(&card)
	for _, journal := range []string{"", "on", "two\n", "One\nmore\n"} {
		if _, err := follow(&card, []byte(journal)); err == nil {
			t.Errorf("%q goes on from %q", journal, "one\n")
		}
	}
}
