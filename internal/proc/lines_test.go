package proc

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// piece is one call of a sink.
type piece struct {
	text string
	more bool
}

// cut feeds the chunks and gives the pieces.
func cut(max int, chunks ...[]byte) []piece {
	var got []piece
	l := lines{max: max, line: func(line []byte, more bool) { got = append(got, piece{string(line), more}) }}
	for _, c := range chunks {
		l.write(c)
	}
	l.end()
	return got
}

func TestALineIsCutOnlyWhenItIsTooLong(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []piece
	}{
		{"as long as allowed", "abcd\n", []piece{{"abcd", false}}},
		{"as long as allowed, without newline", "abcd", []piece{{"abcd", false}}},
		{"one longer", "abcde\n", []piece{{"abcd", true}, {"e", false}}},
		{"twice as long", "abcdefgh", []piece{{"abcd", true}, {"efgh", false}}},
		{"a short line after a long one", "abcde\nx\n", []piece{{"abcd", true}, {"e", false}, {"x", false}}},
	}
	for _, tt := range tests {
		whole := cut(4, []byte(tt.stream))
		byBytes := cut(4, bytes.SplitAfter([]byte(tt.stream), nil)...)
		if !slices.Equal(whole, tt.want) || !slices.Equal(byBytes, tt.want) {
			t.Errorf("%s: %q gives %v at once and %v byte by byte, want %v", tt.name, tt.stream, whole, byBytes, tt.want)
		}
	}
}

// joined puts the pieces together again.
func joined(pieces []piece) []string {
	var all []string
	line := ""
	for _, p := range pieces {
		line += p.text
		if !p.more {
			all, line = append(all, line), ""
		}
	}
	return all
}

// split is what a reader of the whole stream would see.
func split(stream string) []string {
	all := strings.Split(stream, "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	}
	return all
}

func checkPieces(t interface{ Errorf(string, ...any) }, max int, chunks [][]byte) {
	pieces := cut(max, chunks...)
	for i, p := range pieces {
		if len(p.text) > max || p.more && len(p.text) != max {
			t.Errorf("piece %d has %d bytes, at most %d allowed, more = %v", i, len(p.text), max, p.more)
		}
	}
	stream := string(bytes.Join(chunks, nil))
	if got, want := joined(pieces), split(stream); !slices.Equal(got, want) {
		t.Errorf("%q in %d chunks gives %q, want %q", stream, len(chunks), got, want)
	}
}

func TestPiecesMakeUpTheStreamHoweverItArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunk := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n\x00\xff")), 0, 12)
		checkPieces(t, rapid.IntRange(1, 8).Draw(t, "max"), rapid.SliceOf(chunk).Draw(t, "chunks"))
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb"), uint8(3), uint8(1))
	f.Add([]byte("\n\n\xff\x00\n"), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, stream []byte, max, chunk uint8) {
		checkPieces(t, int(max)+1, slices.Collect(slices.Chunk(stream, int(chunk)+1)))
	})
}
