package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// say is the agent's own text, as one event each.
func say(texts ...string) []loop.Payload {
	var events []loop.Payload
	for _, text := range texts {
		events = append(events, &loop.AgentText{Text: text})
	}
	return events
}

// listen gives what a detector makes of an attempt that ended well.
func listen(d Detector, events ...loop.Payload) (*loop.Outcome, []loop.Payload) {
	o := &loop.Outcome{Result: loop.OK}
	return o, observe(d, o, events...)
}

func observe(d Detector, o *loop.Outcome, events ...loop.Payload) []loop.Payload {
	for _, p := range events {
		d.Hear(p)
	}
	return d.Report(o)
}

func claimed(o *loop.Outcome) loop.ClaimKind {
	if o.Claim == nil {
		return ""
	}
	return o.Claim.Kind
}

// whys are the reasons of the near misses among the events.
func whys(events []loop.Payload) []string {
	var list []string
	for _, e := range events {
		if r, ok := e.(*loop.ClaimRefused); ok && r.NearMiss {
			list = append(list, r.Why)
		}
	}
	return list
}

const (
	tagDone    = "<promise>DONE</promise>"
	tagBlocked = "<promise>BLOCKED</promise>"
)

var strict = ClaimSettings{Promise: "DONE", Failure: "BLOCKED"}

