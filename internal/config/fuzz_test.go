package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// Whatever stands in refrain.toml, Load ends: with settings that can be shown
// and stored, or with problems that say where they are.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "\ufeffmodel = \"x\"\r\n", "[loop]\nmax_iterations = \"none\"\n", "[[loop]]\n", "agents.a.env = { \"\" = 1 }",
		"[agents.a]\ncommand = [\"a\", \"--key\", \"s\"]\n", "[procedures.p.done]\npromise = \"X\"\n", "loop = [{ a = { b = 1 } }]",
		"model = \"\xff\"", "a.b.c.d = 1979-05-27T07:32:00Z", "stop.patterns = [\"(\"]", "profile = \"rooda\"", "x = '''", "= 1", "\"\" = 1",
		"[[gate]]\nname = \"a\"\nrun = \"x && y\"\n[[gate]]\nname = \"b.c\"\nagent = \"auto\"\nprompt = \"?\"\npin = [\"*\"]", "gate = [{ name = \"a\", run = \"x\" }, 1]",
		"[[procedures.p.gate]]\nnme = 1\n[procedures.p.gate.x]", "[gate]\nname = \"a\"", "[[gate]]\n[[gate.gate]]\n[gate.gate.a]\nb = [{ c = [{ d = 1 }] }]",
		"commands = { test = \"TOKEN=x y\", as_gates = true }\ndone = { gates = true, confirmations = 2 }", "git = { branch = \"x\", checkpoint = false, on_regression = \"rollback\" }",
		"[procedures.p]\ntitle = \"# T\"\nparts = [\"builtin:a/b\", \"x.md\", { section = \"S\", text = \"t\" }]\nact = []", "[[procedures.p.parts]]\nfile = \"builtin:x\"\n[[procedures.p.parts]]\nfil = 1",
		"[prices.\"m.1\"]\ninput = 1\n[prices.m.2]\noutput = -1\n[prices.\"\"]", "[procedures.p.notify.webhook.headers]\nA = \"x\"\n\"B C\" = 1\n[notify]\nquiet = \"22:00-\"\nslack = { url = \"x\" }",
		"limits.fallback = [\"rehearsal\", \"x\"]\ncontext = { warn = 99, redline = 1 }\nmetrics.listen = \":1\"\nnotify.email.to = [\"a@b\"]",
		"procedures.p = { prompt = \"x\", observe = [1, [], { text = \"a\", file = \"b\" }] }", "[hooks.run]\nstarted = \"TOKEN=x y\"\n[hooks]\ntimeout = \"0s\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := t.TempDir()
		if err := os.WriteFile(filepath.Join(tree, FileName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Load(Sources{Tree: tree, Agents: []string{"rehearsal"}, Fragments: []string{"a/b"}, Aliases: map[string]string{"q": "p"}})
		if err == nil {
			if _, err := json.Marshal(r.Masked()); err != nil {
				t.Errorf("the settings cannot be stored: %v", err)
			}
			for _, s := range r.Settings() {
				if _, ok := tomlfile.Value(string(s.Value)); !ok {
					t.Errorf("%s is shown as %s, which is no TOML", s.Key, s.Value)
				}
			}
			return
		}
		var all *Errors
		if !errors.As(err, &all) || len(all.Problems) == 0 {
			t.Fatalf("Load gave %T %v, want *Errors", err, err)
		}
		for _, p := range all.Problems {
			if p.What == "" || p.File != FileName || p.Line < 1 || p.Col < 1 {
				t.Errorf("a problem without its place: %+v", p)
			}
		}
	})
}

// Whatever a flag or a variable says, it is read or refused.
func FuzzText(f *testing.F) {
	f.Add("loop.backoff=1s")
	f.Add("stop.patterns=[\"a\", 'b']")
	f.Add("agents.a.env.\"x y\"=***")
	f.Add("a\n=1")
	f.Add("commands.test=TOKEN=x y")
	f.Add("git.branch=true")
	f.Add("gate=x")
	f.Add("procedures.p.parts=[{ text = \"a\" }, \"b\"]")
	f.Add("procedures.p.act=[")
	f.Add("prices.\"m.1\".input=1")
	f.Add("NOTIFY_WEBHOOK_HEADERS={ a = \"b\", \"c d\" = 1 }")
	f.Fuzz(func(t *testing.T, arg string) {
		flag, err := ParseSet(arg)
		if err != nil {
			return
		}
		if again := flag.Masked().Masked(); again != flag.Masked() {
			t.Errorf("masked twice: %+v, once: %+v", again, flag.Masked())
		}
		_, err = Load(Sources{Flags: []Flag{flag}, Environ: []string{"REFRAIN_" + arg}})
		var all *Errors
		if err != nil && !errors.As(err, &all) {
			t.Errorf("Load gave %T %v, want *Errors", err, err)
		}
	})
}

// Whatever a prompt says of settings, it is taken or refused at its place.
func FuzzFront(f *testing.F) {
	f.Add("done.promise", "X")
	f.Add("agents", "X")
	f.Add("gate.a.run", "X")
	f.Add("procedures.\"\".act", "X")
	f.Add("loop.max_time", "1h")
	f.Fuzz(func(t *testing.T, key, value string) {
		for _, p := range problems(t, Sources{Front: brings(key, value)}) {
			if p.What == "" || p.File != "PROMPT.md" || p.Line != 3 {
				t.Errorf("a problem without its place: %+v", p)
			}
		}
	})
}
