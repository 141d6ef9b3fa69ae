// Mutants breaks the program on purpose, in one place after the other, and demands
// that a story turns red each time: of a suite that stays green whatever is broken,
// nobody can say what it is worth.
//
//	go run ./mutants [-run REGEXP] [-list] [FOLDER]
//
// What is broken stands in table.go, each with the row of conformance/rows.txt that
// it betrays; the stories that show this row are told with the broken program. The
// files of the repository stay as they are: the compiler is given others in their
// place.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// enough is how many of a hundred mutants must be noticed.
const enough = 95

func main() {
	only := flag.String("run", "", "only mutants whose row or file matches this")
	list := flag.Bool("list", false, "only print the table")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, dir, *only, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, only string, list bool) (ok bool, err error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	pick, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	var chosen []mutant
	for _, m := range table {
		if pick.MatchString(m.row) || pick.MatchString(m.file) {
			chosen = append(chosen, m)
		}
	}
	if list {
		for _, m := range chosen {
			fmt.Printf("%-9s %-34s %s\n", m.row, m.file, m.what)
		}
		return true, nil
	}
	scratch, err := os.MkdirTemp("", "refrain-mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	b := breaker{root: root, scratch: scratch, program: goProgram()}
	if b.tellers, err = b.places(ctx); err != nil {
		return false, err
	}
	return b.breakAll(ctx, chosen)
}

func goProgram() string {
	if p := os.Getenv("GO"); p != "" {
		return p
	}
	return "go"
}

// breaker tells stories with a broken program.
type breaker struct {
	root    string
	scratch string
	program string              // go's
	tellers map[string][]string // the tests that show a row
}

// places asks the conformance suite which test shows which row.
func (b breaker) places(ctx context.Context) (map[string][]string, error) {
	cmd := exec.CommandContext(ctx, b.program, "run", "./conformance/scoreboard", "-places")
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("which story shows which row: %w", err)
	}
	tellers := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if part := strings.Fields(line); len(part) == 3 && !slices.Contains(tellers[part[0]], part[2]) {
			tellers[part[0]] = append(tellers[part[0]], part[2])
		}
	}
	return tellers, nil
}

func (b breaker) breakAll(ctx context.Context, chosen []mutant) (bool, error) {
	var all []string
	for _, m := range chosen {
		if len(b.tellers[m.row]) == 0 {
			return false, fmt.Errorf("%s: no story shows it", m.row)
		}
		all = append(all, b.tellers[m.row]...)
	}
	// Red stories notice everything.
	fmt.Printf("The program as it is: ")
	if red, err := b.tell(ctx, "", all); err != nil || red != "" {
		return false, errors.Join(err, fmt.Errorf("the stories are red before anything is broken: %s", red))
	}
	fmt.Printf("%d stories are green.\n\n", len(slices.Compact(slices.Sorted(slices.Values(all)))))

	var unseen []string
	for i, m := range chosen {
		start := time.Now()
		overlay, err := b.overlay(m)
		if err != nil {
			return false, err
		}
		red, err := b.tell(ctx, overlay, b.tellers[m.row])
		if err != nil {
			return false, fmt.Errorf("%s: %s: %w", m.row, m.file, err)
		}
		by := red
		if by == "" {
			by = "NOT NOTICED"
			unseen = append(unseen, fmt.Sprintf("%s %s: %s\n    %s", m.row, m.file, m.what, m.reason()))
		}
		fmt.Printf("%3d  %-9s %-34s %-52s %4.0fs  %s\n", i+1, m.row, m.file, m.what, time.Since(start).Seconds(), by)
	}
	if len(unseen) > 0 {
		fmt.Printf("\nNot noticed:\n  %s\n", strings.Join(unseen, "\n  "))
	}
	seen := len(chosen) - len(unseen)
	fmt.Printf("\n%d of %d noticed\n", seen, len(chosen))
	return seen*100 >= enough*len(chosen), nil
}

