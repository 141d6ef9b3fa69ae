package desk

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
)

// laptop is a clone with a person at it.
func (w *world) laptop() journal.Store {
	w.t.Helper()
	if _, err := os.Stat(w.at("laptop")); err != nil {
		w.git(w.dir, "clone", "-q", "hub.git", "laptop")
	}
	store, err := journal.Open(w.at("laptop"))
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return store
}

// told is the events of a run in a store, as the journal has them but for their seals.
func (w *world) told(store journal.Store, run string) []string {
	w.t.Helper()
	var list []string
	for e, err := range store.Events(run, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		e.Seal = ""
		line, err := journal.Encode(e)
		if err != nil {
			w.t.Fatal(err)
		}
		list = append(list, string(line))
	}
	return list
}

// parker parks a run as soon as an agent works.
type parker struct{ *app.Control }

func (p parker) Observe(e loop.Event) {
	if _, ok := e.Payload.(*loop.AgentStarted); ok {
		go p.Do(context.Background(), app.Command{Name: "park", NoWait: true})
	}
}

// A run that began on a laptop goes on with a worker, and comes back with its history.
func TestFromALaptopAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	store := w.laptop()
	w.git(w.at("laptop"), "checkout", "-q", "-b", "refrain/build")
	s := w.spec()
	var req request.Request
	if err := json.Unmarshal(s.Request, &req); err != nil {
		t.Fatal(err)
	}
	job, err := app.Prepare(t.Context(), w.at("laptop"), req)
	if err != nil {
		t.Fatal(err)
	}
	control := app.NewControl()
	parked, err := job.Start(t.Context(), app.RunOptions{Control: control, Version: "test", Observers: []app.Observer{parker{control}}})
	if err != nil || parked.State != loop.Parked {
		t.Fatalf("on the laptop: %+v, %v", parked, err)
	}
	moved, err := carry.Place{Store: store}.Push(t.Context(), "run-1", "origin")
	if err != nil {
		t.Fatal(err)
	}
	before := w.told(store, "run-1")

	s.ID, s.Carried, s.Leg = moved.ID, true, moved.Leg
	d := w.desk("a")
	if out := w.leg(d, s, moved.Leg); !out.Taken || out.Leg != moved.Leg || out.Away {
		t.Errorf("with a leg that is no later: %+v", out)
	}
	out := w.leg(d, s, moved.Leg+1)
	for leg := moved.Leg + 2; !out.Over(); leg++ {
		out = w.leg(d, s, leg)
	}
	w.whole(s)

	back, err := carry.Place{Store: store}.Fetch(t.Context(), moved.ID, "origin", false)
	if err != nil {
		t.Fatal(err)
	}
	after := w.told(store, back.Run)
	if len(after) <= len(before) || !slices.Equal(after[:len(before)], before) {
		t.Errorf("its history has changed: of\n%s\nthere is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	var there []string
	for _, e := range w.events(s) {
		line, err := journal.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		there = append(there, string(line))
	}
	if !slices.Equal(there, after) {
		t.Error("on the remote its history is another one")
	}
	e, err := store.Load(back.Run)
	if err != nil || e.Finished == nil || e.Tampered != "" || e.State.Totals.Iterations != 3 {
		t.Errorf("%+v, %v", e.Finished, err)
	}
	for _, name := range []string{"0001/changes.json", "0003/stdout"} {
		if _, err := os.Stat(filepath.Join(e.Dir, "iterations", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(w.at("laptop/work")); err != nil || strings.TrimSpace(string(got)) != allWork {
		t.Errorf("its work is %q, %v", got, err)
	}
}

// A person who fetches a run has it, whatever leg a worker is to do.
func TestAPersonTakesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	s := w.spec()
	w.leg(d, s, 1)
	store := w.laptop()
	if _, err := (carry.Place{Store: store}).Fetch(t.Context(), s.ID, "origin", false); err != nil {
		t.Fatal(err)
	}
	for _, leg := range []int{2, 9} {
		if out := w.leg(d, s, leg); !out.Taken || !out.Away || out.Leg != 2 || !strings.Contains(out.Why, "has been with") {
			t.Errorf("leg %d: %+v", leg, out)
		}
	}
	// They push it again, and it is anybody's.
	if _, err := (carry.Place{Store: store}).Push(t.Context(), "run-1", "origin"); err != nil {
		t.Fatal(err)
	}
	if out := w.leg(d, s, 3); out.Taken || out.Iterations != 2 {
		t.Errorf("%+v", out)
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	d := &Desk{Options: Options{Trust: []string{"https://example.com/team/*", "git@example.com:team/**", "/srv/?.git", "https://*.corp.example/*", "/any/**", "ssh://git?example.com/*"}}}
	for remote, want := range map[string]bool{
		"https://example.com/team/one":            true,
		"https://example.com/team/one/two":        false,
		"https://example.com/team/../other/one":   false,
		"https://example.com/team/%2e%2e/other":   false,
		"https://example.com/team/..%2fother":     false,
		"https://example.com.evil.org/team/one":   false,
		"https://evil.org/https://example.com":    false,
		"xhttps://example.com/team/one":           false,
		"git@example.com:team/a/b.git":            true,
		"git@example.com:other/a.git":             false,
		"/srv/a.git":                              true,
		"/srv/ab.git":                             false,
		"/srv//.git":                              false,
		"https://example.com/team/one\n--upload=": false,
		"--upload-pack=evil":                      false,

		"https://git.corp.example/one":                 true,
		"https://evil.example?.corp.example/x":         false,
		"https://evil.example#.corp.example/x":         false,
		"https://evil.example@.corp.example/x":         false,
		"https://me:pw@evil.example\\@.corp.example/x": false,
		"https://evil.example\\.corp.example/x":        false,
		"https://git.corp.example/one?x":               false,
		"https://git.corp.example/one#x":               false,
		"https://example.com/team/o@e":                 false,
		"git://evil.example#.corp.example/x":           false,
		"ssh://git@example.com/one":                    false,
		"/any/place/o#ne":                              true,
		"/any/pl@ce":                                   true,
		"":                                             false,
	} {
		err := d.allows(remote)
		var untrusted *UntrustedError
		if (err == nil) != want || err != nil && (!errors.As(err, &untrusted) || hint(err) == "") {
			t.Errorf("%q: %v", remote, err)
		}
	}
	w := newWorld(t, agent())
	o := w.options("a")
	o.Trust = []string{"https://example.com/**"}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var untrusted *UntrustedError
	if _, err := d.Run(t.Context(), fleet.Turn{Spec: w.spec(), Leg: 1}, fleet.Hooks{}); !errors.As(err, &untrusted) {
		t.Errorf("%v", err)
	}
	if refs := w.hub("for-each-ref", "refs/refrain"); refs != "" {
		t.Errorf("there is %s", refs)
	}
}

// The pattern of a remote is the consent to what its repositories run, and to nothing
// else on the machine.
func TestWhatARepositoryRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	w.write("seed/refrain.toml", "[[gate]]\nname = \"own\"\nrun = \"echo own >>gate.log\"\n")
	w.git(w.at("seed"), "add", ".")
	w.git(w.at("seed"), "commit", "-qm", "gate")
	w.git(w.at("seed"), "push", "-q", "origin", "HEAD:main")
	d := w.desk("a")
	s := w.spec()
	s.Quantum.Iterations = 0
	if out := w.leg(d, s, 1); out.State != loop.Done || !strings.Contains(out.Why, "the gates agree") {
		t.Errorf("%+v", out)
	}
}

func TestOneWorkerForAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	_, err := New(w.options("a"))
	var busy *BusyError
	if !errors.As(err, &busy) || hint(err) == "" {
		t.Errorf("%v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := New(w.options("a"))
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// What nobody needs is removed, with its records; what is only here is not.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	a, b := w.desk("a"), w.desk("b")
	elsewhere, old, young := w.spec(), w.spec(), w.spec()
	elsewhere.Branch, old.Branch = "refrain/elsewhere", "refrain/old"
	for _, s := range []fleet.Spec{elsewhere, old, young} {
		w.leg(a, s, 1)
	}
	if got := w.leg(a, young, 2); got.Iterations != 2 || len(a.trees(young.ID)) != 1 || a.trees(young.ID)[1] == "" {
		t.Errorf("a run that is here was brought once more: %+v, %v", got, a.trees(young.ID))
	}
	w.leg(b, elsewhere, 2)
	_, e, note := here(a.trees(old.ID)[1], old.ID)
	note.Since = time.Now().Add(-8 * 24 * time.Hour)
	if err := note.Write(e.Dir); err != nil {
		t.Fatal(err)
	}
	records := func(s fleet.Spec) int {
		all, err := project.All()
		if err != nil {
			t.Fatal(err)
		}
		return len(slices.DeleteFunc(all, func(k project.Known) bool { return !strings.HasPrefix(k.Root, a.home(s.ID)) }))
	}
	if records(old) != 1 {
		t.Fatalf("there are %d records of a run", records(old))
	}
	os.Rename(w.at("hub.git"), w.at("away.git"))
	a.Sweep(t.Context())
	if len(a.trees(old.ID)) != 1 || len(a.trees(elsewhere.ID)) != 1 {
		t.Error("where nobody can tell, something was removed")
	}
	os.Rename(w.at("away.git"), w.at("hub.git"))
	a.Sweep(t.Context())
	for name, tt := range map[string]struct {
		spec fleet.Spec
		want int
	}{"elsewhere": {elsewhere, 0}, "old": {old, 0}, "young": {young, 1}} {
		if got := len(a.trees(tt.spec.ID)); got != tt.want || records(tt.spec) != tt.want {
			t.Errorf("of the run that is %s there are %d work trees and %d records, want %d", name, got, records(tt.spec), tt.want)
		}
	}
	mirror := a.mirrorOf(young.Remote)
	long := time.Now().Add(-8 * 24 * time.Hour)
	swept := func() bool {
		if err := os.Chtimes(mirror, long, long); errors.Is(err, fs.ErrNotExist) {
			return true
		} else if err != nil {
			t.Fatal(err)
		}
		a.Sweep(t.Context())
		_, err := os.Stat(mirror)
		return err != nil
	}
	if swept() {
		t.Error("the mirror that a work tree borrows from was removed")
	}
	defer func() {
		if err := a.clear(t.Context(), young.ID); err != nil || !swept() {
			t.Errorf("the mirror that nobody borrows from is still there: %v", err)
		}
	}()
	// A ref that is gone: what is here is nowhere else.
	w.hub("update-ref", "-d", carry.Prefix+young.ID)
	a.Sweep(t.Context())
	if out := w.leg(a, young, 3); !out.Failed || !strings.Contains(out.Why, "is not on") || len(a.trees(young.ID)) != 1 {
		t.Errorf("%+v, %v", out, a.trees(young.ID))
	}
	_, e, note = here(a.treeOf(young.ID), young.ID)
	note.Since = time.Now().Add(-8 * 24 * time.Hour)
	if err := note.Write(e.Dir); err != nil {
		t.Fatal(err)
	}
	a.Sweep(t.Context())
	if got := len(a.trees(young.ID)); got != 0 || records(young) != 0 {
		t.Errorf("of a run that was deleted long ago there are %d work trees and %d records", got, records(young))
	}
}

// Where no base is named it is the remote's default branch as it is now, and not as it was
// when a worker first came there.
func TestADefaultBranchThatHasMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	begin := func(want string) {
		t.Helper()
		s := w.spec()
		s.Base, s.Branch = "", "refrain/at-"+s.ID[5:13]
		if out := w.leg(d, s, 1); out.Failed || w.card(s).Base != want {
			t.Errorf("it began at %s, want %s: %+v", w.card(s).Base, want, out)
		}
	}
	begin(w.hub("rev-parse", "main"))
	w.git(w.at("seed"), "commit", "-q", "--allow-empty", "-m", "more")
	w.git(w.at("seed"), "push", "-q", "origin", "HEAD:trunk")
	w.hub("symbolic-ref", "HEAD", "refs/heads/trunk")
	begin(w.hub("rev-parse", "trunk"))
	w.hub("branch", "-D", "main")
	begin(w.hub("rev-parse", "trunk"))
}

// What a killed git has left in a mirror is mended, and what work trees borrow stays.
func TestAMirrorThatIsBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	first := w.spec()
	first.Quantum.Iterations = 1
	w.leg(d, first, 1)
	mirror := d.mirrorOf(first.Remote)
	at := w.hub("rev-parse", "main")
	object := filepath.Join(mirror, "objects", at[:2], at[2:])
	for name, broken := range map[string]func(){
		"locks": func() {
			for _, lock := range []string{"refs/heads/main.lock", "packed-refs.lock", "HEAD.lock"} {
				if err := os.WriteFile(filepath.Join(mirror, filepath.FromSlash(lock)), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
		"an object that was not written": func() {
			if err := errors.Join(os.Remove(object), os.WriteFile(object, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"a ref that was not written": func() {
			if err := os.WriteFile(filepath.Join(mirror, "refs", "heads", "main"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		w.git(w.at("seed"), "commit", "-q", "--allow-empty", "-m", name)
		w.git(w.at("seed"), "push", "-q", "origin", "HEAD:main")
		broken()
		s := w.spec()
		s.Branch = "refrain/at-" + s.ID[5:13]
		out, err := d.Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{})
		if err != nil || out.Failed || w.card(s).Base != w.hub("rev-parse", "main") {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	if out := w.leg(d, first, 2); out.Iterations != 2 || out.Stuck {
		t.Errorf("who borrows from it: %+v", out)
	}
}

// A run that a leg has told of is never begun anew, on whichever worker.
func TestARefThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	s := w.spec()
	a, b := w.desk("a"), w.desk("b")
	at := w.leg(a, s, 1).At
	w.hub("update-ref", "-d", carry.Prefix+s.ID)
	for leg, d := range []*Desk{a, b} {
		out, err := d.Run(t.Context(), fleet.Turn{Spec: s, Leg: leg + 2, At: at}, fleet.Hooks{})
		if err != nil || !out.Failed || out.At != at || !strings.Contains(out.Why, "is not on") || !strings.Contains(out.Why, "; ") {
			t.Errorf("on %s: %+v, %v", d.Worker, out, err)
		}
	}
	s.Carried = true
	if out := w.leg(b, s, 4); !out.Failed {
		t.Errorf("of one that was handed over: %+v", out)
	}
	if w.starts() != "1" {
		t.Errorf("agents were started in the iterations %s", w.starts())
	}
}

func TestWhereARunBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	w.write("seed/sub/agent.sh", strings.ReplaceAll(agent(), "$DESK_TEST_WORLD", w.dir))
	w.write("seed/sub/refrain.toml", "")
	w.git(w.at("seed"), "add", ".")
	w.git(w.at("seed"), "commit", "-qm", "below")
	w.git(w.at("seed"), "tag", "v1")
	w.git(w.at("seed"), "push", "-q", "origin", "HEAD:side", "v1")
	at := w.git(w.at("seed"), "rev-parse", "HEAD")
	d := w.desk("a")
	for base, want := range map[string]string{"": w.hub("rev-parse", "main"), "main": w.hub("rev-parse", "main"), "side": at, "v1": at, at: at} {
		s := w.spec()
		s.Base, s.Branch = base, "refrain/at-"+s.ID[5:13]
		w.leg(d, s, 1)
		if got := w.card(s).Base; got != want {
			t.Errorf("from %q it began at %s, want %s", base, got, want)
		}
	}
	for _, base := range []string{"nowhere", "--all", strings.Repeat("1", 40)} {
		s := w.spec()
		s.Base = base
		if out := w.leg(d, s, 1); !out.Failed || !strings.Contains(out.Why, "to begin at; ") {
			t.Errorf("from %q: %+v", base, out)
		}
	}
	s := w.spec()
	s.Base, s.Dir, s.Branch = "side", "sub", "refrain/sub"
	w.leg(d, s, 1)
	out := w.leg(w.desk("b"), s, 2)
	for leg := 3; !out.Over(); leg++ {
		out = w.leg(d, s, leg)
	}
	if got := w.hub("show", "refrain/sub:sub/work"); got != allWork || out.State != loop.Done {
		t.Errorf("below, the work is %q; %+v", got, out)
	}
}
