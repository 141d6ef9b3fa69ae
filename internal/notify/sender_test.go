package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// inbox keeps what arrives.
type inbox struct {
	mu    sync.Mutex
	kinds []Kind
}

func (i *inbox) add(m Message) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kinds = append(i.kinds, m.Kind)
}

func (i *inbox) want(t *testing.T, kinds ...Kind) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	if !slices.Equal(i.kinds, kinds) {
		t.Errorf("arrived: %v, want %v", i.kinds, kinds)
	}
}

// healthy is a channel on which everything arrives.
func (i *inbox) healthy(_ context.Context, m Message) error {
	i.add(m)
	return nil
}

func TestMessagesArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var one, two inbox
		s := sender(t, Settings{On: every(), Every: time.Minute}, one.healthy, two.healthy)
		s.Observe(overBudget())
		time.Sleep(30 * time.Second)
		s.Observe(overBudget()) // too soon
		time.Sleep(30 * time.Second)
		s.Observe(overBudget())
		s.Observe(finished(loop.Done, loop.ByPlan))
		synctest.Wait()
		s.Close()
		s.Observe(overBudget()) // too late
		s.Close()
		one.want(t, Budget, Budget, Done)
		two.want(t, Budget, Budget, Done)
	})
}

func TestOnlyWhatIsAskedFor(t *testing.T) {
	for on, want := range map[string][]Kind{
		"":             nil,
		"done":         {Done},
		"budget":       {Budget},
		"person":       {Aborted}, // it needs one
		"aborted done": {Aborted, Done},
	} {
		synctest.Test(t, func(t *testing.T) {
			var in inbox
			s := sender(t, Settings{On: strings.Fields(on)}, in.healthy)
			for _, e := range []loop.Event{overBudget(), finished(loop.Aborted, loop.ByBlocked), finished(loop.Done, loop.ByPlan)} {
				s.Observe(e)
			}
			synctest.Wait()
			in.want(t, want...)
			s.Close()
		})
	}
}

func TestASlowChannelHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fast inbox
		release := make(chan struct{})
		slow := func(context.Context, Message) error { <-release; return nil }
		s := sender(t, Settings{On: every()}, slow, fast.healthy)
		for range 3 {
			s.Observe(overBudget())
		}
		synctest.Wait()
		fast.want(t, Budget, Budget, Budget)
		close(release)
		s.Close()
	})
}

func TestAFullQueueLosesItsOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var warnings []loop.Warning
		release := make(chan struct{})
		slow := func(_ context.Context, m Message) error {
			<-release
			in.add(m)
			return nil
		}
		s := sender(t, Settings{On: every(), Warn: func(w loop.Warning) { warnings = append(warnings, w) }}, slow)
		const more = 5
		for range 1 + queueLength + more - 1 {
			s.Observe(overBudget())
			synctest.Wait() // the first is in hand
		}
		s.Observe(finished(loop.Done, loop.ByPlan))
		close(release)
		s.Close()
		if len(in.kinds) != 1+queueLength || !slices.Contains(in.kinds, Done) {
			t.Errorf("arrived: %d, %v; want %d and the end among them", len(in.kinds), in.kinds, 1+queueLength)
		}
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0].Text, fmt.Sprintf("(fake): %d so far", more)) {
			t.Errorf("warnings = %+v, want one that counts %d", warnings, more)
		}
	})
}

func TestAFailureIsToldOnceAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warnings []loop.Warning
		tries := 0
		broken := func(context.Context, Message) error {
			tries++
			return errors.New("no\x1b[2J way")
		}
		s := sender(t, Settings{On: every(), Warn: func(w loop.Warning) { warnings = append(warnings, w) }}, broken)
		for range 3 {
			s.Observe(overBudget())
		}
		s.Close()
		if tries != 3 || len(warnings) != 1 || warnings[0].Text != "a message to people was not sent (fake): no way" {
			t.Errorf("%d tries, warnings %+v", tries, warnings)
		}
	})
}

func TestAWarningMayComeBackAsAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *Sender
		warn := func(w loop.Warning) { s.Observe(event(&w)) }
		s = sender(t, Settings{On: every(), Warn: warn}, func(context.Context, Message) error { return errors.New("no") })
		s.Observe(overBudget())
		s.Close()
	})
}

// hangs is a channel on which the first message hangs until it is given up.
func hangs(in *inbox) notify {
	first := true
	return func(ctx context.Context, m Message) error {
		if first {
			first = false
			<-ctx.Done()
			return ctx.Err()
		}
		in.add(m)
		return nil
	}
}

func TestTheEndIsSentPastWhatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		var warnings []loop.Warning
		s := sender(t, Settings{On: every(), Warn: func(w loop.Warning) { warnings = append(warnings, w) }}, hangs(&in))
		s.Observe(overBudget())
		synctest.Wait()
		s.Observe(overBudget())
		s.Observe(finished(loop.Done, loop.ByPlan))
		start := time.Now()
		s.Close()
		in.want(t, Done, Budget)
		if took := time.Since(start); took != closeTime/2 {
			t.Errorf("Close took %s", took)
		}
		if len(warnings) != 1 || !strings.HasSuffix(warnings[0].Text, "it took too long") {
			t.Errorf("warnings = %+v", warnings)
		}
	})
}

func TestTheLastMessageHasAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		slow := func(ctx context.Context, m Message) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(closeTime - time.Second):
				in.add(m)
				return nil
			}
		}
		s := sender(t, Settings{On: every()}, slow)
		s.Observe(finished(loop.Done, loop.ByPlan))
		synctest.Wait()
		s.Close()
		in.want(t, Done)
	})
}

func TestCloseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		s := sender(t, Settings{On: every(), Warn: func(loop.Warning) {}}, hangs(&in))
		s.Observe(finished(loop.Done, loop.ByPlan))
		start := time.Now()
		s.Close()
		if took := time.Since(start); took != closeTime {
			t.Errorf("Close took %s", took)
		}
		in.want(t)
	})
}

func TestCloseDoesNotWaitForWhatNothingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := sender(t, Settings{On: every()}, func(context.Context, Message) error { <-release; return nil })
		s.Observe(finished(loop.Done, loop.ByPlan))
		start := time.Now()
		s.Close()
		if took := time.Since(start); took != closeTime+lastTime {
			t.Errorf("Close took %s", took)
		}
		close(release)
	})
}

func TestAMessageTakesNoLongerThanItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in inbox
		s := sender(t, Settings{On: every(), Warn: func(loop.Warning) {}}, hangs(&in))
		s.Observe(overBudget())
		s.Observe(overBudget())
		time.Sleep(sendTime)
		synctest.Wait()
		in.want(t, Budget)
		s.Close()
	})
}

func TestTestReachesEveryChannel(t *testing.T) {
	bad := errors.New("no")
	var in inbox
	night := time.Now().Local()
	s := sender(t, Settings{Quiet: night.Add(-time.Hour).Format("15:04") + "-" + night.Add(time.Hour).Format("15:04")},
		in.healthy, func(context.Context, Message) error { return bad })
	got := s.Test(t.Context())
	if want := []Result{{"fake", nil}, {"fake", bad}}; !slices.Equal(got, want) {
		t.Errorf("results = %v, want %v", got, want)
	}
	in.want(t, Test)
}

func TestARunIsFollowedToAServer(t *testing.T) {
	server := serve(t, nil)
	s, err := New(Settings{
		On: every(), Webhook: Webhook{URL: server.URL + secret, Template: "{{json .Title}}"},
		Warn: func(w loop.Warning) { t.Errorf("warning: %+v", w) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Observe(event(&loop.RunStarted{Name: "build-7", Procedure: "build"}))
	s.Observe(event(&loop.AgentText{Text: "done"}))
	s.Observe(finished(loop.Done, loop.ByPlan))
	s.Close()
	if _, body := server.only(t); body != `"refrain: build-7 is done, unproven"` {
		t.Errorf("body %s", body)
	}
	for _, r := range s.Test(t.Context()) {
		if r.Channel != "webhook" || r.Err != nil {
			t.Errorf("result = %+v", r)
		}
	}
}
