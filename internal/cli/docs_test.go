package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docPages are the pages that show people what to type.
func docPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages found (%v)", len(pages), err)
	}
	return append(pages, "../../README.md")
}

// Every command of the docs is one that the program takes: its flags exist, and
// its arguments fit.
func TestCommandsOfTheDocsAreUnderstood(t *testing.T) {
	seen := 0
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range typed(string(text)) {
			seen++
			if err := understood(line.words); err != nil {
				t.Errorf("%s:%d: %s\n\t%v", filepath.Base(page), line.number, strings.Join(line.words, " "), err)
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d commands found", seen)
	}
}

// A command that is not there, a flag that is not there and arguments that do not
// fit are found in a page.
func TestCommandsThatAreNotUnderstood(t *testing.T) {
	for _, text := range []string{"`refrain dance`", "`refrain run --untl DONE`", "```sh\ncd x && refrain status --jsn | jq .\n```", "```\n$ refrain status a b c\n```"} {
		lines := typed(text)
		if len(lines) != 1 {
			t.Errorf("%q has %d commands", text, len(lines))
			continue
		}
		if understood(lines[0].words) == nil {
			t.Errorf("%q is understood", text)
		}
	}
}

// typedLine is a command of ours in a page.
type typedLine struct {
	number int
	words  []string // after "refrain"
}

var (
	fence  = regexp.MustCompile("^ *```([a-z]*)$")
	inline = regexp.MustCompile("`refrain( [^`]*)?`")
	// inShell is where a command of ours begins in a line for the shell.
	inShell = regexp.MustCompile(`(^|[|;&(] *|\bdo +|\) +|\$ )refrain(\s|$)`)
)

// typed finds the commands in a page: in blocks for the shell, after a prompt in
// other blocks, and in the text.
func typed(page string) []typedLine {
	var lines []typedLine
	open, shell := false, false
	for number, line := range slices.Collect(strings.Lines(page)) {
		line = strings.TrimRight(line, "\n")
		if f := fence.FindStringSubmatch(line); f != nil {
			open, shell = !open, f[1] == "sh"
			continue
		}
		switch {
		case open && (shell || strings.HasPrefix(line, "$ ")):
			for _, at := range inShell.FindAllStringIndex(line, -1) {
				lines = append(lines, typedLine{number + 1, words(line[at[1]:])})
			}
		case !open:
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				lines = append(lines, typedLine{number + 1, words(strings.NewReplacer("[", "", "]", "", "…", "").Replace(m[1]))})
			}
		}
	}
	return lines
}

// words are those of a command up to its end, as a shell would have them.
func words(line string) []string {
	var all []string
	word, quote, some := "", rune(0), false
	end := func() {
		if strings.HasPrefix(word, "$(") {
			word = "1" // what a command prints; a number will do for any flag that has one
		}
		if some {
			all = append(all, word)
		}
		word, some = "", false
	}
	for i, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, some = r, true
		case strings.ContainsRune("|;&<>)", r), r == '#' && !some:
			end()
			return all
		case r == ' ' || r == '\t':
			end()
		default:
			word, some = word+line[i:i+len(string(r))], true
		}
	}
	end()
	return all
}

func understood(args []string) error {
	root := newRoot(&shell{console: console{in: strings.NewReader(""), out: io.Discard, err: io.Discard}})
	root.InitDefaultVersionFlag()
	args, _ = wantsAll(args)
	args = asRun(root, args)
	if len(args) > 1 && args[0] == "-C" {
		args = args[2:] // cobra looks for the command behind it
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd == root && len(cmd.Flags().Args()) > 0 {
		return fmt.Errorf("there is no command %q", cmd.Flags().Args()[0])
	}
	if len(rest) == 0 {
		return nil // it is only named
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
