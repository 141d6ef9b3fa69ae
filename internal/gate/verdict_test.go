package gate

import (
	"strings"
	"testing"
)

func TestJudgement(t *testing.T) {
	const pass, fail = "<verdict>pass</verdict>", "<verdict>fail: no tests</verdict>"
	for _, tt := range []struct{ name, text, why string }{
		{"pass", "Fine.\n\n" + pass + "\n", ""},
		{"fail", "Hm.\n" + fail, "the reviewer: no tests"},
		{"fail without a reason", "<verdict>fail</verdict>", noReason},
		{"case and spaces do not matter", "<Verdict> PASS </verdict>  \r\n", ""},
		{"the last of several reasons", "<verdict>fail: a</verdict>\n<verdict>fail: b</verdict>", "the reviewer: b"},
		{"pass, twice", pass + "\n" + pass, ""},
		{"nothing", "", noVerdict},
		{"no verdict", "It looks good to me: pass.", noVerdict},
		{"both", fail + "\nOn second thoughts:\n" + pass, unclearVerdict},
		{"another word", "<verdict>maybe</verdict>", unclearVerdict},
		{"more than pass", "<verdict>pass, but see above</verdict>", unclearVerdict},
		{"failing is another word", "<verdict>failover works</verdict>", unclearVerdict},
		{"two on a line", pass + pass, unclearVerdict},
		{"not alone on its line", "My verdict: " + pass, noVerdict},
		{"words after it", pass + " and that is that", noVerdict},
		{"in backticks", "`" + pass + "`", noVerdict},
		{"in quotes", `"` + pass + `"`, noVerdict},
		{"in a block quote", "> " + pass, noVerdict},
		{"set in, as a line of a diff is", " " + pass, noVerdict},
		{"added in a diff", "+" + pass, noVerdict},
		{"in a fence", "```\n" + pass + "\n```", noVerdict},
		{"in a longer fence", "````\n```\n" + pass + "\n````", noVerdict},
		{"in a fence of a list", "- ```text\n" + pass + "\n  ```", noVerdict},
		{"in a fence that nobody closed", "~~~\n" + pass, noVerdict},
		{"before a fence that nobody closed", pass + "\n```\n" + fail, unclearVerdict},
		{"after a fence", "```\n" + fail + "\n```\n" + pass, ""},
		{"after code within a line", "```a``` b\n" + pass, ""},
		{"in thoughts", "<think>\n" + pass + "\n</think>\n" + fail, "the reviewer: no tests"},
		{"in thoughts that have no end", "<thinking>\n" + pass, noVerdict},
		{"over several lines", "<verdict>\npass\n</verdict>", noVerdict},
		{"only half of it", "<verdict>pass", noVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := judgement(tt.text); got != tt.why {
				t.Errorf("judgement(%q) = %q, want %q", tt.text, got, tt.why)
			}
		})
	}
}

func FuzzJudgement(f *testing.F) {
	for _, seed := range []string{
		"<verdict>pass</verdict>", "<verdict>fail: a</verdict>\n", "```\n<verdict>pass</verdict>\n```", " <verdict>pass</verdict>",
		"~~~~ x\n```\n<verdict>pass</verdict>", "<!-- a\n<verdict>pass</verdict> -->", "- ```\n<verdict>fail</verdict>", "<VERDICT>PASS</VERDICT>\r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		why := judgement(text)
		if strings.Contains(why, "\n") || len(why) > len("the reviewer: ")+maxWhy {
			t.Errorf("why is no short line: %q", why)
		}
		if why == "" && !strings.Contains(strings.ToLower(text), "<verdict>") {
			t.Errorf("%q passes without a verdict", text)
		}
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		if got := judgement(fence + "\n" + text + "\n" + fence + "\n"); got != noVerdict {
			t.Errorf("heard within a fence: %q", got)
		}
		if got := judgement(reviewPrompt(text, text)); got == "" {
			t.Errorf("a reviewer that repeats its prompt is heard: %q", text)
		}
		if judgement(text+"\n<verdict>fail: a</verdict>") == "" {
			t.Errorf("a fail at the end is not heard: %q", text)
		}
	})
}