func TestWhatCountsAsAClaim(t *testing.T) {
	tests := []struct {
		name string
		text []loop.Payload
		want loop.ClaimKind
	}{
		{"the tag alone", say(tagDone), loop.ClaimDone},
		{"the tag alone among other lines", say("All good.\n\n" + tagDone + "\n\nBye."), loop.ClaimDone},
		{"blocked", say(tagBlocked), loop.ClaimBlocked},
		{"blocked wins, whichever comes first", say(tagBlocked, tagDone), loop.ClaimBlocked},
		{"blocked wins, whichever comes last", say(tagDone, tagBlocked), loop.ClaimBlocked},
		{"white space inside and around, three columns before it", say("   <promise>  DONE\t</promise>  \r\n"), loop.ClaimDone},
		{"in an early text, with more after it", say(tagDone, "Here is one more thought."), loop.ClaimDone},
		{"in a text before a tool call", append(append(say(tagDone), &loop.AgentTool{Name: "Bash"}), say("ok")...), loop.ClaimDone},
		{"coloured by the terminal", say("\x1b[1;32m" + tagDone + "\x1b[0m"), loop.ClaimDone},
		{"between two tag lines", say("<promise>\n  DONE\n</promise>"), loop.ClaimDone},
		{"between two tag lines, set in far", say("<promise>\n        DONE\n</promise>"), loop.ClaimDone},
		{"between two tag lines in three texts", say("<promise>", "DONE", "</promise>"), loop.ClaimDone},
		{"after a fence has closed", say("```go\nx := 1\n```\n" + tagDone), loop.ClaimDone},
		{"after code within a line of three backticks", say("```x```\n" + tagDone), loop.ClaimDone},
		{"after a message that left its fence open", append(append(say("```\nx"), &loop.AgentTool{Name: "Bash"}), say(tagDone)...), loop.ClaimDone},
		{"after half a tag", say("<promise>\n" + tagDone), loop.ClaimDone},

		{"nothing said", nil, ""},
		{"not done yet", say("not DONE yet"), ""},
		{"an echoed prompt", say("Say " + tagDone + " when finished"), ""},
		{"the iteration context of others", say("[Iteration 2 of 5. Review your previous work and continue. Output " + tagDone + " when done.]"), ""},
		{"in a sentence over two lines", say("Output\n" + tagDone + " when done."), ""},
		{"with a full stop", say(tagDone + "."), ""},
		{"in bold", say("**" + tagDone + "**"), ""},
		{"as a list item", say("- " + tagDone), ""},
		{"in backticks", say("`" + tagDone + "`"), ""},
		{"in quotes", say(`"` + tagDone + `"`), ""},
		{"in a block quote", say("> " + tagDone), ""},
		{"in a code fence", say("```\n" + tagDone + "\n```"), ""},
		{"in a fence of tildes", say("~~~text\n" + tagDone + "\n~~~"), ""},
		{"in a longer fence that a shorter one does not close", say("````\n```\n" + tagDone + "\n````"), ""},
		{"in a fence of tildes that backticks do not close", say("~~~\n```\n" + tagDone + "\n~~~"), ""},
		{"in a fence that a far indented one does not close", say("```\n    ```\n" + tagDone + "\n```"), ""},
		{"in a fence that opens in a list item", say("- ```js\n  " + tagDone + "\n  ```"), ""},
		{"in a fence that opens in a numbered item", say("1. ```\n   " + tagDone + "\n   ```"), ""},
		{"in a fence that never closes", say("```", tagDone), ""},
		{"indented as code by spaces", say("    " + tagDone), ""},
		{"indented as code by a tab", say("\t" + tagDone), ""},
		{"twice on a line", say(tagDone + " " + tagDone), ""},
		{"another case", say("<promise>done</promise>"), ""},
		{"another case of the tag", say("<Promise>DONE</Promise>"), ""},
		{"another text", say("<promise>COMPLETE</promise>"), ""},
		{"an empty tag", say("<promise></promise>"), ""},
		{"an unclosed tag", say("<promise>DONE"), ""},
		{"halves on the wrong lines", say("<promise>DONE\n</promise>"), ""},
		{"between two tag lines, quoted", say("<promise>\n> DONE\n</promise>"), ""},
		{"between two tag lines in a fence", say("```\n<promise>\nDONE\n</promise>\n```"), ""},
		{"between two tag lines with a tool call", append(append(say("<promise>"), &loop.AgentTool{Name: "Bash"}), say("DONE\n</promise>")...), ""},
		{"between two tag lines far apart", say("<promise>\n" + strings.Repeat("so much to say\n", 400) + "</promise>"), ""},
		{"the bare text", say("DONE"), ""},
		{"only in a tool result", []loop.Payload{&loop.AgentToolResult{Output: tagDone}}, ""},
		{"only in a tool call", []loop.Payload{&loop.AgentTool{Name: "Bash", Input: tagDone}}, ""},
		{"only in the result's text, which repeats or is synthetic", []loop.Payload{&loop.AgentResult{OK: true, Text: tagDone}}, ""},
		{"at the end of a text that was cut there", []loop.Payload{&loop.AgentText{Text: "so\n" + tagDone, Cut: true}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, events := listen(Claims(strict), tt.text...)
			if got := claimed(o); got != tt.want {
				t.Errorf("claim = %q, want %q; events %s", got, tt.want, whys(events))
			}
			if tt.want != "" && (len(events) == 0 || events[0].Type() != "claim.heard") {
				t.Errorf("want claim.heard first, got %v", events)
			}
		})
	}
}

func TestPromisesAreFoldedOnBothSides(t *testing.T) {
	d := Claims(ClaimSettings{Promise: " all \n done "})
	o, _ := listen(d, say("<promise> all\tdone</promise>")...)
	if o.Claim == nil || o.Claim.Text != "all done" || o.Claim.Proven {
		t.Errorf("claim = %+v, want an unproven %q", o.Claim, "all done")
	}
}

func TestAnEmptyPromiseMatchesNothing(t *testing.T) {
	for _, match := range []Match{Line, Tag, Substring} {
		for _, text := range []string{"<promise></promise>", "<promise>x</promise>", "<promise>\n</promise>", "", "anything", "<promise>"} {
			o, events := listen(Claims(ClaimSettings{Match: match}), say(text)...)
			if o.Claim != nil || len(events) > 0 {
				t.Errorf("match %d on %q: claim %v, events %v, want neither", match, text, o.Claim, events)
			}
		}
	}
}

