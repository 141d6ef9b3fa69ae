package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// devices are those of /dev that ordinary work needs. The others are not even read:
// a disk is all of its files.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty", "pts", "ptmx"}

// rulesOf says with Landlock's words what a policy says. Rules only ever add rights
// to a path and all below it, so "everything but that" is said by its siblings: what
// appears later right beside something hidden can not be read either.
func rulesOf(p Policy) ([]rule, error) {
	hide := resolve(p.Hide)
	write := slices.Concat(p.Write, some(p.Temp), []string{"/dev/shm"})
	for _, w := range resolve(write) {
		if i := slices.IndexFunc(hide, func(h string) bool { return within(h, w) }); i >= 0 {
			return nil, fmt.Errorf("%s can not be hidden below %s, which may be changed", hide[i], w)
		}
	}
	rules := []rule{{"/", list}}
	for _, path := range beside("/", append(hide, "/dev")) {
		rules = append(rules, rule{path, look})
	}
	for _, shown := range resolve(p.Show) {
		// What is hidden below it stays so; what it is below itself does not count.
		for _, path := range beside(shown, slices.DeleteFunc(slices.Clone(hide), func(h string) bool { return within(shown, h) })) {
			rules = append(rules, rule{path, look})
		}
	}
	for _, path := range write {
		rules = append(rules, rule{path, look | change})
	}
	for _, cache := range resolve(p.Private) {
		for _, path := range beside(cache, hide) {
			rules = append(rules, rule{path, look | change})
		}
	}
	for _, name := range devices {
		rules = append(rules, rule{filepath.Join("/dev", name), device})
	}
	return rules, nil
}

// beside lists what together is all of a folder but for what is hidden: the folder,
// or, where something is hidden below it, whatever is beside that. Links are left
// out: a rule for one would be a rule for what it leads to.
func beside(path string, hide []string) []string {
	if slices.ContainsFunc(hide, func(h string) bool { return within(path, h) }) {
		return nil
	}
	if !slices.ContainsFunc(hide, func(h string) bool { return within(h, path) }) {
		return []string{path}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil // who can not list it is not to read it
	}
	var rest []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rest = append(rest, beside(filepath.Join(path, e.Name()), hide)...)
		}
	}
	return rest
}

// within tells whether a path is the folder, or below it.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// resolve gives where the paths lead that are there.
func resolve(paths []string) []string {
	var real []string
	for _, path := range paths {
		if end, err := filepath.EvalSymlinks(path); err == nil {
			real = append(real, end)
		}
	}
	return real
}
