//go:build unix

package fleettest

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// deployed is the words of every worker that the files of deploy/ start, by where they
// stand.
func deployed(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, path := range yamlFiles(t) {
		for i, doc := range documents(t, path) {
			eachList(doc, func(words []string) {
				if len(words) > 1 && words[0] == "work" {
					all[filepath.Base(path)+" "+string(rune('a'+i))] = words
				}
			})
		}
	}
	for line := range strings.Lines(read(t, "Dockerfile")) {
		if list, ok := strings.CutPrefix(line, "CMD "); ok {
			var words []string
			if err := yaml.Unmarshal([]byte(list), &words); err != nil {
				t.Fatal(err)
			}
			all["Dockerfile"] = words
		}
	}
	for line := range strings.Lines(read(t, "refrain-worker.service")) {
		if start, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/refrain-worker "); ok {
			all["refrain-worker.service"] = strings.Fields(start)
		}
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func yamlFiles(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../deploy/*.yaml")
	if err != nil || len(list) < 3 {
		t.Fatalf("deploy has the YAML files %v (%v)", list, err)
	}
	return list
}

// documents are those of a YAML file.
func documents(t *testing.T, path string) (list []any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := yaml.NewDecoder(bufio.NewReader(f)); ; {
		var doc any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, doc)
	}
}

// eachList visits every list of texts in a value.
func eachList(v any, visit func([]string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			eachList(one, visit)
		}
	case []any:
		var words []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				words = append(words, s)
			}
			eachList(one, visit)
		}
		visit(words)
	}
}

// Whatever the files start is something that the program takes.
func TestDeployedWorkersAreUnderstood(t *testing.T) {
	all := deployed(t)
	if len(all) < 5 {
		t.Errorf("only these workers are found: %v", all)
	}
	all["what must not be taken"] = []string{"work", "--wrong"}
	for where, words := range all {
		cmd := exec.Command(os.Args[0], append(slices.Clone(words), "--help")...)
		cmd.Env = append(os.Environ(), asWorker+"=1")
		out, err := cmd.CombinedOutput()
		if wrong := slices.Contains(words, "--wrong"); wrong != (err != nil) {
			t.Errorf("%s: refrain-worker %q: %v\n%s", where, words, err, out)
		}
	}
}

// Whatever the files set is a setting that there is.
func TestDeployedSettingsAreKnown(t *testing.T) {
	manual, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../deploy/*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range files {
		for _, name := range regexp.MustCompile(`REFRAIN_[A-Z_]+`).FindAllString(read(t, filepath.Base(path)), -1) {
			seen++
			if name != "REFRAIN_FLEET_API_KEY" && !strings.Contains(string(manual), "`"+name+"`") {
				t.Errorf("%s sets %s, and there is no such setting", filepath.Base(path), name)
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d settings found", seen)
	}
}

// The name by which a run is handed in is the one that the worker of the compose file
// trusts, and its git knows where that is.
func TestTheRemoteOfTheComposeFileHasOneName(t *testing.T) {
	var d struct {
		Services map[string]struct {
			Command     any
			Environment map[string]string
		}
	}
	text := read(t, "compose.yaml")
	if err := yaml.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	cloned := regexp.MustCompile(`(?m)^#   git clone (git://[a-z]+/)app.git`).FindStringSubmatch(text)
	if cloned == nil {
		t.Fatal("nothing says how to clone the remote")
	}
	worker := d.Services["worker"]
	words, _ := worker.Command.([]any)
	if at := slices.Index(words, any("--trust")); at < 0 || words[at+1] != cloned[1]+"*" {
		t.Errorf("the worker does %v, and runs are handed in with %s", words, cloned[1])
	}
	there := regexp.MustCompile(`^url\.git://([a-z]+)/\.insteadOf$`).FindStringSubmatch(worker.Environment["GIT_CONFIG_KEY_0"])
	if there == nil || worker.Environment["GIT_CONFIG_VALUE_0"] != cloned[1] {
		t.Fatalf("git of the worker knows %v, and not where %s is", worker.Environment, cloned[1])
	}
	if _, ok := d.Services[there[1]]; !ok {
		t.Errorf("there is no service %q", there[1])
	}
}

// Workers commit, and git has to know whose commits these are.
func TestDeployedWorkersHaveAName(t *testing.T) {
	for name, want := range map[string]string{
		"Dockerfile": "git config --system user.email ", "kubernetes.yaml": "GIT_COMMITTER_EMAIL: ", "worker.env": "GIT_COMMITTER_EMAIL=",
	} {
		if !strings.Contains(read(t, name), want) {
			t.Errorf("%s has no %q: runs could not be committed", name, want)
		}
	}
}

// systemd takes the unit. Where the program is not, another stands in for it.
func TestTheUnitIsTaken(t *testing.T) {
	needs(t, "systemd-analyze")
	unit := strings.ReplaceAll(read(t, "refrain-worker.service"), "/usr/local/bin/refrain-worker", "/bin/true")
	path := filepath.Join(t.TempDir(), "refrain-worker.service")
	if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
	for _, want := range []string{"KillMode=mixed", "KillSignal=SIGTERM", "TimeoutStopSec="} {
		if !strings.Contains(unit, want) {
			t.Errorf("the unit has no %s: its agents would be ended before it has handed its runs on", want)
		}
	}
}

// A pod has more time to end than its worker gives its runs.
func TestPodsHaveTimeToLeave(t *testing.T) {
	found := 0
	for _, doc := range documents(t, "../../deploy/kubernetes.yaml") {
		var d struct {
			Kind string
			Spec struct {
				Template struct {
					Spec struct {
						TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
						Containers                    []struct{ Args []string }
					}
				}
			}
		}
		b, err := yaml.Marshal(doc)
		if err == nil {
			err = yaml.Unmarshal(b, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			at := slices.Index(c.Args, "--grace")
			if d.Kind != "Deployment" || at < 0 {
				continue
			}
			found++
			if grace := number(t, strings.TrimSuffix(c.Args[at+1], "s")); d.Spec.Template.Spec.TerminationGracePeriodSeconds <= grace+30 {
				t.Errorf("a pod has %d seconds to end, and its worker takes %d", d.Spec.Template.Spec.TerminationGracePeriodSeconds, grace)
			}
		}
	}
	if found == 0 {
		t.Error("no worker with a grace is found")
	}
}
