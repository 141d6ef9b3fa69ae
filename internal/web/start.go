package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// Program runs this program's own commands, so that what a page starts is checked and
// told exactly as what a person types.
type Program interface {
	// Start starts a run in a work tree, with the arguments of "refrain run", or goes on
	// with one, with those of "refrain resume". It gives the name and the id of the run
	// when that takes commands.
	Start(ctx context.Context, tree string, args []string) (run, id string, err error)
	// Check says what those arguments would start: the JSON of a dry run.
	Check(ctx context.Context, tree string, args []string) ([]byte, error)
	// Offers is what can be started in a work tree.
	Offers(ctx context.Context, tree string) (Offers, error)
}

// Offers is what can be started in a work tree.
type Offers struct {
	Procedures []Procedure `json:"procedures"`
	Agents     []Agent     `json:"agents"`
	Agent      string      `json:"agent,omitempty"` // as the settings choose it
}

// Procedure is one that can be named.
type Procedure struct {
	Name   string `json:"name"`
	About  string `json:"about"`
	Family string `json:"family"`
}

// Agent is one that can be chosen.
type Agent struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
}

// Refusal is the error for what the command line refuses.
type Refusal struct{ Why, Hint string }

func (r *Refusal) Error() string { return r.Why }

// start is what a page wants to start.
type start struct {
	Tree        string   `json:"tree"`
	Procedure   string   `json:"procedure"`
	Prompt      string   `json:"prompt"`
	Agent       string   `json:"agent"`
	Model       string   `json:"model"`
	Promise     string   `json:"promise"`
	Gates       []string `json:"gates"`
	Plan        string   `json:"plan"`
	Ask         bool     `json:"ask"`
	Commit      bool     `json:"commit"`
	Permissions string   `json:"permissions"`
	Worktree    bool     `json:"worktree"`
	Unlimited   bool     `json:"unlimited"`
	Command     []string `json:"command"`
	CommandLine string   `json:"command_line"` // the same, as it is entered
	Check       bool     `json:"check"`
	limits
}

// limits are those that a run can be given, or be given anew.
type limits struct {
	MaxIterations entered `json:"max_iterations"`
	MaxTime       entered `json:"max_time"`
	MaxCostUSD    entered `json:"max_cost_usd"`
	MaxTokens     entered `json:"max_tokens"`
}

// entered is what somebody entered: what it means, the command line says. A number will do.
type entered string

// UnmarshalJSON reads a text or a number. Anything else is refused: a limit that is not
// understood must not be left out.
func (t *entered) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil && len(b) > 0 && b[0] == '"' {
		*t = entered(strings.TrimSpace(s))
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil || n == "" {
		return fmt.Errorf("%s is neither a text nor a number", b)
	}
	*t = entered(n)
	return nil
}

// flags are the limits as a person types them. A value stands behind a "=", where it
// cannot be taken for a flag.
func (l limits) flags() []string {
	return given([]flag{
		{"max-iterations", string(l.MaxIterations)},
		{"max-time", string(l.MaxTime)},
		{"max-cost", string(l.MaxCostUSD)},
		{"max-tokens", string(l.MaxTokens)},
	})
}

type flag struct{ name, value string }

func given(list []flag) []string {
	var args []string
	for _, f := range list {
		if f.value != "" {
			args = append(args, "--"+f.name+"="+f.value)
		}
	}
	return args
}