func TestLooserMatches(t *testing.T) {
	tests := []struct {
		name  string
		match Match
		text  []loop.Payload
		want  loop.ClaimKind
	}{
		{"a tag in a sentence", Tag, say("So: " + tagDone + "!"), loop.ClaimDone},
		{"a tag in a fence", Tag, say("```\n" + tagDone + "\n```"), loop.ClaimDone},
		{"a tag that never closes", Tag, say("so <promise> DONE", "and more"), ""},
		{"a tag over texts", Tag, say("so <promise>", " DONE", "</promise> then"), loop.ClaimDone},
		{"a blocked tag wins", Tag, say(tagDone + tagBlocked), loop.ClaimBlocked},
		{"no tag at all", Tag, say("DONE"), ""},
		{"a tag in another case", Tag, say("<promise>done</promise>"), ""},
		{"a tag opened again", Tag, say("the <promise> tag is " + tagDone), loop.ClaimDone},
		{"a tag in a tool result", Tag, []loop.Payload{&loop.AgentToolResult{Output: tagDone}}, ""},

		{"the text in a sentence", Substring, say("Task is DONE now"), loop.ClaimDone},
		{"the text in lower case", Substring, say("task is done"), loop.ClaimDone},
		{"the text in a tag", Substring, say(tagDone), loop.ClaimDone},
		{"another text", Substring, say("still working"), ""},
		{"the text in a tool result", Substring, []loop.Payload{&loop.AgentToolResult{Output: "done"}}, ""},
		{"a loose word of being blocked is none", Substring, say("nothing is blocked"), ""},
		{"a strict word of being blocked wins", Substring, say("done\n" + tagBlocked), loop.ClaimBlocked},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings := strict
			settings.Match = tt.match
			if o, _ := listen(Claims(settings), tt.text...); claimed(o) != tt.want {
				t.Errorf("claim = %q, want %q", claimed(o), tt.want)
			}
		})
	}
}

func TestASubstringMaySpanLines(t *testing.T) {
	settings := ClaimSettings{Promise: "ALL TASKS DONE", Match: Substring}
	if o, _ := listen(Claims(settings), say("Now all", "tasks\n\n  done.")...); claimed(o) != loop.ClaimDone {
		t.Error("a promise broken over lines is not heard")
	}
}

func TestNearMissesSayWhy(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []reason
	}{
		{"other words on the line", "Say " + tagDone + " when finished", []reason{sharesLine}},
		{"bold", "**" + tagDone + "**", []reason{sharesLine}},
		{"backticks", "The tag is `" + tagDone + "`.", []reason{inBackticks}},
		{"quotes", "I say “" + tagDone + "”", []reason{inQuotes}},
		{"a block quote", "> " + tagDone, []reason{inQuotes}},
		{"a fence", "```\n" + tagDone + "\n```", []reason{inFence}},
		{"a fence, over lines", "```\n<promise>\nDONE\n</promise>\n```", []reason{inFence}},
		{"indented", "    " + tagDone, []reason{asCode}},
		{"wrong capitals", "<promise>Done</promise>", []reason{wrongCase}},
		{"wrong capitals of the tag", "<PROMISE>DONE</PROMISE>", []reason{tagCase}},
		{"another text", "<promise>COMPLETE</promise>", []reason{otherText}},
		{"another text, mentioned as code", "a `<promise>TEXT</promise>` tag", nil},
		{"unclosed", "<promise>DONE", []reason{halfTag}},
		{"unclosed on a line of its own", "<promise>\nDONE", []reason{halfTag}},
		{"unopened", "DONE</promise>", []reason{halfTag}},
		{"the tag's name in a sentence", "Use the <promise> tag.", nil},
		{"the bare text", "DONE", []reason{noTag}},
		{"the bare text in a sentence", "I am DONE here", nil},
		{"one reason is told once", "x " + tagDone + "\ny " + tagDone + "\nz " + tagBlocked, []reason{sharesLine}},
		{"several reasons, in order", "DONE\nx " + tagDone + "\n`" + tagDone + "`", []reason{noTag, sharesLine, inBackticks}},
		{"four at most", "DONE\nx " + tagDone + "\n`" + tagDone + "`\n> " + tagDone + "\n    " + tagDone, []reason{noTag, sharesLine, inBackticks, inQuotes}},
		{"none beside a claim that was heard", "x " + tagDone + "\nx " + tagBlocked + "\n" + tagDone, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, events := listen(Claims(strict), say(tt.text)...)
			got := whys(events)
			if len(got) != len(tt.want) {
				t.Fatalf("near misses %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				start, _, _ := strings.Cut(string(want), "%q")
				if !strings.HasPrefix(got[i], start) {
					t.Errorf("near miss %q, want %q", got[i], want)
				}
			}
		})
	}
}

