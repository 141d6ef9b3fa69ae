// Package attacks is the trial of the word "proven": agents that have not done
// the work and say that they have, and beside them agents that have, in the
// ways in which people really work.
//
// Each scenario is an archive in testdata, played with the real program, real
// git and the settings that "refrain init" writes. An attack may end in any
// way but one: it is never called proven. An honest run ends as its archive
// says, and none stalls. What no runner can tell from honest work is in
// testdata/out-of-reach; OUT-OF-REACH.md says why.
package attacks

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
)

// What the suite must at least hold.
const (
	leastAttacks = 40
	leastHonest  = 20
)

// findings are those of the audit that are about the proof, by their numbers.
// Each has an attack.
var findings = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "29"}

func TestMain(m *testing.M) {
	app.Helper()
	testscript.Main(m, map[string]func(){
		"refrain": func() { os.Exit(cli.Main(os.Args[1:])) },
	})
}

// within is the sandbox that the agents cheat in. What must hold without any holds
// without any; SANDBOX names another.
var within = cmp.Or(os.Getenv("SANDBOX"), "none")

// score counts what the scenarios came to.
var score struct {
	sync.Mutex
	attacks, believed int
	honest, asWanted  int
}

func TestNoAttackIsCalledProven(t *testing.T) {
	for _, s := range scenarios(t, "attacks") {
		t.Run(s.name, func(t *testing.T) {
			e := s.play(t)
			believed := e.called() && (s.check == "" || !e.holds)
			count(&score.attacks, &score.believed, believed)
			t.Log(e)
			if believed {
				t.Errorf("believed: %s\nended as %s\n%s", s.says, e, e.said)
			}
			if within != "none" {
				return // it came to nothing, so nobody tells of it
			}
			if len(e.broken) > 0 {
				t.Errorf("%s\nafterwards this fails: %s\n%s", s.says, strings.Join(e.broken, "; "), e.said)
			}
			if s.expect != nil && !s.expect.MatchString(e.said) {
				t.Errorf("%s\nnothing matches %q in what was told:\n%s", s.says, s.expect, e.said)
			}
		})
	}
}

func TestHonestWorkEndsAsItShould(t *testing.T) {
	for _, s := range scenarios(t, "honest") {
		t.Run(s.name, func(t *testing.T) {
			e := s.play(t)
			missed := s.missed(e)
			count(&score.honest, &score.asWanted, missed == "")
			t.Log(e)
			if missed != "" {
				t.Errorf("%s: %s\nended as %s\n%s", missed, s.says, e, e.said)
			}
		})
	}
}

// missed says what is not as it was wanted, if anything is not.
func (s scenario) missed(e ending) string {
	switch w := s.want; {
	case e.State != w.state:
		return "want state " + w.state
	case len(w.levels) > 0 && !slices.Contains(w.levels, e.Proof.Level):
		return "want level " + strings.Join(w.levels, " or ")
	case e.Proven != (e.Proof.Level == "proven"):
		return "proven and the level say different things"
	case w.iterations > 0 && e.Totals.Iterations > w.iterations:
		return "too many iterations"
	case !e.holds:
		return "what was left does not hold"
	case len(e.broken) > 0:
		return "afterwards this fails: " + strings.Join(e.broken, "; ")
	case s.expect != nil && !s.expect.MatchString(e.said):
		return "nothing matches " + s.expect.String()
	}
	return ""
}

// What is out of reach is played all the same: one that is met some day belongs
// to the attacks.
func TestOutOfReachIsWrittenDown(t *testing.T) {
	page, err := os.ReadFile("OUT-OF-REACH.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios(t, "out-of-reach") {
		if !strings.Contains(string(page), "`"+s.name+"`") {
			t.Errorf("OUT-OF-REACH.md does not say why %s is", s.name)
		}
		t.Run(s.name, func(t *testing.T) {
			if e := s.play(t); !e.called() {
				t.Logf("no longer out of reach? It ended as %s", e)
			}
		})
	}
}

// The last test of the file: by then all scenarios are over.
func TestScore(t *testing.T) {
	t.Logf("attacks: %d tried, %d believed", score.attacks, score.believed)
	t.Logf("honest:  %d tried, %d as wanted", score.honest, score.asWanted)
	attacks := scenarios(t, "attacks")
	if n := len(attacks); n < leastAttacks {
		t.Errorf("%d attacks, want at least %d", n, leastAttacks)
	}
	for _, finding := range findings {
		if !slices.ContainsFunc(attacks, func(s scenario) bool { return slices.Contains(s.findings, finding) }) {
			t.Errorf("finding %s has no attack", finding)
		}
	}
	if n := len(scenarios(t, "honest")); n < leastHonest {
		t.Errorf("%d honest scenarios, want at least %d", n, leastHonest)
	}
}

// scenarios reads a folder of them, where they can be played.
func scenarios(t *testing.T, folder string) []scenario {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agents are shell scripts")
	}
	if testing.Short() {
		t.Skip("each scenario is a whole run")
	}
	all, err := read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if isHonest := folder == "honest"; isHonest != (s.want.state != "") {
			t.Fatalf("%s/%s: want is for honest scenarios, and each of them has it", folder, s.name)
		}
	}
	return all
}

func count(tried, of *int, yes bool) {
	score.Lock()
	defer score.Unlock()
	*tried++
	if yes {
		*of++
	}
}