// args are the arguments of "refrain run".
func (s start) args() ([]string, error) {
	args := []string{"run"}
	if s.Procedure != "" {
		if strings.HasPrefix(s.Procedure, "-") || strings.ContainsAny(s.Procedure, " \t\n") {
			return nil, &Refusal{fmt.Sprintf("%.100q is not the name of a procedure", s.Procedure), "use one that \"refrain procedures\" lists"}
		}
		args = append(args, s.Procedure)
	}
	args = append(args, given([]flag{
		{"prompt", s.Prompt}, {"agent", s.Agent}, {"model", s.Model}, {"until", s.Promise}, {"plan", s.Plan}, {"permissions", s.Permissions},
	})...)
	for _, g := range s.Gates {
		if strings.TrimSpace(g) != "" {
			args = append(args, "--gate="+g)
		}
	}
	args = append(args, s.limits.flags()...)
	for _, f := range []struct {
		name string
		on   bool
	}{{"unlimited", s.Unlimited}, {"ask", s.Ask}, {"commit", s.Commit}, {"worktree", s.Worktree}} {
		if f.on {
			args = append(args, "--"+f.name)
		}
	}
	command := s.Command
	if strings.TrimSpace(s.CommandLine) != "" {
		var err error
		if command, err = text.SplitArgs(s.CommandLine); err != nil {
			return nil, &Refusal{fmt.Sprintf("the command %.200q cannot be read: %v", s.CommandLine, err), "write it as in a shell"}
		}
	}
	if len(command) > 0 {
		args = append(append(args, "--"), command...)
	}
	return args, nil
}

