package governor

import (
	"slices"
	"time"
)

// Entry is a limit that one run met. It holds for all runs of the account.
type Entry struct {
	Account string    `json:"account"`
	Agent   string    `json:"agent"`
	Kind    string    `json:"kind"`
	Until   time.Time `json:"until,omitzero"` // zero: the provider did not say
	At      time.Time `json:"at"`             // when it was met
	Run     string    `json:"run"`
	Tree    string    `json:"tree"`
}

const (
	// unstated is how long a limit holds of which the provider did not say it.
	unstated = 10 * time.Minute

	// longest is beyond the longest window of any provider, which is a month.
	// A time further off was misread, and would keep all runs away for years.
	longest = 32 * 24 * time.Hour

	// mostEntries bounds the file, whatever runs do.
	mostEntries = 200
)

// Ends is when the limit no longer holds.
func (e Entry) Ends() time.Time {
	if e.Until.IsZero() {
		return e.At.Add(unstated)
	}
	return e.Until
}

// holds tells whether the limit is one now. It is not when it comes from a time
// that is yet to come: then the clock was wrong, and may have been by years.
func (e Entry) holds(now time.Time) bool {
	return now.Before(e.Ends()) && e.At.Sub(now) < unstated
}

// replaces tells whether e takes the place of an earlier entry. When both are of
// the same limit, the later knows better, unless only the earlier knows the end.
func (e Entry) replaces(earlier Entry) bool {
	if e.Account != earlier.Account || e.Kind != earlier.Kind || e.At.Before(earlier.At) {
		return false
	}
	return !e.Until.IsZero() || earlier.Until.IsZero()
}

// add notes a limit and forgets what was over when it was met.
func add(list []Entry, e Entry) []Entry {
	if e.Until.Sub(e.At) > longest {
		e.Until = time.Time{}
	}
	e.At, e.Until = e.At.UTC(), e.Until.UTC()
	list = slices.DeleteFunc(list, func(old Entry) bool { return !e.At.Before(old.Ends()) || e.replaces(old) })
	list = append(list, e)
	slices.SortStableFunc(list, func(a, b Entry) int { return a.At.Compare(b.At) })
	return list[max(0, len(list)-mostEntries):]
}

// holding is, of each account, the limit that holds the longest.
func holding(list []Entry, accounts []string, now time.Time) map[string]Entry {
	found := map[string]Entry{}
	for _, e := range list {
		if !e.holds(now) || !slices.Contains(accounts, e.Account) {
			continue
		}
		if other, ok := found[e.Account]; !ok || e.Ends().After(other.Ends()) {
			found[e.Account] = e
		}
	}
	return found
}
