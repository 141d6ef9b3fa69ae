package agent

import (
	"cmp"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
	"github.com/refrain-loop/refrain/internal/text"
)

// dialect is one agent's way to say things as JSON, one object a line.
type dialect interface {
	// event reads one object and reports what it says.
	event(v value, r *report)
	// end follows the last event; exit is how the process ended.
	end(exit loop.Exit, r *report)
}

// skipper is a dialect with lines that are known to carry nothing.
type skipper interface {
	// skip tells whether a line with events of type kind need not be read.
	skip(kind []byte) bool
}

// jsonDecoder reads the lines of any dialect.
type jsonDecoder struct {
	dialect dialect
	skip    func(kind []byte) bool
	parser  parser
	report  report
	lines   oddLines

	grumbles   grumbles
	confession grumbles // the agent's last words on stderr, put as only it does
}

func newJSONDecoder(o Options, d dialect) Decoder {
	decoder := &jsonDecoder{dialect: d, report: report{options: o}}
	if s, ok := d.(skipper); ok {
		decoder.skip = s.skip
	}
	return decoder
}

func (d *jsonDecoder) Decode(line []byte) []loop.Payload {
	if len(d.lines.block) > 0 {
		return d.more(line)
	}
	if d.skip != nil && d.skip(peek(line)) {
		return nil
	}
	v, ok := d.parser.parse(line)
	if !ok {
		return d.odd(line)
	}
	return d.hear(v)
}

func (d *jsonDecoder) hear(v value) []loop.Payload {
	if list := v.list(); list != nil { // all events at once, as an array
		for _, v := range list {
			d.dialect.event(v, &d.report)
		}
		return d.report.take()
	}
	d.dialect.event(v, &d.report)
	return d.report.take()
}

// Close gives the result. It waits for the process to end, because an agent
// may report more than one, and may be ended after it has reported success.
func (d *jsonDecoder) Close(exit loop.Exit) []loop.Payload {
	d.scatter()
	d.dialect.end(exit, &d.report)
	if d.report.result == nil && d.report.trying != nil {
		d.report.cutOff(exit)
	}
	d.died(exit)
	d.report.add(d.report.verdict(exit))
	return d.report.take()
}

func (d *jsonDecoder) Finished() bool {
	r := d.report.result
	return r != nil && r.OK && !r.Pending
}

// report collects what a dialect understands, in the common words.
type report struct {
	options Options
	out     []loop.Payload
	session loop.AgentSession // all that was told so far
	model   modelFacts
	alike   [2]string         // the names that were the same model last
	limit   loop.Limit        // the last one reported, until it is got over
	named   bool              // an event of the agent's own has told it, and not only words
	trying  *fault            // why it tries a request again, until it gets an answer
	result  *loop.AgentResult // the last one reported
	vague   bool              // it says that the agent failed, and not why
	open    map[string]string // names of the tools that have not returned, by id
	begun   bool              // the agent has said or done something
}

func (r *report) take() []loop.Payload {
	out := r.out
	r.out = nil
	return out
}

func (r *report) add(p loop.Payload) {
	switch p.(type) {
	case *loop.AgentText, *loop.AgentTool, *loop.AgentUsage:
		r.begun = true
	}
	r.out = append(r.out, p)
}

// stray is a line that is not in the agent's dialect: a warning of its runtime,
// an echo of a program, a line that was cut. A person should see it, but nobody
// can tell who wrote it, so it must not be heard as a claim: it is reported
// like the output of a tool, not like the agent's own words.
func (r *report) stray(line []byte) {
	text := strings.TrimRight(text.Valid(string(line)), " \t\r")
	if text != "" {
		r.add(&loop.AgentToolResult{Name: "output", Output: text})
	}
}

// met reports what is new about the session. Most dialects repeat it with
// every line.
func (r *report) met(s loop.AgentSession) {
	news := loop.AgentSession{
		Session:       learn(&r.session.Session, s.Session),
		Model:         learn(&r.session.Model, s.Model),
		BilledTo:      learn(&r.session.BilledTo, s.BilledTo),
		ContextWindow: learn(&r.session.ContextWindow, s.ContextWindow),
	}
	if news != (loop.AgentSession{}) {
		r.add(&news)
	}
}

