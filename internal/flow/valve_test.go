package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/worker"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// However workers draw, come, go and fall silent: the account never deals out more than it
// allows, counts every spending once, and tells everybody of a limit that one has met.
func TestAnAccountDealsOutNoMoreThanItAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)
		slots := rapid.IntRange(1, 6).Draw(t, "slots")
		b := book{Account: fleet.Account{Slots: slots}}
		number := map[string]int{}
		var spent float64
		var limit time.Time
		unheard := map[string]drawn{} // draws whose answer was lost
		for range rapid.IntRange(1, 60).Draw(t, "draws") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "later")) * time.Second)
			if rapid.Bool().Draw(t, "heals") { // a worker was cut off for a while, and says again what it had said
				for _, worker := range slices.Sorted(maps.Keys(unheard)) {
					b.draw(unheard[worker], now)
				}
				clear(unheard)
			}
			d := drawn{Session: "s", Draw: fleet.Draw{Worker: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "worker")}}
			if _, cut := unheard[d.Worker]; cut {
				continue // it says nothing new before that is answered
			}
			d.Want = rapid.IntRange(0, 8).Draw(t, "want")
			if mine := b.Account.Portions[d.Worker]; now.Before(mine.Ends) {
				d.Busy = rapid.IntRange(0, mine.Slots).Draw(t, "busy")
			}
			d.Spent = float64(rapid.IntRange(0, 4).Draw(t, "spent"))
			d.Gone = rapid.Bool().Draw(t, "gone")
			if rapid.Bool().Draw(t, "limited") {
				d.Until = now.Add(time.Minute)
				limit = d.Until
			}
			number[d.Worker]++
			d.Number = number[d.Worker]
			spent += d.Spent
			for range rapid.IntRange(1, 3).Draw(t, "said") { // the answer to the first may be lost
				p := b.draw(d, now)
				if !p.Until.Equal(limit) {
					t.Fatalf("%s hears of a limit until %s, and there is one until %s", d.Worker, p.Until, limit)
				}
				if d.Gone {
					break // whoever has gone does not say so again
				}
			}
			if rapid.Bool().Draw(t, "cut") {
				again := d
				again.Busy, again.Want, again.Until = 0, 0, time.Time{}
				unheard[d.Worker] = again
			}
			dealt := 0
			for _, p := range live(b.Account, now).Portions {
				dealt += p.Slots
			}
			if dealt > slots {
				t.Fatalf("%d slots are dealt out, of %d: %+v", dealt, slots, b.Account.Portions)
			}
		}
		if b.Account.SpentUSD != spent {
			t.Fatalf("%v was spent, and %v was counted", spent, b.Account.SpentUSD)
		}
	})
}

// A worker keeps to its portion, whichever way legs come to it.
func TestAValveLetsInNoMoreThanThePortion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newValve("w", 4, nil)
		portion := func() {
			v.portion = fleet.Portion{Slots: rapid.IntRange(0, 6).Draw(t, "slots"), Ends: time.Now().Add(time.Hour)}
		}
		portion()
		var far, near int // legs that are here
		polls := 0        // slots for polls that have brought none yet
		quick, cancel := context.WithCancel(t.Context())
		cancel()
		allowed := func() int { return min(v.portion.Slots, 4) }
		for range 40 {
			switch rapid.SampledFrom([]string{"poll", "comes", "near", "over", "nearOver", "nothing", "portion"}).Draw(t, "act") {
			case "poll":
				if _, err := v.ReserveSlot(quick, nil); err == nil {
					polls++
					if polls+far+near > allowed() {
						t.Fatalf("a leg is asked for, with %d here, %d to come, and room for %d", far+near, polls, allowed())
					}
				}
			case "comes":
				if polls == 0 {
					break
				}
				polls--
				if v.enter(false, false) {
					far++
				} else {
					v.ReleaseSlot(nil)
				}
			case "near":
				if v.enter(true, false) {
					near++
				}
			case "over":
				if far > 0 {
					far--
					v.leave(false)
					v.ReleaseSlot(nil)
				}
			case "nearOver":
				if near > 0 {
					near--
					v.leave(true)
				}
			case "nothing":
				if polls > 0 {
					polls--
					v.ReleaseSlot(nil)
				}
			case "portion":
				before := far + near
				if portion(); before > allowed() && v.enter(true, false) {
					t.Fatalf("a leg came in, with %d here and room for %d", before, allowed())
				}
			}
		}
		if v.busy != far+near || v.polls != polls+far || v.near != near {
			t.Fatalf("it has counted %d, %d and %d; there are %d, %d and %d", v.busy, v.polls, v.near, far+near, polls+far, near)
		}
	})
}

// counter is an account that some workers draw from.
type counter struct {
	mu   sync.Mutex
	book book
	lost error // what is answered, though it has counted
}

func (c *counter) ask(_ context.Context, d drawn) (fleet.Portion, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.draw(d, time.Now()), c.lost
}

// loses has the answers be lost from now on, or arrive again.
func (c *counter) loses(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = err
}

func (c *counter) spent() (usd float64, tokens int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.Account.SpentUSD, c.book.Account.SpentTokens
}

