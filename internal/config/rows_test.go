package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEveryFieldHasOneRow(t *testing.T) {
	var c Config
	var a Agent
	var g Gate
	var m Price
	var p ProcedureTable
	bound := map[any]string{}
	for _, r := range slices.Concat(rows(&c), agentRows(&a), gateRows(&g), priceRows(&m), procedureRows(&p)) {
		if other, twice := bound[r.at]; twice {
			t.Errorf("%s and %s share a field", r.key, other)
		}
		bound[r.at] = r.key
	}
	var visit func(v reflect.Value, name string)
	visit = func(v reflect.Value, name string) {
		tables := []string{"Config.Agents", "Config.Gates", "Config.Prices", "Config.Procedures"}
		if bound[v.Addr().Interface()] != "" || slices.Contains(tables, name) {
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
	for _, r := range settings {
		if r.doc == "" || (r.builtin == nil) != (r.each != nil) {
			t.Errorf("%s: doc %q, default %v; want both, or names instead of a default", r.key, r.doc, r.builtin)
		}
		name := envName(r.key)
		if other, twice := names[name]; twice {
			t.Errorf("%s and %s are both %s", r.key, other, name)
		}
		if names[name] = r.key; slices.Contains(reserved, strings.TrimPrefix(name, envPrefix)) {
			t.Errorf("%s: %s is reserved", r.key, name)
		}
	}
	for _, r := range slices.Concat(settings, agentSettings, gateSettings, priceSettings, promptSettings) {
		if r.doc == "" {
			t.Errorf("%s has no doc", r.key)
		}
		defaults := []any{r.builtin}
		for _, s := range r.special {
			defaults = append(defaults, s.value)
		}
		for _, v := range defaults {
			if v != nil && reflect.TypeOf(v) != reflect.TypeOf(r.at).Elem() {
				t.Errorf("%s: default %#v is no %s", r.key, v, reflect.TypeOf(r.at).Elem())
			}
			// A promise is never blank when it is set, and not set by default.
			if v == nil || v == "" && r.required {
				continue
			}
			parsed, _ := tomlValue(render(v))
			if got, what, _ := r.read(parsed); what != "" || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: default %s read back is %#v %s", r.key, render(v), got, what)
			}
		}
	}
}
