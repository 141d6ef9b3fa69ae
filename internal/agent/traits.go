package agent

import (
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/price"
)

// Traits are what whoever plans a run should know of a CLI beforehand. They
// stand in the agent's own file.
type Traits struct {
	Tokens bool // its output tells the tokens
	Cost   bool // and the cost, so that none need be estimated
	Turns  bool // it can be told how many turns it may take

	Sessions bool // it can continue a session that it told of

	// Measured is the versions that its file was written by, the newest last. What it
	// has in common with later ones is not known.
	Measured []string

	// Keys name the variables by which it bills an API key, where it could bill
	// a subscription too.
	Keys []string
	// Secrets name all variables with which it buys from a provider of models, and
	// those of Keys are among them. Only agents get them (see Apart). What opens
	// more than that, such as GITHUB_TOKEN or a cloud's own keys, is not here:
	// gates may need it for their work.
	Secrets []string
	// Root names the variable without which it refuses, when run by root, to
	// skip permissions; empty: it does not mind.
	Root string
	// Home is where it can be had.
	Home string
	// Hosts are those that it must reach to work and to renew its sign-in, where
	// that does not depend on a key: see Hosts. Not those of telemetry, updates
	// and of signing in, which is done before.
	Hosts []string
	// Bases name the variables that send it elsewhere.
	Bases []string
	// SignIn is how to tell whether somebody has signed in; zero: nobody can tell.
	SignIn SignIn
	// State is what it keeps of its own.
	State State
}

// State is what a CLI keeps of its own in the home folder.
type State struct {
	Folder string   // the first one, which a variable may name
	In     string   // that variable; empty: there is none
	More   []string // others, which end in a slash, and files, below the home folder
	// Private is what lies below the home folder, acts on later calls, and is written to
	// nonetheless: the agent gets a copy.
	Private []string
	// Keep is what lies below Folder and acts on later calls, as settings with hooks
	// do: an agent has no business changing it.
	Keep []string
	// Partly is a file of More that the agent writes all the time, and has keys that act
	// on later calls.
	Partly Partly
	// Secret is what lies below Folder and is a sign-in of the user's.
	Secret []string
	// Diary is patterns below Folder of the files in which it tells more than it prints
	// while it works: see DiaryOf.
	Diary []string
}

// Partly is a JSON file of which an agent has no business changing some keys.
type Partly struct {
	File string   // below the home folder, or below the folder that State.In names
	Keys []string // such as servers.*.command, where a * is any name
}

// SignIn is how a CLI that no variable pays for shows that somebody has signed in.
type SignIn struct {
	Ask               []string // arguments with which it tells, and asks nobody itself
	No, Do            string   // a pattern in what it prints when nobody has, and what signs somebody in
	Others            []string // variables that name another provider, or another way to one
	Folder, FolderIn  string   // its own, below the home folder, and the variable that names another
	Kept              string   // the file there that it keeps for who has signed in
	Config, Elsewhere string   // a file there, and a pattern in it: another provider is asked
}

// TraitsOf tells the traits of a back end; a program that we do not know has
// none.
func TraitsOf(name string) Traits {
	if name == "rehearsal" {
		return rehearsalTraits
	}
	if c := lookUp(name); c != nil {
		return c.traits
	}
	return Traits{}
}

// Apart takes the keys by which agents are paid for out of an environment, and
// gives them by themselves. Whatever runs what an agent wrote has no use for them.
// Names and patterns in pass are left in.
func Apart(env, pass []string) (bare, keys []string) {
	paying := Secrets()
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(paying, name) && !passes(name, pass) {
			keys = append(keys, kv)
		} else {
			bare = append(bare, kv)
		}
	}
	return bare, keys
}

func passes(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// Secrets is every variable from which some agent takes a key or a token of a
// provider, sorted.
func Secrets() []string {
	var all []string
	for _, name := range BuiltIn() {
		all = append(all, TraitsOf(name).Secrets...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// anyProvider is the keys of agents that buy from whoever sells models.
var anyProvider = []string{
	"AI_GATEWAY_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "CEREBRAS_API_KEY",
	"CLOUDFLARE_API_KEY", "COHERE_API_KEY", "DASHSCOPE_API_KEY", "DEEPINFRA_API_KEY", "DEEPSEEK_API_KEY", "FIREWORKS_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"GOOGLE_GENERATIVE_AI_API_KEY", "GROQ_API_KEY", "KIMI_API_KEY", "MINIMAX_API_KEY", "MISTRAL_API_KEY", "MOONSHOT_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY",
	"OPENCODE_AUTH_CONTENT", "OPENROUTER_API_KEY", "PERPLEXITY_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY", "XIAOMI_API_KEY", "ZAI_API_KEY", "ZHIPU_API_KEY",
}

// Keeps tells whether an agent can continue a session: the back end knows how,
// or there is a flag for it. A command of the user's own, also one in place of a
// CLI, is the back end "command".
func Keeps(name, resumeFlag string) bool {
	return resumeFlag != "" || TraitsOf(name).Sessions
}

// Program is what a back end with a command of its own starts; empty for the
// others.
func Program(name string) string {
	if c := lookUp(name); c != nil {
		return c.program
	}
	return ""
}

func lookUp(name string) *cli {
	a, err := New(Options{Name: name})
	if err != nil {
		return nil
	}
	c, _ := a.(*cli)
	return c
}

// KnowsCommand tells whether the back end brings its own command, so that it
// can be used without being described.
func KnowsCommand(name string) bool {
	_, ok := backends[name]
	return ok && name != "command"
}

// BuiltIn lists the agents that can be named without being configured. The back
// end "command" is reached by a command, or by a table of the settings.
func BuiltIn() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !KnowsCommand(name) })
}

// Tells says what the output of an agent will tell of its use: tokens, and the
// cost, read or estimated. An empty format is the agent's own; a program that
// we do not know prints text. Without a model the agent chooses one, which may
// have no known price. Prices are the user's own; one of nothing is known, too.
func Tells(name, format, model string, prices ...price.Price) (tokens, cost bool) {
	if format == "" {
		format = name
	}
	t := TraitsOf(format)
	_, priced := price.Of(model, prices)
	return t.Tokens, t.Cost || t.Tokens && priced
}
