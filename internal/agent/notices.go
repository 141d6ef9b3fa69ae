package agent

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// How gemini, and qwen which was made from it, put on a line that they try a request
// again: why, how long they wait, and which try it is.
//
//	Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":…}
//	Attempt 1 failed with status 429. Retrying after explicit delay of 7200000ms... {
//	Attempt 1 failed. Retrying with backoff in 24s... {
//	Attempt 1 failed: This request would exceed your limit. Retrying after 7200000ms...
//	Retrying in 60s (attempt 1/10): [API Error: 429 You exceeded your current quota]
var (
	failedForm  = text.NewPattern(`\bAttempt (\d+)(?:/(\d+))? failed(?: with status(?: code)? (\d{3}))?(?:: (.*?))?[. ]*$`)
	retriesForm = text.NewPattern(`^Retrying(?: with (?:exponential )?backoff)?(?: (?:in|after)(?: explicit delay of)? (\d[\d.]*\s?[a-z]+(?:\s?\d[\d.]*\s?[a-z]+)*))?` +
		`\.*(?: \((?:attempt )?(\d+)(?:/| of )(\d+)\))?(?:[.: ]+(.*))?$`)
)

// notice reads such a line. What is not a failed attempt tells how long it waits.
func notice(line string) (try loop.AgentRetry, f fault, ok bool) {
	at := strings.LastIndex(line, "Retrying")
	if at < 0 {
		return try, f, false
	}
	before, again := line[:at], retriesForm().FindStringSubmatch(line[at:])
	failed := failedForm().FindStringSubmatch(before)
	if again == nil || failed == nil && again[1] == "" {
		return try, f, false
	}
	try = loop.AgentRetry{Try: number(again[2]), Most: number(again[3]), After: lengthOf(again[1])}
	why := before
	if failed != nil {
		try.Try, try.Most, why = number(failed[1]), cmp.Or(number(failed[2]), try.Most), failed[4]
		f.status, _ = strconv.Atoi(failed[3]) // three digits, or none
	}
	f.text = strings.TrimSpace(why + " " + strings.TrimRight(again[4], " {"))
	if _, what, found := apiErrorIn(f.text, false); found {
		f.text = what
	}
	return try, answerIn(f), true
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

// lengthOf is a time as it is spoken, "1h 30m"; what nobody would wait for is 0.
func lengthOf(words string) loop.Millis {
	var length time.Duration
	for _, part := range partForm().FindAllStringSubmatch(words, -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		unit := unitOf(strings.ToLower(part[2]))
		if err != nil || unit == 0 || n*float64(unit) > float64(aYear) {
			break // the sentence goes on with something else
		}
		length += time.Duration(n * float64(unit))
	}
	return loop.Millis(length)
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
