// Package review is what somebody who looks through a run decides about, apart from
// doing it: the hunks of a change, and what the commits say that are made of it.
//
// It touches nothing. Package history drops and commits.
package review

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Hunk is a place at which a file was changed. Its JSON names are a promise to
// scripts.
type Hunk struct {
	N     int    `json:"n"` // by which it is named, from 1
	Head  string `json:"head"`
	Added int    `json:"lines_added"`
	Gone  int    `json:"lines_removed"`

	Lines []string `json:"-"` // with their signs and ends, as in the diff
	from  int      // the line of the old file that it begins with, from 0
	takes int      // how many lines of the old file it stands for
}

// Hunks reads the diff of one file, as git prints it. What is no text has none.
func Hunks(diff []byte) []Hunk {
	var list []Hunk
	old, fresh := 0, 0 // lines that the hunk still has of each side
	for line := range bytes.Lines(diff) {
		line := string(line)
		if old == 0 && fresh == 0 && !strings.HasPrefix(line, `\`) {
			head, ok := text.HunkHead(line)
			if !ok {
				continue
			}
			h := Hunk{N: len(list) + 1, Head: strings.TrimRight(line, "\r\n"), from: head.Before.From - 1, takes: head.Before.Lines}
			if h.takes == 0 { // then it names the line before it
				h.from++
			}
			old, fresh = h.takes, head.After.Lines
			list = append(list, h)
			continue
		}
		if len(list) == 0 {
			continue
		}
		h := &list[len(list)-1]
		h.Lines = append(h.Lines, line)
		switch {
		case strings.HasPrefix(line, "+"):
			fresh--
			h.Added++
		case strings.HasPrefix(line, "-"):
			old--
			h.Gone++
		case !strings.HasPrefix(line, `\`):
			old--
			fresh--
		}
	}
	return list
}

// Keep is a file with some of its hunks, and without the others: was is what it held
// before all of them.
func Keep(was []byte, hunks []Hunk) ([]byte, error) {
	var lines [][]byte
	for line := range bytes.Lines(was) {
		lines = append(lines, line)
	}
	var out bytes.Buffer
	at := 0
	for _, h := range hunks {
		if h.from < at || h.from+h.takes > len(lines) {
			return nil, fmt.Errorf("hunk %d does not fit its file", h.N)
		}
		for _, line := range lines[at:h.from] {
			out.Write(line)
		}
		at = h.from + h.takes
		for i, line := range h.Lines {
			if strings.HasPrefix(line, "-") || strings.HasPrefix(line, `\`) {
				continue
			}
			text := line[1:]
			if i+1 < len(h.Lines) && strings.HasPrefix(h.Lines[i+1], `\`) { // no newline at the end of the file
				text = strings.TrimSuffix(text, "\n")
			}
			out.WriteString(text)
		}
	}
	for _, line := range lines[at:] {
		out.Write(line)
	}
	return out.Bytes(), nil
}
