// Package review is what somebody who looks through a run decides about, apart from
// doing it: the hunks of a change, and what the commits say that are made of it.
//
// It touches nothing. Package history drops and commits.
package review

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
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

var head = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// Hunks reads the diff of one file, as git prints it. What is no text has none.
func Hunks(diff []byte) []Hunk {
	var list []Hunk
	old, fresh := 0, 0 // lines that the hunk still has of each side
	for line := range bytes.Lines(diff) {
		text := string(line)
		if old == 0 && fresh == 0 && !strings.HasPrefix(text, `\`) {
			m := head.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			h := Hunk{N: len(list) + 1, Head: strings.TrimRight(text, "\r\n"), from: count(m[1]) - 1, takes: count(m[2])}
			if h.takes == 0 { // then it names the line before it
				h.from++
			}
			old, fresh = h.takes, count(m[3])
			list = append(list, h)
			continue
		}
		if len(list) == 0 {
			continue
		}
		h := &list[len(list)-1]
		h.Lines = append(h.Lines, text)
		switch {
		case strings.HasPrefix(text, "+"):
			fresh--
			h.Added++
		case strings.HasPrefix(text, "-"):
			old--
			h.Gone++
		case !strings.HasPrefix(text, `\`):
			old--
			fresh--
		}
	}
	return list
}

// count is a number of a hunk's head, where none is 1.
func count(text string) int {
	if text == "" {
		return 1
	}
	n, _ := strconv.Atoi(text) // the pattern lets digits through
	return n
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
