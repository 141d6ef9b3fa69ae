package agent

import (
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// notices is how gemini, and qwen which was made from it, put on a line that they try a
// request again:
//
//	Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":…}
//	Attempt 1 failed with status 429. Retrying after explicit delay of 7200000ms... {
//	Attempt 1 failed. Retrying with backoff in 24s... {
//	Attempt 1 failed: This request would exceed your limit. Retrying after 7200000ms...
//	Retrying in 60s (attempt 1/10): [API Error: 429 You exceeded your current quota]
var (
	failedForm  = text.NewPattern(`Attempt (\d+) failed(?: with status (\d{3}))?(?:: (.*?))?\.? Retrying (?:with backoff(?: in (\d+)s)?|after (?:explicit delay of )?(\d+)ms)\.*(.*)`)
	retriesForm = text.NewPattern(`^Retrying in (\d+)s \(attempt (\d+)/(\d+)\): (.*)`)
)

// notice reads such a line.
func notice(line string) (try loop.AgentRetry, f fault, ok bool) {
	if !strings.Contains(line, "Retrying") {
		return try, f, false
	}
	if m := failedForm().FindStringSubmatch(line); m != nil {
		status, _ := strconv.Atoi(m[2]) // three digits, or none
		return loop.AgentRetry{Try: number(m[1]), After: span(m[4], time.Second) + span(m[5], time.Millisecond)},
			answerIn(fault{status: status, text: strings.TrimSpace(m[3] + " " + strings.TrimRight(m[6], " {"))}), true
	}
	if m := retriesForm().FindStringSubmatch(line); m != nil {
		cause := m[4]
		if _, what, found := apiErrorIn(cause); found {
			cause = what
		}
		return loop.AgentRetry{Try: number(m[2]), Most: number(m[3]), After: span(m[1], time.Second)}, fault{text: cause}, true
	}
	return try, f, false
}

// answerIn finds the provider's words in a fault whose text holds its whole answer.
func answerIn(f fault) fault {
	var p parser
	if at := strings.IndexByte(f.text, '{'); at >= 0 {
		if v, ok := p.parse([]byte(f.text[at:])); ok && v.has("error", "message") {
			return fault{status: f.status, kind: v.str("error", "status"), text: v.str("error", "message"), detail: f.text}
		}
	}
	return f
}

// backoff is a wait that an agent does not tell, and doubles with every try.
func backoff(first time.Duration, try int, most time.Duration) loop.Millis {
	return loop.Millis(min(first<<min(max(try-1, 0), 20), most))
}

// byItself is when opencode or grok has tried again of its own accord: after two
// seconds, twice that each time, and up to a quarter more. Neither tells what a server
// says instead, and both wait for that however long it is. Some seconds are for a
// machine that is busy.
func byItself(try int) loop.Millis {
	const busy, most = 5 * time.Second, 5
	return loop.Millis(2*time.Second<<min(max(try, 1)-1, most)*5/4 + busy)
}

// number is a count that somebody printed; one that is no number of ours is 0.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1e9 {
		return 0
	}
	return n
}

// aYear is longer than anybody waits.
const aYear = 365 * 24 * time.Hour

// span is so many units; what nobody would wait for is 0.
func span(digits string, unit time.Duration) loop.Millis {
	if d := time.Duration(number(digits)) * unit; d < aYear {
		return loop.Millis(d)
	}
	return 0
}

// waitUntil is how long it is until some time, a moment at least; what nobody would wait
// for is 0.
func waitUntil(then, now time.Time) loop.Millis {
	if d := then.Sub(now); d < aYear {
		return loop.Millis(max(d, time.Millisecond))
	}
	return 0
}