// reserves tells whether a leg may be asked for now.
func reserves(v *valve) bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := v.ReserveSlot(ctx, nil)
	if err == nil {
		v.ReleaseSlot(worker.SlotReleaseInfo(nil))
	}
	return err == nil
}

// hurries tells whether a leg that a person hurries may be asked for now.
func hurries(v *valve) bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := hurried{v}.ReserveSlot(ctx, nil)
	return err == nil
}

// A limit that one worker meets holds the others back, and everybody goes on when it is
// over.
func TestALimitIsKnownToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		var valves []*valve
		for i := range 3 {
			v := newValve(fmt.Sprint("w", i), 2, c.ask)
			go v.serve(t.Context())
			valves = append(valves, v)
		}
		synctest.Wait()
		valves[0].hold(time.Now().Add(time.Hour))
		time.Sleep(drawEvery + time.Second)
		for i, v := range valves {
			if reserves(v) {
				t.Errorf("worker %d asks for legs though there is a limit", i)
			}
		}
		if v := valves[1]; !hurries(v) || !v.enter(true, true) {
			t.Error("a leg that a person hurries waits for the limit")
		} else {
			v.leave(true)
		}
		got := make(chan error, 1)
		go func() {
			_, err := valves[2].ReserveSlot(t.Context(), nil)
			got <- err
		}()
		began := time.Now()
		if err := <-got; err != nil || time.Since(began) < 59*time.Minute-drawEvery || time.Since(began) > time.Hour {
			t.Errorf("it asks again after %s, %v", time.Since(began), err)
		}
	})
}

// What was spent is counted once, also where answers are lost; and a portion that has
// ended is no portion.
func TestSpendingIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{book: book{Account: fleet.Account{CostUSD: 3}}}
		v := newValve("w", 2, c.ask)
		go v.serve(t.Context())
		synctest.Wait()
		broke := v.spend(1, 100)
		if usd, _ := c.spent(); broke || usd != 1 {
			t.Errorf("after 1 of 3 were spent: broke %t, counted %v", broke, usd)
		}
		c.loses(errors.New("the answer is lost"))
		v.spend(1, 100)
		time.Sleep(portionTime)
		if usd, _ := c.spent(); usd != 2 || reserves(v) {
			t.Errorf("without answers %v was counted, and it asks for legs: %t", usd, reserves(v))
		}
		c.loses(nil)
		time.Sleep(drawEvery + time.Second)
		if usd, tokens := c.spent(); usd != 2 || tokens != 200 || !reserves(v) {
			t.Errorf("then %v and %d were counted, and it asks for legs: %t", usd, tokens, reserves(v))
		}
		if !v.enter(true, false) || !reserves(v) {
			t.Error("with room for two, one leg keeps the other out")
		}
		broke = v.spend(1, 0)
		v.leave(true) // its room is nobody's
		if !broke || reserves(v) || hurries(v) || v.enter(false, false) || v.enter(true, true) {
			t.Error("all is spent, and it goes on")
		}
	})
}

// A worker that was cut off for longer than its portion lasts says again what it has
// spent; others have drawn meanwhile, and it counts once all the same.
func TestSpendingIsCountedOnceAfterACut(t *testing.T) {
	var b book
	now := time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)
	said := drawn{Session: "s", Number: 1, Draw: fleet.Draw{Worker: "a", Spent: 5, Tokens: 50}}
	b.draw(said, now)
	for n := range 4 {
		b.draw(drawn{Session: "t", Number: n, Draw: fleet.Draw{Worker: "b"}}, now.Add(time.Duration(n)*portionTime))
	}
	b.draw(said, now.Add(4*portionTime))
	if b.Account.SpentUSD != 5 || b.Account.SpentTokens != 50 {
		t.Errorf("5 and 50 were spent, and %v and %d were counted", b.Account.SpentUSD, b.Account.SpentTokens)
	}
	b.draw(drawn{Session: "t", Number: 9, Draw: fleet.Draw{Worker: "b"}}, now.Add(3*readTime))
	if len(b.Read) != 1 {
		t.Errorf("after days it still knows %+v", b.Read)
	}
}

// Who leaves tells all that it has spent, also what came after a draw that was not
// answered, and does not try for ever.
func TestWhoLeavesTellsAllThatItHasSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		v := newValve("w", 2, c.ask)
		v.draw(t.Context(), false)
		c.loses(errors.New("the answer is lost"))
		v.spend(1, 10)
		v.draw(t.Context(), false) // not answered
		v.spend(2, 20)
		time.AfterFunc(lastTime/2, func() { c.loses(nil) })
		v.end(t.Context())
		if usd, tokens := c.spent(); usd != 3 || tokens != 30 {
			t.Errorf("3 and 30 were spent, and %v and %d were counted", usd, tokens)
		}
		if len(c.book.Account.Portions) != 0 {
			t.Errorf("it has gone, and has %+v", c.book.Account.Portions)
		}
		c.loses(errors.New("no server"))
		v.spend(1, 0)
		began := time.Now()
		v.end(t.Context())
		if took := time.Since(began); took > lastTime+drawTime {
			t.Errorf("it tried for %s", took)
		}
	})
}
