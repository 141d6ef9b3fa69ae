package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is where a row is shown: lines of a story, or a test of the library.
type place struct {
	test        string // as "go test" calls it
	file        string // from the root of the repository
	first, last int    // 0, 0: all of the test
}

// breaker tells stories with a broken program.
type breaker struct {
	root    string
	scratch string
	program string             // go's
	shown   map[string][]place // by row
}

var placeLine = regexp.MustCompile(`^(\S+) +(\S+):(\d+)(?:-(\d+))? (\S+)$`)

// places asks the conformance suite where each row is shown.
func (b breaker) places(ctx context.Context) (map[string][]place, error) {
	cmd := exec.CommandContext(ctx, b.program, "run", "./conformance/scoreboard", "-places")
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("which story shows which row: %w", err)
	}
	return readPlaces(string(out))
}

func readPlaces(text string) (map[string][]place, error) {
	shown := map[string][]place{}
	for line := range strings.Lines(text) {
		part := placeLine.FindStringSubmatch(strings.TrimSpace(line))
		if part == nil {
			return nil, fmt.Errorf("this is no place of a row: %s", line)
		}
		at := place{test: part[5], file: part[2]}
		if part[4] != "" {
			at.first, _ = strconv.Atoi(part[3]) // digits, says the pattern
			at.last, _ = strconv.Atoi(part[4])
		}
		shown[part[1]] = append(shown[part[1]], at)
	}
	return shown, nil
}

// key stands for what is tried: the edit, the file, and the stories that are told.
func (b breaker) key(m mutant) (string, error) {
	if len(b.shown[m.row]) == 0 {
		return "", fmt.Errorf("%s: no story shows it", m.row)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", []string{m.row, m.file, m.old, m.new})
	files := []string{m.file}
	for _, at := range b.shown[m.row] {
		fmt.Fprintln(hash, at)
		if !slices.Contains(files, at.file) {
			files = append(files, at.file)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%d %s", len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// try breaks the program in one place and tells the stories of the row. A line that
// is red elsewhere than where the row is shown notices nothing of it.
func (b breaker) try(ctx context.Context, m mutant) (finding, error) {
	overlay, err := b.overlay(m)
	if err != nil {
		return finding{}, err
	}
	red, err := b.tell(ctx, overlay, b.shown[m.row])
	var bad *noProgram
	switch {
	case errors.As(err, &bad):
		return finding{NoProgram: true, By: bad.said}, nil
	case err != nil:
		return finding{}, fmt.Errorf("%s: %s: %w", m.row, m.file, err)
	}
	f := finding{Hung: red.hung}
	if at := red.within(b.shown[m.row]); at != "" {
		f.Seen, f.By = true, at
	} else if len(red.lines) > 0 {
		f.By = red.lines[0].String()
	}
	return f, nil
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

// noProgram is that there is nothing to tell stories with.
type noProgram struct{ said string }

func (e *noProgram) Error() string { return "it does not compile:\n" + e.said }

// tell runs the tests of the places, package by package, until one of the places is
// red. The program is made once for each package, and each test is told to its end.
func (b breaker) tell(ctx context.Context, overlay string, places []place) (redness, error) {
	var all redness
	for _, pkg := range packages {
		patterns := pkg.patterns(places)
		if len(patterns) == 0 {
			continue
		}
		tests, err := b.build(ctx, overlay, pkg)
		if err != nil {
			return all, err
		}
		for _, pattern := range patterns {
			red, err := b.runTests(ctx, tests, pkg, pattern)
			if err != nil {
				return all, err
			}
			all.lines, all.hung = append(all.lines, red.lines...), all.hung || red.hung
			if red.within(places) != "" {
				return all, nil
			}
		}
	}
	return all, nil
}

func (b breaker) build(ctx context.Context, overlay string, pkg testPackage) (string, error) {
	tests := filepath.Join(b.scratch, "stories.test")
	args := []string{"test", "-c", "-vet=off", "-o", tests}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, b.program, append(args, "./"+pkg.dir)...)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &noProgram{said: string(out)}
	}
	return tests, nil
}

func (b breaker) runTests(ctx context.Context, tests string, pkg testPackage, pattern string) (redness, error) {
	cmd := exec.CommandContext(ctx, tests, "-test.timeout=3m", "-test.run", pattern)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(b.root, filepath.FromSlash(pkg.dir)), &out, &out
	cmd.Env = append(os.Environ(), "TMPDIR="+b.scratch, "STORY_TO_THE_END=1")
	err := cmd.Run()
	b.endLeft()
	switch said := out.String(); {
	case ctx.Err() != nil:
		return redness{}, ctx.Err()
	case err == nil && strings.Contains(said, "no tests to run"):
		return redness{}, fmt.Errorf("%s has no test %s", pkg.dir, pattern)
	case err == nil:
		return redness{}, nil
	default:
		return pkg.readRed(said), nil
	}
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