// answered reports which model has answered, if it is another than the agent named.
func (r *report) answered(model string) {
	if model == "" {
		return
	}
	r.trying = nil
	pair := [2]string{r.session.Model, model}
	if pair[0] == "" || pair == r.alike { // most messages are of one model
		return
	}
	if !sameModel(pair[0], model) {
		r.met(loop.AgentSession{Model: model})
		return
	}
	r.alike = pair
}

// learn keeps what was told and gives it back if it is news.
func learn[T comparable](known *T, told T) (news T) {
	if told == news || told == *known {
		return news
	}
	*known = told
	return told
}

// said reports text that the agent itself wrote, whole.
func (r *report) said(text string) {
	r.wentOn()
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		r.add(&loop.AgentText{Text: text})
	}
}

// used reports what the attempt has used so far, and how many tokens were in
// the context at the last turn. 0 is unknown.
func (r *report) used(total loop.Usage, context int) {
	r.trying = nil // it got an answer
	model := r.modelInUse()
	if total.CostUSD == 0 {
		total.CostUSD = model.price.Cost(paid(total))
		total.CostEstimated = total.CostUSD > 0
	}
	if window := r.contextWindow(model); window > 0 && context > 0 {
		total.ContextPercent = max(1, min(100, context*100/window)) // 0 would be unknown
	}
	r.add(&loop.AgentUsage{Usage: total})
}

// usedBefore is what a continued session had used when the attempt began.
func (r *report) usedBefore() loop.Usage {
	if r.options.Used == nil || r.session.Session == "" {
		return loop.Usage{}
	}
	return r.options.Used(r.session.Session)
}

// contextWindow is what the user has set, else what the stream has told, else
// what is known of the model.
func (r *report) contextWindow(m modelFacts) int {
	return cmp.Or(max(0, r.options.ContextWindow), m.ownWindow, r.session.ContextWindow, m.window)
}

// modelFacts is what is known of a model before it is used.
type modelFacts struct {
	name      string
	price     price.Price
	ownWindow int // as the user has set it
	window    int
}

// modelInUse looks the facts up once, not with every message.
func (r *report) modelInUse() modelFacts {
	name := cmp.Or(r.session.Model, r.options.Model)
	if name != r.model.name {
		costs, _ := price.Of(name, r.options.Prices)
		r.model = modelFacts{name: name, price: costs, ownWindow: price.OwnWindow(name, r.options.Prices), window: price.Window(name)}
	}
	return r.model
}

// ended keeps the agent's last word on success; a later one replaces it.
func (r *report) ended(result loop.AgentResult) { r.result = &result }

// retries reports that the agent tries a request again, and the limit because of
// which it has to wait.
func (r *report) retries(try loop.AgentRetry, f fault) {
	try.Error = f.err()
	r.trying = &f
	r.add(&try)
	if k := try.Error.Kind; k == loop.ErrUsageLimit || k == loop.ErrRateLimit {
		r.waits(f, k, try.After.Duration())
	}
}

// failed keeps an error as the agent's last word, and reports the limit that
// stands behind it.
func (r *report) failed(f fault) {
	e := f.err()
	if e.Kind == loop.ErrUsageLimit || e.Kind == loop.ErrRateLimit {
		r.heldUp(f, e.Kind)
	}
	r.result, r.vague = &loop.AgentResult{Error: e}, f.vague
}

// cutOff says why there is no final event: the agent was still trying again.
// One that meets a limit may do so for hours, until someone ends it.
func (r *report) cutOff(exit loop.Exit) {
	f := *r.trying
	r.failed(f)
	r.result.Error.Message = "no final event: " + describe(exit) + "; it was trying again after: " +
		cmp.Or(oneLine(f.text), f.kind, "an error")
}

// verdict is the one result of the attempt. Exit status 0 is not success, and
// a word of success is none if the process then failed or had to be ended.
func (r *report) verdict(exit loop.Exit) *loop.AgentResult {
	switch {
	case r.result == nil:
		return failure("no final event: " + describe(exit))
	case r.result.OK && !exit.Zero():
		return &loop.AgentResult{
			Text: r.result.Text, Pending: r.result.Pending,
			Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "it reported success, but " + describe(exit)},
		}
	}
	return r.result
}
