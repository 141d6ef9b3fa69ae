// Command wrap wraps Markdown at 100 columns, so that a change of a sentence is a
// change of a line or two. Tables, code and headings stay as they are, and so
// does every paragraph that fits.
//
//	go run ./wrap FILE…         wraps them
//	go run ./wrap -check FILE…  names those that it would change, and fails
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

const columns = 100

func main() {
	check := flag.Bool("check", false, "name files that would change, and change none")
	flag.Parse()
	if err := run(flag.Args(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
}

func run(paths []string, check bool) error {
	var long []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		wrapped := wrap(string(data))
		if wrapped == string(data) {
			continue
		}
		long = append(long, path)
		if check {
			continue
		}
		if err := os.WriteFile(path, []byte(wrapped), 0o644); err != nil {
			return err
		}
	}
	if check && len(long) > 0 {
		return fmt.Errorf("lines of more than %d columns in %s: run scripts/wrap", columns, strings.Join(long, ", "))
	}
	return nil
}

var (
	isFence = regexp.MustCompile("^ *(```|~~~)")
	isItem  = regexp.MustCompile(`^( *)([-*+]|\d+\.) +`)
	// Rules, headings, tables, quotations, HTML, definitions of links.
	isOther = regexp.MustCompile(`^ *(#|\||>|<|\[[^\]]+\]:|(-{3,}|\*{3,}|={3,})$)`)
	// A word that would mean something else at the beginning of a line.
	isMark = regexp.MustCompile(`^([-*+]|\d+[.)]|[#>|=].*|<.*|~~~.*)$`)
)

func wrap(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); {
		if fence := isFence.FindStringSubmatch(lines[i]); fence != nil {
			end := i + 1
			for end < len(lines)-1 && !strings.HasPrefix(strings.TrimLeft(lines[end], " "), fence[1]) {
				end++
			}
			end = min(end+1, len(lines))
			out = append(out, lines[i:end]...)
			i = end
			continue
		}
		end := block(lines, i)
		out = append(out, reflow(lines[i:end])...)
		i = end
	}
	return strings.Join(out, "\n")
}

// block is where the paragraph or list item that begins at a line ends.
func block(lines []string, from int) int {
	if plain(lines[from]) || isItem.MatchString(lines[from]) {
		end := from + 1
		for end < len(lines) && plain(lines[end]) {
			end++
		}
		return end
	}
	return from + 1
}

// plain tells whether a line goes on with the paragraph above it.
func plain(line string) bool {
	return strings.TrimSpace(line) != "" && !isItem.MatchString(line) && !isOther.MatchString(line) && !isFence.MatchString(line)
}

// reflow wraps a paragraph, if it has a line that is too long.
func reflow(lines []string) []string {
	long := false
	for i, line := range lines {
		long = long || utf8.RuneCountInString(line) > columns
		if hard := strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`); hard && i < len(lines)-1 {
			return lines // its line ends mean something
		}
	}
	if !long || !plain(lines[0]) && !isItem.MatchString(lines[0]) {
		return lines
	}
	first := isItem.FindString(lines[0])
	if first == "" {
		first = lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " "))]
		if len(first) >= 4 {
			return lines // code, by its indentation
		}
	}
	lines = append([]string{lines[0][len(first):]}, lines[1:]...)
	var out []string
	line, room := first, true
	for _, word := range words(strings.Join(lines, " ")) {
		switch {
		case room:
			line, room = line+word, false
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= columns || isMark.MatchString(word):
			line += " " + word
		default:
			out = append(out, line)
			line = strings.Repeat(" ", utf8.RuneCountInString(first)) + word
		}
	}
	return append(out, line)
}

// words are what may stand on a line of its own: a code span is one.
func words(text string) []string {
	var list []string
	open := ""
	for word := range strings.FieldsSeq(text) {
		if open != "" {
			open += " " + word
		} else {
			open = word
		}
		if strings.Count(open, "`")%2 == 0 {
			list = append(list, open)
			open = ""
		}
	}
	if open != "" {
		list = append(list, strings.Fields(open)...)
	}
	return list
}
