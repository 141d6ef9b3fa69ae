package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/governor"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
)

// board is the place where the runs of this user note limits, as one run sees
// it: by the names of its agents.
type board struct {
	governor *governor.Board
	accounts map[string]string // by agent
	agents   map[string]string // by account
	models   map[string]string // by agent; empty: not known
	run      string
	tree     string
}

// openBoard opens the place where limits are noted. A rehearsal has no provider, and
// nobody knows whom a command asks.
func openBoard(a request.Assignment, l *lineup.Lineup, run string) (engine.Shared, func()) {
	if len(a.Request.Command) > 0 {
		return nil, func() {}
	}
	dir, err := project.Folder(os.Getenv)
	if err != nil {
		return nil, func() {} // no home: there is nobody to share with
	}
	b := &board{governor: governor.Open(dir), accounts: map[string]string{}, agents: map[string]string{}, models: map[string]string{l.Name(): a.Config().Model}, run: run, tree: a.Tree}
	for _, name := range l.Names() {
		if own := a.Request.Extensions.Agent; own != nil && own.Name == name {
			continue // nobody knows whom it asks either
		}
		if account := accountOf(name, a.Config().Agents[name].Env); account != "" {
			b.accounts[name], b.agents[account] = account, name
		}
	}
	return b, func() { _ = b.governor.Release(b.tree + "\x00" + run) } // what stays is past at its time
}

// accountOf tells whose limit an agent meets: the key that it bills, or else its
// own sign-in. No part of a key can be read from it.
func accountOf(name string, env map[string]string) string {
	if name == "rehearsal" && env[rehearsedAccount] == "" {
		return ""
	}
	for _, key := range append(agent.TraitsOf(name).Keys, rehearsedAccount) {
		value := env[key]
		if value == "" {
			value = os.Getenv(key)
		}
		if value != "" {
			sum := sha256.Sum256([]byte(key + "=" + value))
			return name + "/" + hex.EncodeToString(sum[:6])
		}
	}
	return name
}

// concerns tells whether a limit of that kind is one for the model: some are of a
// family of models, which the kind names.
func concerns(kind, model string) bool {
	family, of := strings.CutPrefix(kind, "weekly_")
	return !of || model == "" || strings.Contains(strings.ToLower(model), family)
}

// rehearsedAccount makes a rehearsal take part: its limits are those of this
// made-up account.
const rehearsedAccount = "REFRAIN_REHEARSAL_ACCOUNT"

func (b *board) Noted(now time.Time) ([]loop.Away, error) {
	var accounts []string
	for account := range b.agents {
		accounts = append(accounts, account)
	}
	found, err := b.governor.Look(accounts, now)
	var list []loop.Away
	for account, e := range found {
		if e.Run == b.run && e.Tree == b.tree || !concerns(e.Kind, b.models[b.agents[account]]) {
			continue // this run has it in its own journal, or uses another model
		}
		list = append(list, loop.Away{
			Agent: b.agents[account], Kind: loop.ErrUsageLimit, Since: e.At, At: e.At, Tries: 1, By: e.Run + " in " + e.Tree,
			Limit: &loop.Limit{Kind: e.Kind, Until: e.Ends()},
		})
	}
	return list, tolerable(err)
}

func (b *board) Note(a loop.Away) error {
	account, ok := b.accounts[a.Agent]
	if !ok {
		return nil
	}
	e := governor.Entry{Account: account, Agent: a.Agent, Kind: string(a.Kind), At: a.At, Run: b.run, Tree: b.tree}
	if a.Limit != nil {
		e.Kind, e.Until = a.Limit.Kind, a.Limit.Until
	}
	return tolerable(b.governor.Note(e))
}

func (b *board) Passed(agent string, began time.Time) error {
	account, ok := b.accounts[agent]
	if !ok {
		return nil
	}
	return tolerable(b.governor.Clear(account, began))
}

func (b *board) Wake(agent string, at, now time.Time) (time.Time, error) {
	account, ok := b.accounts[agent]
	if !ok {
		return at, nil
	}
	wake, err := b.governor.Reserve(account, b.tree+"\x00"+b.run, at, now)
	return wake, tolerable(err)
}

// tolerable leaves out what is put right already: a damaged file was begun anew.
func tolerable(err error) error {
	var damaged *governor.DamagedError
	if errors.As(err, &damaged) {
		return nil
	}
	return err
}
