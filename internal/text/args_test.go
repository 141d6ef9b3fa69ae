package text

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitReadsAsAShellWould(t *testing.T) {
	tests := []struct {
		name, line string
		want       []string
	}{
		{"words", "claude -p", []string{"claude", "-p"}},
		{"blanks of any kind and number", "  a \t b\nc\r\n", []string{"a", "b", "c"}},
		{"nothing", "", nil},
		{"only blanks", "  ", nil},
		{"single quotes keep everything", `a 'b "c" \ $d'`, []string{"a", `b "c" \ $d`}},
		{"double quotes keep blanks", `a "b c"`, []string{"a", "b c"}},
		{"a backslash in double quotes", `"a\"b\\c\$d\e"`, []string{`a"b\c$d\e`}},
		{"a backslash outside quotes", `a\ b \'c\" \\`, []string{"a b", `'c"`, `\`}},
		{"quotes inside a word", `--name='a b'"c d"e`, []string{"--name=a bc de"}},
		{"an empty argument", `a '' ""`, []string{"a", "", ""}},
		{"a line that goes on below", "a \\\n b\"c\\\nd\"", []string{"a", "bcd"}},
		{"nothing is expanded", "$HOME * ~ `x` a|b; #c", []string{"$HOME", "*", "~", "`x`", "a|b;", "#c"}},
		{"letters beyond ASCII", `grüß "🙂 b"`, []string{"grüß", "🙂 b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SplitArgs(tt.line)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("SplitArgs(%q) = %q, %v, want %q", tt.line, got, err, tt.want)
			}
		})
	}
}

func TestSplitRefusesWhatIsNotFinished(t *testing.T) {
	for _, line := range []string{`a 'b`, `a "b`, `a "b\`, `a "b\"`, `a\`} {
		if got, err := SplitArgs(line); err == nil {
			t.Errorf("SplitArgs(%q) = %q, want an error", line, got)
		}
	}
}

func TestJoinQuotesOnlyWhatNeedsIt(t *testing.T) {
	args := []string{"sh", "-c", "echo it's", "", "--model=x/y", "$HOME"}
	const want = `sh -c 'echo it'\''s' '' --model=x/y '$HOME'`
	if got := JoinArgs(args); got != want {
		t.Errorf("Join(%q) = %s, want %s", args, got, want)
	}
}

func TestSplitUndoesJoin(t *testing.T) {
	arg := rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune(" \t\n'\"\\$`ab"))),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOf(arg).Draw(t, "args")
		line := JoinArgs(args)
		got, err := SplitArgs(line)
		if err != nil || !slices.Equal(got, args) {
			t.Fatalf("SplitArgs(Join(%q)) = %q, %v (joined: %s)", args, got, err, line)
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(`sh -c 'echo "hi"'`)
	f.Add(`a\ b "c\"d" ''`)
	f.Add(`unclosed "`)
	f.Fuzz(func(t *testing.T, line string) {
		args, err := SplitArgs(line)
		if err != nil {
			return
		}
		again, err := SplitArgs(JoinArgs(args))
		if err != nil || !slices.Equal(again, args) {
			t.Errorf("SplitArgs(%q) = %q, but joined and split again %q, %v", line, args, again, err)
		}
	})
}