func TestNearMissesNameTheWords(t *testing.T) {
	_, events := listen(Claims(strict), say("<promise>all\x07  of it, "+strings.Repeat("really ", 40)+"</promise>")...)
	got := whys(events)
	if len(got) != 1 || !strings.HasPrefix(got[0], `the tag says "all\a of it, really`) || !strings.Contains(got[0], `…", which is not the promise "DONE"`) || len(got[0]) > 300 {
		t.Errorf("near misses = %q", got)
	}
}

func TestLooserMatchesAlsoSayWhyNot(t *testing.T) {
	settings := strict
	settings.Match = Tag
	_, events := listen(Claims(settings), say("x <promise>done</promise>\n<promise>OTHER</promise>\nand <promise>DONE")...)
	if got := whys(events); len(got) != 3 {
		t.Errorf("near misses = %q, want wrong case, other text and half a tag", got)
	}
}

func TestReasonsAreNoClaims(t *testing.T) {
	for _, r := range []reason{sharesLine, inBackticks, inQuotes, inFence, asCode, wrongCase, tagCase, otherText, halfTag, noTag} {
		if half().MatchString(string(r)) {
			t.Errorf("a tag is in %q", r)
		}
	}
}

func TestClaimsAreWeighedOnlyAfterAGoodEnd(t *testing.T) {
	one := 1
	failed := &loop.Exit{Code: &one, Cause: loop.Exited}
	tests := []struct {
		name  string
		o     loop.Outcome
		gates bool
		want  string // why it is refused; empty: it is heard
	}{
		{"a good end", loop.Outcome{Result: loop.OK}, false, ""},
		{"a bad exit", loop.Outcome{Result: loop.Failed, Exit: failed, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "x"}}, true, "the agent did not end well: exit 1"},
		{"a signal", loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Signal: "KILL", Cause: loop.Signaled}}, true, "the agent did not end well: ended by signal KILL"},
		{"an error", loop.Outcome{Result: loop.Unavailable, Exit: failed, Error: &loop.AgentError{Kind: loop.ErrOverloaded, Message: "try\nlater"}}, true, "the agent did not end well: overloaded try later"},
		{"no final word", loop.Outcome{Result: loop.Failed, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "no final result"}}, true, "the agent did not end well: no final result"},
		{"out of time", loop.Outcome{Result: loop.TimedOut}, true, "the agent did not end well: it ran out of time"},
		{"silence", loop.Outcome{Result: loop.Idle}, true, "the agent did not end well: it was silent for too long"},
		{"an interruption", loop.Outcome{Result: loop.Interrupted}, true, "the agent did not end well: it was interrupted"},
		{"a skip", loop.Outcome{Result: loop.Skipped}, true, "the agent did not end well: skipped"},
		{"a turn limit", loop.Outcome{Result: loop.OK, Error: &loop.AgentError{Kind: loop.ErrMaxTurns}}, true, "the agent was cut short (max_turns)"},
		{"a redline", loop.Outcome{Result: loop.OK, Exit: &loop.Exit{Cause: loop.OnRedline}}, true, "the agent was cut short (redline)"},
		{"pending work and no gates", loop.Outcome{Result: loop.OK, Pending: true}, false, "background work was still running"},
		{"pending work and gates", loop.Outcome{Result: loop.OK, Pending: true}, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings := strict
			settings.Gates = tt.gates
			o := tt.o
			events := observe(Claims(settings), &o, say("x "+tagDone+"\n"+tagDone)...)
			if len(events) != 1 {
				t.Fatalf("events = %v, want one", events)
			}
			if tt.want == "" {
				if _, ok := events[0].(*loop.ClaimHeard); !ok || o.Claim == nil {
					t.Errorf("event %+v, claim %v, want it heard", events[0], o.Claim)
				}
				return
			}
			refused, ok := events[0].(*loop.ClaimRefused)
			if !ok || !strings.HasPrefix(refused.Why, tt.want) || refused.NearMiss || refused.Kind != loop.ClaimDone || refused.Text != "DONE" {
				t.Errorf("event = %+v, want a refusal with %q", events[0], tt.want)
			}
			if o.Claim != nil {
				t.Errorf("claim = %+v, want none", o.Claim)
			}
		})
	}
}

