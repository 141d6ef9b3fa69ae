package app

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhoWasAtWorkLast(t *testing.T) {
	at := func(hours int) time.Time { return time.Date(2026, 1, 1, hours, 0, 0, 0, time.UTC) }
	began := func(name string, first int, later ...int) journal.Entry {
		e := journal.Entry{Meta: journal.Meta{Name: name}}
		e.First.Time = at(first)
		for _, hours := range later {
			e.Tail = append(e.Tail, loop.Event{Time: at(hours), Payload: &loop.IterationStarted{}})
		}
		return e
	}
	for _, tt := range []struct {
		name string
		runs []journal.Entry
		want string
	}{
		{"none", nil, ""},
		{"one", []journal.Entry{began("a", 1)}, "a"},
		{"the one that began last", []journal.Entry{began("a", 1), began("c", 3), began("b", 2)}, "c"},
		{"the one that was resumed", []journal.Entry{began("a", 1, 2, 9), began("b", 3, 4)}, "a"},
	} {
		if got := lastAtWork(tt.runs); got.Name != tt.want {
			t.Errorf("%s: lastAtWork = %q, want %q", tt.name, got.Name, tt.want)
		}
	}
}

func TestWhoMayHaveLeftProcesses(t *testing.T) {
	unsure := journal.Past{State: loop.State{Talk: loop.Talk{WarnedKeys: []string{loop.UnkeptKey}}}}
	for _, tt := range []struct {
		name   string
		status loop.Status
		past   journal.Past
		want   bool
	}{
		{"one that ended well", loop.Done, journal.Past{}, false},
		{"one whose runner died", loop.Crashed, journal.Past{}, true},
		{"one that could not end all", loop.Done, unsure, true},
	} {
		if got := mayHaveLeft(tt.status, tt.past); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
