package whatif

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
)

// permissive is settings under which nothing ends a play but its own end.
const permissive = "done.promise=DONE loop.max_iterations=0 stop.failures=0 stop.red_gates=0 stop.test_failures=0 " +
	"stop.no_progress=0 stop.repeats=1000 limits.max_wait=0s loop.max_backoff=10m "

// What is supposed of a record is what a real run comes to that differs in its
// settings only.
func TestWhatifEqualsARealRun(t *testing.T) {
	fewerChecks(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlay(rt)
		before := permissive + fmt.Sprintf("loop.iteration_delay=%s loop.backoff=%s", drawSpan(rt, "delay before", 0, 30), drawSpan(rt, "backoff before", 0, 15))
		if p.gated {
			before += " done.confirmations=1000"
		}
		if rapid.Bool().Draw(rt, "strict before") {
			before += " " + drawSettings(rt, p.gated)
		}
		recorded, real := tempDir(rt), tempDir(rt)
		p.run(t, recorded, sets(t, before))
		acts := p.ran
		for range 3 {
			supposed := drawSettings(rt, p.gated)
			os.RemoveAll(real)
			os.Mkdir(real, 0o700)
			end, rule := p.run(t, real, sets(t, before+" "+supposed))
			w := whatif(t, recorded, sets(t, supposed))
			if w.GoesOn { // and may be cut short later in the same attempt
				if p.ran < acts {
					rt.Fatalf("with %s after %s it goes on after %d attempts, and really ends after %d: %+v", supposed, before, acts, p.ran, end)
				}
				continue
			}
			got := fmt.Sprintf("%s by %s (%s): %s", w.Supposed.State, rule, w.Supposed.Reason, w.Supposed.Why)
			want := fmt.Sprintf("%s by %s (%s): %s", end.State, rule, end.Reason, end.Why)
			if w.Stops {
				got = strings.Replace(got, "by "+rule, "by "+w.Rule, 1)
			}
			sums := tallyOf(loop.State{Totals: end.Totals, Live: end.Elapsed})
			sums.State, sums.Reason, sums.Why, sums.Proven, sums.Level = w.Supposed.State, w.Supposed.Reason, w.Supposed.Why, w.Supposed.Proven, w.Supposed.Level
			if got != want || sums != w.Supposed || w.Notes != nil {
				rt.Fatalf("with %s after %s:\n got %s\n     %+v\nwant %s\n     %+v", supposed, before, got, *w, want, end)
			}
		}
	})
}

// A run that people steer is, decided again with its own settings, what it was.
func TestWhatifOfASteeredRunIsAsItWas(t *testing.T) {
	fewerChecks(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlay(rt)
		last := time.Duration(0)
		for range rapid.IntRange(1, 6).Draw(rt, "orders") {
			last += time.Duration(rapid.IntRange(0, 1800).Draw(rt, "later"))*time.Second + 300*time.Millisecond
			command := steer.Command{Name: rapid.SampledFrom([]string{"pause", "resume", "reboot", "note", "raise", "stop"}).Draw(rt, "command"), Text: "hurry"}
			if command.Name == "raise" {
				command.Key, command.Value = "budget.cost_usd", fmt.Sprint(rapid.IntRange(1, 9).Draw(rt, "budget"))
			}
			p.orders = append(p.orders, order{last, command})
		}
		p.orders = append(p.orders, order{last + time.Hour, steer.Command{Name: "resume"}})
		dir := tempDir(rt)
		p.run(t, dir, sets(t, permissive+fmt.Sprintf("done.confirmations=%d %s", map[bool]int{true: 1000, false: 1}[p.gated], drawSettings(rt, p.gated))))
		w := whatif(t, dir, sets(t, "loop.max_backoff=10m"))
		if w.Stops || w.GoesOn || w.Notes != nil || w.Saved != (Savings{}) || w.Supposed != w.Recorded {
			rt.Fatalf("got %+v of %+v, want it as it was", *w, p.orders)
		}
	})
}