// overlay writes the broken file, and the list that has the compiler read it in the
// place of the whole one.
func (b breaker) overlay(m mutant) (string, error) {
	path := filepath.Join(b.root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	broken, err := m.apply(string(text))
	if err != nil {
		return "", err
	}
	at := filepath.Join(b.scratch, filepath.Base(path))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: at}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(b.scratch, "overlay.json")
	return overlay, errors.Join(os.WriteFile(at, []byte(broken), 0o600), os.WriteFile(overlay, list, 0o600))
}

// tell runs the tests, package by package, until one is red, and says where that
// was; empty when all are green.
func (b breaker) tell(ctx context.Context, overlay string, tests []string) (string, error) {
	for _, pkg := range packages {
		pattern := pkg.pattern(tests)
		if pattern == "" {
			continue
		}
		args := []string{"test", "-count=1", "-vet=off", "-timeout=4m", "-run", pattern}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		cmd := exec.CommandContext(ctx, b.program, append(args, pkg.path)...)
		var out bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = b.root, &out, &out
		cmd.Env = append(os.Environ(), "TMPDIR="+b.scratch)
		err := cmd.Run()
		b.endLeft()
		switch said := out.String(); {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil && strings.Contains(said, "no tests to run"):
			return "", fmt.Errorf("%s has no test %s", pkg.path, pattern)
		case err == nil:
		case strings.Contains(said, "[build failed]") || strings.Contains(said, "[setup failed]"):
			return "", fmt.Errorf("it does not compile:\n%s", said)
		default:
			return redAt(said), nil
		}
	}
	return "", nil
}

// endLeft ends what a broken program has left running: what it was to end itself,
// it may not. All of it works, or lies, below the scratch folder. Elsewhere than on
// Linux nothing is found.
func (b breaker) endLeft() {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return
	}
	for _, proc := range all {
		cwd, _ := os.Readlink(filepath.Join(proc, "cwd")) // it may be gone already, or somebody else's
		exe, _ := os.Readlink(filepath.Join(proc, "exe"))
		pid, err := strconv.Atoi(filepath.Base(proc))
		if err != nil || !strings.HasPrefix(cwd, b.scratch+"/") && !strings.HasPrefix(exe, b.scratch+"/") {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
}

var (
	failedAt   = regexp.MustCompile(`FAIL: (\S+\.txtar:\d+)`)
	failedTest = regexp.MustCompile(`--- FAIL: (\S+)`)
)

// redAt is the first place that turned red.
func redAt(said string) string {
	if at := failedAt.FindStringSubmatch(said); at != nil {
		return strings.TrimPrefix(strings.TrimPrefix(at[1], "testdata/"), "script/")
	}
	if strings.Contains(said, "panic: test timed out") {
		return "by hanging"
	}
	if at := failedTest.FindStringSubmatch(said); at != nil {
		return at[1]
	}
	return "by dying"
}

// testPackage is where tests of one kind are.
type testPackage struct {
	path  string
	first string // how the names of its tests begin
}

var packages = []testPackage{
	{"./conformance", "TestStories/"},
	{"./internal/cli", "TestScripts/"},
	{".", ""},
}

// pattern picks those of the tests that are in the package.
func (p testPackage) pattern(tests []string) string {
	var levels []map[string]bool
	for _, test := range tests {
		if !strings.HasPrefix(test, p.first) || p.first == "" && strings.Contains(test, "/") {
			continue
		}
		for i, name := range strings.Split(test, "/") {
			if i == len(levels) {
				levels = append(levels, map[string]bool{})
			}
			levels[i][name] = true
		}
	}
	var parts []string
	for _, names := range levels {
		var list []string
		for name := range names {
			list = append(list, regexp.QuoteMeta(name))
		}
		slices.Sort(list)
		parts = append(parts, "^("+strings.Join(list, "|")+")$")
	}
	return strings.Join(parts, "/")
}
