package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
)

// A client is served over two pipes, and may leave whenever it likes.
func TestServeOverPipes(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(hangUp, cancel func())
	}{
		{"until the client hangs up", func(hangUp, _ func()) { hangUp() }},
		{"until it is not wanted any more", func(_, cancel func()) { cancel() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, ask := io.Pipe()
			answers, out := io.Pipe()
			ended := make(chan error)
			go func() {
				ended <- Serve(ctx, newScene(t).Options, in, out)
			}()
			fmt.Fprintln(ask, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			got, err := bufio.NewReader(answers).ReadString('\n')
			if err != nil || !strings.Contains(got, `"name":"refrain"`) {
				t.Errorf("the server says %q, %v", got, err)
			}
			tt.end(func() { ask.Close() }, cancel)
			if err := <-ended; err != nil {
				t.Errorf("Serve = %v, want a quiet end", err)
			}
			ask.Close()
			answers.Close()
		})
	}
}

// What was asked is answered, though the client closes its side at once: a pipe
// in a shell does. Who waits for something to happen hears that nothing did.
func TestServeAnswersWhatWasAskedBeforeTheEnd(t *testing.T) {
	s := newScene(t)
	s.run().held("")
	s.Follow = coming(time.Hour)
	asked := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, q := range []string{`{"name":"list_runs","arguments":{}}`, `{"name":"watch_run","arguments":{"wait_seconds":600}}`, `{"name":"get_run","arguments":{}}`} {
		asked += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", 2+strings.Count(asked, "tools/call"), q)
	}
	in, ask, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(ask, asked)
		ask.Close()
	}()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := Serve(ctx, s.Options, in, unclosed{&out}); err != nil || ctx.Err() != nil {
		t.Errorf("Serve = %v, %v; want a quiet end, soon", err, ctx.Err())
	}
	for id := 1; id <= 4; id++ {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result"`, id)) {
			t.Errorf("%d is not answered:\n%s", id, out.String())
		}
	}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func TestServeSaysWhenThereIsNoWorkTree(t *testing.T) {
	gone := errors.New("no such folder")
	o := Options{Store: func() (journal.Store, error) { return journal.Store{}, gone }}
	if err := Serve(context.Background(), o, nil, nil); !errors.Is(err, gone) {
		t.Errorf("Serve = %v, want %v", err, gone)
	}
}

func TestToolsAreOfferedAsAllowed(t *testing.T) {
	reading := []string{"get_iteration", "get_run", "list_iterations", "list_runs", "watch_run"}
	steering := []string{"add_note", "pause_run", "reboot_run", "resume_run", "skip_iteration", "stop_run"}
	start := func(context.Context, []string) (string, error) { return "", nil }
	for _, tt := range []struct {
		name  string
		allow Options
		want  []string
	}{
		{"as a rule reading and steering", Options{}, slices.Concat(reading, steering)},
		{"read-only, whatever else is said", Options{ReadOnly: true, Raise: true, Start: start}, reading},
		{"raising limits when allowed", Options{Raise: true}, slices.Concat(reading, steering, []string{"raise_limit"})},
		{"starting runs when allowed", Options{Start: start}, slices.Concat(reading, steering, []string{"start_run"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.ReadOnly, s.Raise, s.Start = tt.allow.ReadOnly, tt.allow.Raise, tt.allow.Start
			list, err := s.client().ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range list.Tools {
				got = append(got, tool.Name)
				if tool.Description == "" || tool.OutputSchema == nil {
					t.Errorf("%s has no description or no schema of its answer", tool.Name)
				}
				if reads := slices.Contains(reading, tool.Name); tool.Annotations.ReadOnlyHint != reads {
					t.Errorf("%s says of itself that it only reads: %v", tool.Name, !reads)
				}
			}
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("tools = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestInstructionsNameTheWorkTree(t *testing.T) {
	s := newScene(t)
	told := s.client().InitializeResult()
	if !strings.Contains(told.Instructions, s.store.Tree) || told.ServerInfo.Version != "1.2.3" {
		t.Errorf("the server says %q, %+v", told.Instructions, told.ServerInfo)
	}
}

func TestArgumentsThatNobodyKnowsAreRefused(t *testing.T) {
	newScene(t).fails("stop_run", map[string]any{"force": true}, "force")
}