// started is what came of it.
type started struct {
	OK       bool     `json:"ok"`
	Run      string   `json:"run,omitempty"`
	ID       string   `json:"id,omitempty"`
	Equal    string   `json:"equal,omitempty"`
	Command  string   `json:"command,omitempty"`
	Prompt   string   `json:"prompt,omitempty"`
	Tokens   int      `json:"tokens,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Why      string   `json:"why,omitempty"`
	Hint     string   `json:"hint,omitempty"`
}

// refuseStart answers in the words of the command line.
func refuseStart(w http.ResponseWriter, out started, err error) {
	out.OK, out.Why = false, err.Error()
	var told *Refusal
	if errors.As(err, &told) {
		out.Why, out.Hint = told.Why, told.Hint
	}
	answer(w, http.StatusUnprocessableEntity, out)
}

func (s actor) start(w http.ResponseWriter, r *http.Request) {
	var want start
	if !s.order(w, r, &want) || s.startsNone(w) {
		return
	}
	tree, ok := s.knownTree(want.Tree)
	if !ok {
		refuseStart(w, started{}, &Refusal{fmt.Sprintf("%.200q is no work tree of yours that is known here", want.Tree), "start the first run of a project in a terminal there"})
		return
	}
	args, err := want.args()
	if err != nil {
		refuseStart(w, started{}, err)
		return
	}
	out := started{OK: true, Equal: equalIn(tree, args)}
	if want.Check {
		s.check(w, r, tree, args, out)
		return
	}
	// A run that was started goes on, though the page has gone.
	if out.Run, out.ID, err = s.Program.Start(context.WithoutCancel(r.Context()), tree, args); err != nil {
		refuseStart(w, out, err)
		return
	}
	s.fleet.forgetLook()
	answer(w, http.StatusOK, out)
}

// check says what would be started.
func (s actor) check(w http.ResponseWriter, r *http.Request, tree string, args []string, out started) {
	b, err := s.Program.Check(r.Context(), tree, args)
	if err != nil {
		refuseStart(w, out, err)
		return
	}
	var plan struct {
		Command  string `json:"command"`
		Tokens   int    `json:"tokens"`
		Prompt   string `json:"prompt"`
		Warnings []struct {
			Text string `json:"text"`
		} `json:"warnings"`
	}
	if err := json.Unmarshal(b, &plan); err != nil {
		s.fail(w, fmt.Errorf("read what would run: %w", err))
		return
	}
	out.Command, out.Tokens, out.Prompt = plan.Command, plan.Tokens, text.Shorten(plan.Prompt, 2000)
	for _, warning := range plan.Warnings {
		out.Warnings = append(out.Warnings, warning.Text)
	}
	answer(w, http.StatusOK, out)
}

// resume is how a page wants a run to go on.
type resume struct {
	Now          bool `json:"now"`
	AcceptConfig bool `json:"accept_config"`
	limits
}

func (s actor) resume(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	var want resume
	if !s.order(w, r, &want) || s.startsNone(w) {
		return
	}
	args := append([]string{"resume", one.entry.Name}, want.limits.flags()...)
	if want.Now {
		args = append(args, "--now")
	}
	if want.AcceptConfig {
		args = append(args, "--accept-config")
	}
	out := started{OK: true, Equal: equalIn(one.entry.Tree, args)}
	var err error
	if out.Run, out.ID, err = s.Program.Start(context.WithoutCancel(r.Context()), one.entry.Tree, args); err != nil {
		refuseStart(w, out, err)
		return
	}
	s.fleet.forgetLook()
	answer(w, http.StatusOK, out)
}

// forgetLook has the next one look again: something has just changed.
func (f *fleet) forgetLook() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Time{}
}

// offered is what a page can start.
type offered struct {
	Trees []knownTree `json:"trees"`
	Tree  string      `json:"tree,omitempty"`
	Offers
	Ready Able `json:"ready"`
}

type knownTree struct {
	Tree       string `json:"tree"`
	Repository string `json:"repository"`
	Busy       string `json:"busy,omitempty"` // the run that is live in it
}

// trees are the work trees in which something was run, and the one we stand in.
func (s actor) trees() []knownTree {
	_ = s.fleet.look(time.Now()) // what is known will do
	ships, _ := s.fleet.rows()
	list := []knownTree{}
	at := func(tree string) *knownTree {
		if i := slices.IndexFunc(list, func(k knownTree) bool { return k.Tree == tree }); i >= 0 {
			return &list[i]
		}
		list = append(list, knownTree{Tree: tree, Repository: filepath.Base(tree)})
		return &list[len(list)-1]
	}
	if s.Here != "" {
		at(s.Here)
	}
	for _, one := range ships {
		if one.entry.Gone {
			continue
		}
		if k := at(one.row.Tree); !one.row.State.Ended() {
			k.Busy = one.row.Run
		}
	}
	return list
}

// knownTree is a work tree that a page names. One that nobody has run anything in is not
// for a page to choose.
func (s actor) knownTree(name string) (string, bool) {
	if name == "" {
		name = s.Here
	}
	list := s.trees()
	return name, name != "" && slices.ContainsFunc(list, func(k knownTree) bool { return k.Tree == name })
}

// startsNone refuses where no run is started from the page, and tells whether it has.
func (s actor) startsNone(w http.ResponseWriter) bool {
	if s.Program == nil {
		refuse(w, http.StatusNotFound, "no run is started from this page", "hand one to the fleet: refrain fleet submit")
	}
	return s.Program == nil
}

func (s actor) offers(w http.ResponseWriter, r *http.Request) {
	if s.startsNone(w) {
		return
	}
	out := offered{Trees: s.trees(), Offers: Offers{Procedures: []Procedure{}, Agents: []Agent{}}}
	name := r.URL.Query().Get("tree")
	if name == "" && s.Here == "" && len(out.Trees) > 0 {
		name = out.Trees[0].Tree
	}
	tree, ok := s.knownTree(name)
	if !ok {
		out.Ready.Why = "there is no work tree yet: start the first run in a terminal"
		if name != "" {
			refuse(w, http.StatusNotFound, fmt.Sprintf("%.200q is no work tree that is known here", name), "")
			return
		}
		answer(w, http.StatusOK, out)
		return
	}
	out.Tree = tree
	ctx, cancel := context.WithTimeout(r.Context(), soon)
	defer cancel()
	found, err := s.Program.Offers(ctx, tree)
	if err != nil {
		out.Ready.Why = err.Error()
		answer(w, http.StatusOK, out)
		return
	}
	out.Offers, out.Ready.OK = found, true
	if i := slices.IndexFunc(out.Trees, func(k knownTree) bool { return k.Tree == tree && k.Busy != "" }); i >= 0 {
		out.Ready = Able{Why: out.Trees[i].Busy + " is live in this work tree"}
	}
	answer(w, http.StatusOK, out)
}
