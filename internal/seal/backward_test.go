package seal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBackwardPassesOverATornTail(t *testing.T) {
	tests := []struct {
		name string
		file string
		want []string
	}{
		{"an empty file", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"lines come last first", "a\nb\nc\n", []string{"c", "b", "a"}},
		{"half a line after them", "a\nb\nhal", []string{"b", "a"}},
		{"nothing but half a line", "hal", nil},
		{"NULs after them", "a\nb\n\x00\x00\x00", []string{"b", "a"}},
		{"a last line that became NULs in part", "a\nb\n{\"x\x00\x00\x00\"}\n", []string{"b", "a"}},
		{"several of these", "a\n\x00\n\x00\n\x00", []string{"a"}},
		{"NULs in the middle are not a tail", "a\n\x00\nb\n", []string{"b", "\x00", "a"}},
		{"an empty line is a line", "a\n\nb\n", []string{"b", "", "a"}},
		{"only newlines", "\n\n", []string{"", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := backwardLines(t, tt.file); !slices.Equal(got, tt.want) {
				t.Errorf("backward(%q) = %q, want %q", tt.file, got, tt.want)
			}
		})
	}
}

func backwardLines(t rapid.TB, file string) []string {
	var list []string
	for l, err := range Backward(strings.NewReader(file), int64(len(file))) {
		if err != nil {
			t.Fatal(err)
		}
		if file[l.Start:l.End()] != string(l.Text)+"\n" {
			t.Fatalf("the line %q is said to be at %d", l.Text, l.Start)
		}
		list = append(list, string(l.Text))
	}
	return list
}

func TestBackwardIsForwardReversed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Lengths around the size of a block, where blocks and lines meet.
		length := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(BlockSize-2, BlockSize+2), rapid.IntRange(0, 5*BlockSize))
		var want []string
		var file strings.Builder
		for i, n := range rapid.SliceOfN(length, 0, 6).Draw(t, "lengths") {
			text := strings.Repeat(string(rune('a'+i)), n)
			want = append(want, text)
			file.WriteString(text + "\n")
		}
		slices.Reverse(want)
		if got := backwardLines(t, file.String()); !slices.Equal(got, want) {
			t.Errorf("got %d lines, want %d", len(got), len(want))
		}
	})
}

func TestBackwardEndsWithTheErrorOfAFileThatShrank(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789\n"), BlockSize)
	var err error
	n := 0
	shrinking := &shrinkingReader{Reader: bytes.NewReader(long), reads: 1}
	for _, err = range Backward(shrinking, int64(len(long))) {
		n++
	}
	if err == nil || n == 0 {
		t.Errorf("backward gave %d lines and the error %v, want some and an error", n, err)
	}
}

// shrinkingReader has nothing left after some reads.
type shrinkingReader struct {
	*bytes.Reader
	reads int
}

func (r *shrinkingReader) ReadAt(b []byte, off int64) (int, error) {
	if r.reads--; r.reads < 0 {
		return bytes.NewReader(nil).ReadAt(b, off)
	}
	return r.Reader.ReadAt(b, off)
}
