package governor

import (
	"slices"
	"time"
)

// wake is when a run means to try again.
type wake struct {
	Account string    `json:"account"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
}

const (
	// apart is how far two runs of one account keep from each other. One that
	// finds the limit still there has noted so by the time the next one wakes.
	apart = 2 * time.Second

	// mostWakes bounds the file, whatever runs do.
	mostWakes = 200
)

// reserve gives the run the first time from the given one on that is free, and
// gives up the one that it had.
func reserve(list []wake, account, run string, from, now time.Time) ([]wake, time.Time) {
	from = from.UTC()
	if from.Before(now) {
		from = now.UTC()
	}
	list = slices.DeleteFunc(list, func(w wake) bool {
		return w.At.Add(apart).Before(now) || w.Account == account && w.Run == run
	})
	at := free(list, account, from)
	list = append(list, wake{Account: account, Run: run, At: at})
	return list[max(0, len(list)-mostWakes):], at
}

// free is the first time from the given one on that is not near another wake.
func free(list []wake, account string, from time.Time) time.Time {
	var taken []time.Time
	for _, w := range list {
		if w.Account == account {
			taken = append(taken, w.At)
		}
	}
	slices.SortFunc(taken, time.Time.Compare)
	for _, t := range taken {
		if from.Sub(t).Abs() < apart {
			from = t.Add(apart)
		}
	}
	return from
}

// wakes tells whether the run has reserved a time.
func wakes(list []wake, run string) bool {
	return slices.ContainsFunc(list, func(w wake) bool { return w.Run == run })
}
