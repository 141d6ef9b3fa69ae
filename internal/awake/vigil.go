package awake

import (
	"context"
	"sync"
)

// Vigil is one try to keep the machine awake.
type Vigil struct {
	release context.CancelFunc
	tried   chan struct{}
	all     sync.WaitGroup

	mu   sync.Mutex
	held bool
	why  string // it is not held
}

// Hold begins to keep the machine awake and returns at once. The system shows
// why to people who ask it what holds their machine up. Who holds must release.
func Hold(why string) *Vigil {
	ctx, release := context.WithCancel(context.Background())
	v := &Vigil{release: release, tried: make(chan struct{}), why: "this is still being tried"}
	v.all.Go(func() {
		known := sync.OnceFunc(func() { close(v.tried) })
		err := hold(ctx, why, func() { v.note(true, ""); known() })
		if err != nil {
			v.note(false, err.Error())
		} else {
			v.note(false, "it was released")
		}
		known()
	})
	return v
}

func (v *Vigil) note(held bool, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held, v.why = held, why
}

// Tried is closed when it is known whether it could be done, which takes some
// seconds at most.
func (v *Vigil) Tried() <-chan struct{} { return v.tried }

// Held tells whether the machine is being kept awake now and, if not, why.
func (v *Vigil) Held() (held bool, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held, v.why
}

// Release lets the machine sleep again. When it returns, nothing that Hold has
// started is left. It may be called more than once.
func (v *Vigil) Release() {
	v.release()
	v.all.Wait()
}
