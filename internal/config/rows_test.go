package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

func TestEveryFieldHasOneRow(t *testing.T) {
	var c Config
	var a agent.Table
	var g Gate
	var m Price
	var p ProcedureTable
	bound := map[any]string{}
	for _, r := range slices.Concat(rows(&c), agent.Rows(&a), gateRows(&g), priceRows(&m), procedureRows(&p)) {
		if r.At == nil {
			continue // it goes to the values by key
		}
		if other, twice := bound[r.At]; twice {
			t.Errorf("%s and %s share a field", r.Key, other)
		}
		bound[r.At] = r.Key
	}
	var visit func(v reflect.Value, name string)
	visit = func(v reflect.Value, name string) {
		tables := []string{"Config.Tables", "Config.Stop.Values"}
		// What only a run knows.
		later := []string{
			"Config.Stop.Own", "Config.Stop.PermissionsFix", "Config.Stop.Session.Keep", "Config.Stop.Limit.MaxTime", "Config.Stop.Limit.Backoff", "Config.Stop.Limit.Margin",
			"Config.Stop.Done.Promise", "Config.Stop.Done.Plan", "Config.Stop.Done.Gates", "Config.Stop.Done.ExitZero", "Config.Stop.Done.Proof", "Config.Stop.Done.ProofOff",
			"Config.Stop.Done.Check",
		}
		if bound[v.Addr().Interface()] != "" || slices.Contains(tables, name) || slices.Contains(later, name) {
			return
		}
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				visit(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
			return
		}
		t.Errorf("%s has no row", name)
	}
	visit(reflect.ValueOf(&c).Elem(), "Config")
	visit(reflect.ValueOf(&a).Elem(), "Agent")
	visit(reflect.ValueOf(&g).Elem(), "Gate")
	visit(reflect.ValueOf(&m).Elem(), "Price")
	visit(reflect.ValueOf(&p).Elem(), "ProcedureTable")
}

func TestEveryRowIsWhole(t *testing.T) {
	names := map[string]string{}
	for _, r := range settings() {
		if r.Doc == "" || (r.Default == nil) != (r.Each != nil) {
			t.Errorf("%s: doc %q, default %v; want both, or names instead of a default", r.Key, r.Doc, r.Default)
		}
		name := envName(r.Key)
		if other, twice := names[name]; twice {
			t.Errorf("%s and %s are both %s", r.Key, other, name)
		}
		if names[name] = r.Key; slices.Contains(reserved, strings.TrimPrefix(name, envPrefix)) {
			t.Errorf("%s: %s is reserved", r.Key, name)
		}
	}
	for _, r := range slices.Concat(settings(), agentSettings(), gateSettings(), priceSettings(), promptSettings()) {
		if r.Doc == "" {
			t.Errorf("%s has no doc", r.Key)
		}
		defaults := []any{r.Default}
		for _, s := range r.Conditional {
			defaults = append(defaults, s.Value)
		}
		for _, v := range defaults {
			if v != nil && r.At != nil && reflect.TypeOf(v) != reflect.TypeOf(r.At).Elem() {
				t.Errorf("%s: default %#v is no %s", r.Key, v, reflect.TypeOf(r.At).Elem())
			}
			// A promise is never blank when it is set, and not set by default.
			if v == nil || v == "" && r.Required {
				continue
			}
			parsed, _ := tomlfile.Value(setting.Render(v))
			if got, what, _ := r.Read(parsed); what != "" || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: default %s read back is %#v %s", r.Key, setting.Render(v), got, what)
			}
		}
	}
}

func TestTheOrderNamesOnlyKeysThatExist(t *testing.T) {
	for i, key := range order {
		if _, is := findIn(settings(), key); is == foundNothing {
			t.Errorf("%s is no key", key)
		}
		if slices.Contains(order[:i], key) {
			t.Errorf("%s comes twice", key)
		}
	}
}

// A part can declare a row without a word to anybody else.
func TestANewKeyComesAtTheEndOfItsGroup(t *testing.T) {
	var keys []string
	for _, r := range inOrder([]setting.Row{{Key: "log.format"}, {Key: "stop.new"}, {Key: "budget.tokens"}, {Key: "stop.scripts"}}) {
		keys = append(keys, r.Key)
	}
	if want := []string{"stop.scripts", "stop.new", "budget.tokens", "log.format"}; !slices.Equal(keys, want) {
		t.Errorf("order = %v, want %v", keys, want)
	}
}

func TestRulesBlameSettingsThatExist(t *testing.T) {
	for _, e := range stop.Ends() {
		if e.Key == "" {
			continue
		}
		if _, is := findIn(settings(), e.Key); is != foundSetting {
			t.Errorf("%s blames %s, which is no setting", e.Reason, e.Key)
		}
	}
}
