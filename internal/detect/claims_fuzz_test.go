package detect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// mayClaim is the least that a strict claim needs, told without knowing about
// fences or quotes: a line that is the tag, or a line that opens it, then one
// that closes it.
func mayClaim(said string) bool {
	opened := false
	for line := range strings.SplitSeq(said, "\n") {
		line = text.Fold(text.StripEscapes(line))
		inner, isTag := strings.CutPrefix(line, "<promise>")
		inner, closed := strings.CutSuffix(inner, "</promise>")
		switch {
		case isTag && closed && strings.TrimSpace(inner) == "DONE":
			return true
		case line == "<promise>":
			opened = true
		case line == "</promise>" && opened:
			return true
		}
	}
	return false
}

func FuzzClaims(f *testing.F) {
	for _, text := range []string{
		tagDone, "x " + tagDone, "```\n" + tagDone + "\n```", "<promise>\nDONE\n</promise>", "> " + tagDone,
		"\x1b[1m" + tagDone + "\x1b[0m\r\n", "<promise>DONE\n</promise>", "- ~~~\n  " + tagDone, "<promiſe>DONE</promiſe>",
		"<promise>\n" + tagDone + tagBlocked, "</promise><promise>", "DONE\n`" + tagDone + "`", "\t" + tagDone + "\xff",
	} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(0xa5))
	}
	f.Fuzz(func(t *testing.T, text string, cuts uint8) {
		if strings.HasSuffix(text, "\n") {
			return // the split below would add an empty line at the end
		}
		for _, match := range []Match{Line, Tag, Substring} {
			settings := ClaimSettings{Promise: "DONE", Failure: "BLOCKED", Match: match}
			o, events := listen(Claims(settings), say(text)...)
			if match == Line && claimed(o) == loop.ClaimDone && !mayClaim(text) {
				t.Errorf("%q is heard as done", text)
			}
			for _, why := range whys(events) {
				if again, _ := listen(Claims(settings), say(why)...); match == Line && again.Claim != nil {
					t.Errorf("the reason %q is itself a claim", why)
				}
			}
			parts, partEvents := listen(Claims(settings), say(splitLines(text, cuts)...)...)
			if !reflect.DeepEqual(parts, o) || !reflect.DeepEqual(partEvents, events) {
				t.Errorf("match %d, %q: in parts %q it is %v %v, whole %v %v", match, text, splitLines(text, cuts), parts.Claim, partEvents, o.Claim, events)
			}
		}
	})
}

// splitLines breaks a text at some of its line ends, as the bits of cuts say.
func splitLines(text string, cuts uint8) []string {
	parts := []string{""}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
			parts[0] = line
		case cuts>>(i%8)&1 == 1:
			parts = append(parts, line)
		default:
			parts[len(parts)-1] += "\n" + line
		}
	}
	return parts
}
