package markup

import (
	"strings"
	"sync"
)

// language is what tells the parts of a code apart. A new one is one entry in the table.
type language struct {
	name     string
	files    string // the names and ends of its files, and what else it is called
	line     []string
	block    [2]string
	quotes   []quote
	chars    bool // ' stands around single characters
	words    string
	anyCase  bool // of the words
	tags     bool // names behind a < are its words
	prose    bool // most of it is text: a quote in the middle of a word is none
	keywords map[string]bool
}

var (
	double    = quote{`"`, false, true}
	single    = quote{"'", false, true}
	backtick  = quote{"`", true, false}
	template  = quote{"`", true, true}
	threeFold = quote{`"""`, true, true}
	slashes   = []string{"//"}
	hash      = []string{"#"}
	starred   = [2]string{"/*", "*/"}
)

const jsWords = "async await break case catch class const continue debugger default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield"

var table = []language{
	{name: "Go", files: "go golang go.mod", line: slashes, block: starred, quotes: []quote{double, backtick}, chars: true, words: "any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int32 int64 interface iota map nil package range return rune select string struct switch true type uint uint32 uint64 uint8 var"},
	{name: "JavaScript", files: "js mjs cjs jsx javascript node", line: slashes, block: starred, quotes: []quote{double, single, template}, words: jsWords},
	{name: "TypeScript", files: "ts tsx mts cts typescript", line: slashes, block: starred, quotes: []quote{double, single, template}, words: jsWords + " abstract any as boolean declare enum implements interface keyof namespace never number private protected public readonly string type unknown"},
	{name: "Python", files: "py pyi python python3", line: hash, quotes: []quote{threeFold, {"'''", true, true}, double, single}, words: "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield"},
	{name: "Rust", files: "rs rust", line: slashes, block: starred, quotes: []quote{{`"`, true, true}}, chars: true, words: "as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8 unsafe use usize where while"},
	{name: "Java", files: "java kt kts kotlin cs swift scala", line: slashes, block: starred, quotes: []quote{threeFold, double}, chars: true, words: "abstract boolean break byte case catch char class const continue default do double else enum extends false final finally float for fun if implements import in int interface internal is let long namespace new null object override package private protected public record return sealed short static string super switch this throw throws true try using val var void when while"},
	{name: "C", files: "c h", line: slashes, block: starred, quotes: []quote{double}, chars: true, words: "NULL auto bool break case char const continue default define do double else endif enum extern false float for goto if ifdef ifndef include inline int long register return short signed sizeof static struct switch true typedef union unsigned void volatile while"},
	{name: "C++", files: "cpp cc cxx hpp hh c++", line: slashes, block: starred, quotes: []quote{double}, chars: true, words: "auto bool break case catch char class const constexpr continue default define delete do double else endif enum explicit extern false float for friend if ifdef ifndef include inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while"},
	{name: "Ruby", files: "rb ruby gemfile rakefile", line: hash, quotes: []quote{double, single}, words: "BEGIN END alias and begin break case class def do else elsif end ensure false for if in module next nil not or raise redo require rescue retry return self super then true undef unless until when while yield"},
	{name: "Shell", files: "sh bash zsh shell makefile mk dockerfile", line: hash, quotes: []quote{{`"`, true, true}, {"'", true, false}}, prose: true, words: "case do done elif else esac exit export fi for function if in local readonly return set shift then trap unset until while FROM RUN COPY ENV CMD ENTRYPOINT WORKDIR"},
	{name: "SQL", files: "sql", line: []string{"--"}, block: starred, quotes: []quote{{"'", true, false}, double}, anyCase: true, words: "alter and as asc between by case check constraint create default delete desc distinct drop else end exists foreign from group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update values view when where with"},
	{name: "CSS", files: "css scss less", block: starred, quotes: []quote{double, single}, prose: true, words: "important media supports import keyframes from to root"},
	{name: "HTML", files: "html htm xml svg vue", block: [2]string{"<!--", "-->"}, quotes: []quote{{`"`, true, false}}, tags: true, prose: true},
	{name: "JSON", files: "json jsonc json5", line: slashes, quotes: []quote{double}, words: "true false null"},
	{name: "YAML", files: "yml yaml", line: hash, quotes: []quote{double, single}, prose: true, words: "true false null yes no"},
	{name: "TOML", files: "toml ini cfg", line: hash, quotes: []quote{threeFold, double, single}, words: "true false"},
	{name: "Markdown", files: "md markdown", block: [2]string{"<!--", "-->"}, quotes: []quote{{"```", true, false}, {"`", false, false}}, prose: true},
}

// languages are those of the table by all that they are called. It is made when it is
// first needed.
var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for i := range table {
		l := &table[i]
		l.keywords = map[string]bool{}
		for _, word := range strings.Fields(l.words) {
			l.keywords[word] = true
		}
		all[strings.ToLower(l.name)] = l
		for _, name := range strings.Fields(l.files) {
			all[name] = l
		}
	}
	return all
})