// Only the status is passed over, and only for who has claimed.
func TestAClaimWhateverTheExitStatus(t *testing.T) {
	three := 3
	byStatus := loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Code: &three}, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 3", ByExit: true}}
	bySignal := loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Signal: "KILL", Cause: loop.Signaled}, Error: &loop.AgentError{Kind: loop.ErrAgent, ByExit: true}}
	tests := []struct {
		name, said string
		end        loop.Outcome
		anyExit    bool
		want       loop.Result
		claimed    bool
	}{
		{"it counts", "<promise>DONE</promise>", byStatus, true, loop.OK, true},
		{"not unless asked for", "<promise>DONE</promise>", byStatus, false, loop.Failed, false},
		{"without a claim the status counts", "nearly", byStatus, true, loop.Failed, false},
		{"a signal is no end of its own", "<promise>DONE</promise>", bySignal, true, loop.Failed, false},
		{"nor is running out of time", "<promise>DONE</promise>", loop.Outcome{Result: loop.TimedOut}, true, loop.TimedOut, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Claims(ClaimSettings{Promise: "DONE", AnyExit: tt.anyExit})
			d.Hear(&loop.AgentText{Text: tt.said})
			o := tt.end
			d.Report(&o)
			if o.Result != tt.want || (o.Claim != nil) != tt.claimed {
				t.Errorf("result %s, claim %v; want %s, %v", o.Result, o.Claim, tt.want, tt.claimed)
			}
		})
	}
}

func TestTheClaimThatLosesIsAnEventToo(t *testing.T) {
	_, events := listen(Claims(strict), say(tagDone, tagBlocked)...)
	types := []loop.Type{}
	for _, e := range events {
		types = append(types, e.Type())
	}
	if !slices.Equal(types, []loop.Type{"claim.heard", "claim.refused"}) {
		t.Errorf("events = %v, want blocked heard and done refused", types)
	}
}

func TestBareTag(t *testing.T) {
	tests := []struct {
		name   string
		prompt string
		want   bool
	}{
		{"alone on a line", "Fix it.\n" + tagDone + "\n", true},
		{"in a sentence", "Say " + tagDone + " when finished", false},
		{"in a fence", "Say this:\n```\n" + tagDone + "\n```", false},
		{"another promise", "<promise>OTHER</promise>", false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		if got := BareTag(tt.prompt, "DONE"); got != tt.want {
			t.Errorf("%s: BareTag(%q) = %v, want %v", tt.name, tt.prompt, got, tt.want)
		}
	}
	if BareTag("<promise></promise>", "") {
		t.Error("an empty promise has a bare tag")
	}
}