// fewerChecks keeps a test short whose every check is a handful of runs, unless
// somebody wants it long.
func fewerChecks(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	if err := checks.Value.Set("10"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}

func drawPlay(rt *rapid.T) *play {
	p := &play{margin: usualMargin, gated: rapid.Bool().Draw(rt, "gated")}
	longest := 12
	if rapid.IntRange(0, 19).Draw(rt, "length") == 19 {
		longest = 100
	}
	p.acts = rapid.SliceOfN(rapid.Custom(drawAct), 3, longest).Draw(rt, "acts")
	worked := false
	for i := range p.acts {
		a := &p.acts[i]
		if a.claims = a.claims && p.gated; a.result == "signed out" && !worked { // else that ends it
			a.result = "failed"
		}
		worked = worked || a.result == "ok" && (!p.gated || a.failing == 0)
	}
	return p
}

func drawAct(rt *rapid.T) act {
	a := act{
		result: rapid.SampledFrom([]string{"ok", "ok", "ok", "failed", "idle", "limited", "unavailable", "skipped", "signed out"}).Draw(rt, "result"),
		takes:  time.Duration(rapid.IntRange(1, 40).Draw(rt, "takes")) * 12 * time.Second,
		writes: rapid.Bool().Draw(rt, "writes"),
		claims: rapid.IntRange(0, 2).Draw(rt, "claims") == 0,
	}
	used := loop.Usage{}
	for range rapid.IntRange(0, 3).Draw(rt, "told") {
		used.Input += rapid.IntRange(0, 900).Draw(rt, "input")
		used.CostUSD += float64(rapid.IntRange(0, 50).Draw(rt, "cents")) / 100
		a.told = append(a.told, used)
	}
	if a.result == "limited" && rapid.Bool().Draw(rt, "stated") {
		a.reset = time.Duration(rapid.IntRange(1, 600).Draw(rt, "reset")) * time.Minute
	}
	if rapid.Bool().Draw(rt, "red") {
		a.failing = rapid.IntRange(1, 4).Draw(rt, "failing")
	}
	a.checked = time.Duration(rapid.IntRange(0, 9).Draw(rt, "checked")) * 12 * time.Second
	return a
}

// drawSettings draws one to four settings. Times fall between the seconds at
// which anything happens, so that no two things happen at once.
func drawSettings(rt *rapid.T, gated bool) string {
	few := func(key string) string { return fmt.Sprintf("%s=%d", key, rapid.IntRange(1, 4).Draw(rt, key)) }
	draw := map[string]func() string{
		"loop.max_iterations": func() string { return fmt.Sprintf("=%d", rapid.IntRange(1, 20).Draw(rt, "iterations")) },
		"loop.max_time": func() string {
			return fmt.Sprintf("=%dm0.6s", rapid.IntRange(0, 300).Draw(rt, "max time"))
		},
		"loop.iteration_delay": func() string { return "=" + drawSpan(rt, "delay", 0, 200) },
		"loop.backoff":         func() string { return "=" + drawSpan(rt, "backoff", 0, 150) },
		"budget.cost_usd":      func() string { return fmt.Sprintf("=%g", float64(rapid.IntRange(1, 600).Draw(rt, "budget"))/100) },
		"budget.tokens":        func() string { return fmt.Sprintf("=%d", rapid.IntRange(1, 9000).Draw(rt, "tokens")) },
		"limits.wait":          func() string { return "=false" },
		"limits.max_wait":      func() string { return fmt.Sprintf("=%dm0.6s", rapid.IntRange(1, 300).Draw(rt, "max wait")) },
		"stop.cost_without_progress": func() string {
			return fmt.Sprintf("=%g", float64(rapid.IntRange(1, 300).Draw(rt, "unrewarded"))/100)
		},
		"stop.gates_are_failures": func() string { return "=true" },
		"loop.skips_count":        func() string { return "=false" },
	}
	for _, key := range []string{"done.confirmations", "stop.failures", "stop.red_gates", "stop.test_failures", "stop.no_progress", "stop.repeats"} {
		draw[key] = func() string { return strings.TrimPrefix(few(key), key) }
	}
	var keys []string
	for _, key := range Redecidable() {
		if draw[key] != nil && (gated || key != "done.confirmations") {
			keys = append(keys, key)
		}
	}
	var list []string
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 1, 4, rapid.ID[string]).Draw(rt, "keys") {
		list = append(list, key+draw[key]())
	}
	return strings.Join(list, " ")
}

func drawSpan(rt *rapid.T, label string, least, most int) string {
	return fmt.Sprintf("%ds", 4*rapid.IntRange(least, most).Draw(rt, label))
}

func tempDir(rt *rapid.T) string {
	dir, err := os.MkdirTemp("", "whatif-")
	if err != nil {
		rt.Fatal(err)
	}
	rt.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
