// Package trust remembers what a person has said may run of what a work tree
// brings along.
//
// A work tree may be somebody else's: a clone, an archive, a branch that was just
// pulled. What runs in it unasked, or loosens what holds, is a list of items, each
// known by its content. A person says yes to items, once; what is changed is asked
// about again, and nothing else. The answers are kept outside of the tree, for each
// repository, so that work trees share them.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// Item is one thing that a work tree brings along.
type Item struct {
	Name  string `json:"name"`            // what it is: "gate test", "hook started", "claude"
	What  string `json:"what"`            // what would run or happen, on a line, without secrets
	Where string `json:"where,omitempty"` // where it stands: "refrain.toml:9"
	File  string `json:"file"`            // the file, from the root of the work tree, with slashes
	Sum   string `json:"sum"`             // of all of it, also of what is not shown; empty: it cannot be looked at, so nobody can agree to it
}

// Sum is by what an item's content is known: two contents that differ in any part
// have other sums.
func Sum(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// same tells whether a yes to one is a yes to the other. Where a thing stands
// does not matter.
func (i Item) same(other Item) bool { return i.Name == other.Name && i.Sum == other.Sum && i.Sum != "" }

// News is an item that nobody has said yes to.
type News struct {
	Item
	Before *Trusted `json:"before,omitempty"` // what was trusted in its place; nil: it is new
	By     string   `json:"by,omitempty"`     // who changed it, where that is known
}

// Error is that something of a work tree would run which nobody has said yes to.
type Error struct {
	Tree string
	News []News
}

func (e *Error) Error() string {
	if n := e.Unseen(); n != nil {
		return fmt.Sprintf("nobody can agree to what cannot be looked at: %s: %s", n.Where, n.What)
	}
	changed := true
	var names []string
	for _, n := range e.News {
		changed = changed && n.Before != nil
		name := n.Name
		if n.Where == n.File || n.Name == "prompt" { // which one is the question
			name += " (" + n.Where + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if changed {
		return "what this work tree runs has changed since you trusted it: " + text.FirstFew(names)
	}
	return "nobody has trusted what this work tree would run: " + text.FirstFew(names)
}

// Unseen is the first item that cannot be looked at; nil: there is none.
func (e *Error) Unseen() *News {
	i := slices.IndexFunc(e.News, func(n News) bool { return n.Sum == "" })
	if i < 0 {
		return nil
	}
	return &e.News[i]
}

// Hint says what to do.
func (e *Error) Hint() string {
	if e.Unseen() != nil {
		return "make it smaller, or take it away; --trust runs it for one command, unseen"
	}
	return `look at it with "refrain trust --show", then type "refrain trust"; --trust agrees for one command, and "refrain run --untrusted" does without it`
}

// Record is what is trusted in one repository.
type Record struct {
	Place string    `json:"place"`
	Items []Trusted `json:"items"`
}

// Trusted is an item, and when a person said yes to it.
type Trusted struct {
	Item
	At time.Time `json:"at"`
}

// News is what there is of the items that nobody has said yes to, in their order.
func (r Record) News(items []Item) []News {
	var list []News
	for _, item := range items {
		if before, known := r.find(item, items); !known {
			list = append(list, News{Item: item, Before: before})
		}
	}
	return list
}

// find tells whether an item is trusted, and if not, what was last trusted in its
// place and is there no more.
func (r Record) find(item Item, items []Item) (before *Trusted, known bool) {
	for i := len(r.Items) - 1; i >= 0; i-- {
		was := r.Items[i]
		if was.same(item) {
			return nil, true
		}
		if before == nil && was.Name == item.Name && was.File == item.File && !slices.ContainsFunc(items, was.same) {
			before = &was
		}
	}
	return before, false
}

// maxItems is how many items are kept of one repository: what was trusted long
// ago, and changed since, is asked about again.
const maxItems = 2000

// with is the record with more items, which are the newest from now on.
func (r Record) with(items []Item, at time.Time) Record {
	more := Record{Place: r.Place}
	for _, old := range r.Items {
		again := false
		for _, item := range items {
			again = again || old.same(item)
		}
		if !again {
			more.Items = append(more.Items, old)
		}
	}
	if extra := len(more.Items) + len(items) - maxItems; extra > 0 { // what was said now is kept in any case
		more.Items = more.Items[min(extra, len(more.Items)):]
	}
	for _, item := range items {
		if item.Sum != "" {
			more.Items = append(more.Items, Trusted{item, at})
		}
	}
	return more
}

func (r Record) encode() ([]byte, error) { return json.MarshalIndent(r, "", "\t") }
