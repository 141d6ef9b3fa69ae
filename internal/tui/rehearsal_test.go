package tui

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// rehearsed is the run of a rehearsal, as "refrain events" gave it:
//
//	refrain rehearse night.toml -p "Mend it" --until DONE -n 9 --start 22:00 --keep
//
// without seals and with other paths.
func rehearsed(t *testing.T) []loop.Event {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "rehearsal", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var list []loop.Event
	for line := range bytes.Lines(b) {
		e, err := journal.Decode(bytes.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// What a person sees of a whole run, at the two sizes that terminals have most often.
func TestARehearsalOnTheScreen(t *testing.T) {
	all := rehearsed(t)
	starts := func(n int) int {
		return slices.IndexFunc(all, func(e loop.Event) bool {
			_, ok := e.Payload.(*loop.AgentUsage)
			return ok && e.Iter == n
		})
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for _, tt := range []struct {
			name   string
			events []loop.Event
			done   int // tasks
			keys   []string
		}{
			{"first", all[:starts(1)], 0, nil},
			{"second", all[:starts(2)], 1, nil},
			{"second-list", all[:starts(2)], 1, []string{"2"}},
			{"second-gates", all[:starts(2)], 1, []string{"4"}},
			{"done", all, 3, nil},
		} {
			name := fmt.Sprintf("rehearsal-%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := &story{events: tt.events, now: tt.events[len(tt.events)-1].Time}
				m := (&world{}).shown(s, size[0], size[1], func(o *Options) {
					o.Tasks = func(context.Context, string) ([]Task, error) {
						list := []Task{{Text: "Greet by name"}, {Text: "Refuse names that lead out of the folder"}, {Text: "Write the docs"}}
						for i := range tt.done {
							list[i].Done = true
						}
						return list, nil
					}
					o.Gates = func(context.Context, string, int, int) ([]GateOutput, error) {
						return []GateOutput{{Name: "test", Text: "=== RUN   TestGreet\n    greet_test.go:9: Greet() = \"\", want \"hello\"\n--- FAIL: TestGreet\n"}}, nil
					}
					o.Past = func(string, int64) iter.Seq2[loop.Event, error] { return func(func(loop.Event, error) bool) {} }
				})
				do(m, redraw{})
				press(m, tt.keys...)
				wantGolden(t, name, screen(m)+"\n")
			})
		}
	}
}
