//go:build unix

package refrain_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"

	"github.com/refrain-loop/refrain"
)

// finished is the record of a run that has ended.
func finished(o refrain.Options) *refrain.Record {
	result, err := refrain.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	record, err := refrain.Open(o.Dir, result.Run)
	if err != nil {
		log.Fatal(err)
	}
	return record
}

func ExampleRecord_Snapshot() {
	defer inNewFolder()()
	record := finished(refrain.Options{Command: []string{"echo", "Hello"}})

	now, err := record.Snapshot() // of a live run it is where that stands
	if err != nil {
		log.Fatal(err)
	}
	stats, err := record.Stats()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(now.Run, now.State, record.Live(), stats.Totals.Iterations)
	fmt.Println(now.LastActivity.Before(now.StartedAt))
	// Output:
	// run-1 done false 1
	// false
}

func ExampleRecord_Events() {
	defer inNewFolder()()
	record := finished(refrain.Options{Command: []string{"echo", "Hello"}})

	for e, err := range record.Events(0) {
		if err != nil {
			log.Fatal(err)
		}
		line, err := refrain.EncodeEvent(e) // as it stands in the journal
		if err != nil {
			log.Fatal(err)
		}
		if e.Type() == "agent.text" {
			fmt.Println(bytes.Contains(line, []byte(`"type":"agent.text","text":"Hello"`)))
		}
	}
	// Output: true
}

func ExampleRecord_Diff() {
	defer inNewFolder()()
	if err := exec.Command("git", "init", "-q").Run(); err != nil { // which keeps what files hold
		log.Fatal(err)
	}
	record := finished(refrain.Options{
		Command: []string{"sh", "-c", "cat > told; echo careful >&2"}, Prompt: "Write this down",
	})

	diff, err := record.Diff(context.Background(), 1) // 0 is the whole run
	if err != nil {
		log.Fatal(err)
	}
	defer diff.Close()
	lines, err := io.ReadAll(diff)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(lines), "\n+Write this down"))

	for _, open := range []func(iteration, attempt int) (io.ReadCloser, error){record.Prompt, record.Stderr} {
		file, err := open(1, 0) // of the last attempt
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.SplitN(string(text), "\n", 2)[0])
	}
	// Output:
	// true
	// Write this down
	// careful
}

func ExampleRecord_Settings() {
	defer inNewFolder()()
	record := finished(refrain.Options{
		Command: []string{"echo", "Hello"}, Set: []refrain.Setting{refrain.KeyStopFailures.Is(7)},
	})

	settings, err := record.Settings() // all that held, for a run like it
	if err != nil {
		log.Fatal(err)
	}
	again := finished(refrain.Options{Command: []string{"echo", "Bye"}, Settings: settings})
	for i, err := range again.Iterations() {
		fmt.Println(settings["stop.failures"], i.Number, i.Outcome.Result, err, i.Ended.Before(i.Started))
	}
	// Output: 7 1 ok <nil> false
}

func ExampleSettingsOf() {
	defer inNewFolder()()
	if err := os.WriteFile("refrain.toml", []byte("[stop]\nfailures = 5\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	settings, err := refrain.SettingsOf(context.Background(), refrain.Options{
		Command: []string{"true"}, MaxIterations: 3,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(settings["stop.failures"], settings["loop.max_iterations"], settings["stop.red_gates"])
	// Output: 5 3 5
}

func ExampleRecord_Tests() {
	defer inNewFolder()()
	record := finished(refrain.Options{
		Command: []string{"true"},
		Gates:   []string{`printf 'TAP version 13\nok 1 - adds\nnot ok 2 - divides\n1..2\n'; exit 1`},
		Set:     []refrain.Setting{refrain.KeyLoopExitZeroIsDone.Is("false")}, MaxIterations: 1,
	})

	gates, err := record.Tests(1, 0) // of the last attempt
	if err != nil {
		log.Fatal(err)
	}
	for _, test := range gates[0].Tests {
		fmt.Println(test.Name, test.Status)
	}
	// Output:
	// divides failed
	// adds passed
}
