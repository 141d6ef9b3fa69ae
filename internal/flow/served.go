package flow

import (
	"context"
	"time"
)

// How often a worker looks whether its server is there. What it does for it else says
// nothing: the SDK tries again in silence, for as long as it takes.
const (
	lookEvery = 5 * time.Second
	lookTime  = 5 * time.Second // that an answer may take
)

// watch tells whether the server answers, until ctx is done.
func (l *line) watch(ctx context.Context, served func(bool)) {
	for {
		try, cancel := context.WithTimeout(ctx, lookTime)
		err := l.known(try)
		cancel()
		if ctx.Err() != nil {
			return
		}
		served(err == nil)
		select {
		case <-ctx.Done():
		case <-time.After(lookEvery):
		}
	}
}
