package harness

import "reflect"

// cargo says what in a Cargo.toml is honest work: what the crate is and needs.
// The targets that are tests, the profile they are built with, what stands in
// the place of a dependency and what is linted decide.
func cargo() halves {
	return halves{rest: decided, keys: join(
		all(crates, `dependencies dev-dependencies dev_dependencies build-dependencies build_dependencies`),
		all(honest, `features example badges cargo-features`),
		map[string]half{
			"package": cargoPackage.blend,
			"project": cargoPackage.blend,
			"lib":     halves{rest: honest, keys: all(decided, "test doctest harness bench")}.blend,
			"bin":     binTargets,
			"target": func(old, now any) (any, bool) {
				return eachTable(halves{rest: honest, keys: all(crates, `dependencies dev-dependencies build-dependencies`)}.blend, old, now)
			},
			"workspace": halves{rest: honest, keys: join(
				all(decided, "exclude default-members lints"),
				map[string]half{"dependencies": crates},
			)}.blend,
			"profile": halves{rest: honest, keys: all(decided, "dev test")}.blend,
		},
	)}
}

var cargoPackage = halves{rest: honest, keys: all(decided, "autotests autobenches autoexamples")}

// A crate that is new had no tests before: what it says is honest.
func blendCargo(old, now []byte) ([]byte, bool) {
	if old == nil {
		_, err := readTOML(now)
		return nil, err == nil
	}
	return cargo().toml(old, now)
}

// rustTools are crates that tests check with.
var rustTools = words(`pretty_assertions assert_cmd assert_fs predicates proptest quickcheck quickcheck_macros rstest insta mockall mockito wiremock
	criterion libtest-mimic trybuild serial_test test-case test-log googletest speculoos similar-asserts assert_matches claim expect-test snapbox cucumber`)

var crates = dependencies(rustTools.has, elsewhereTOML)

// binTargets is the half of the programs: new ones, and where they are, is
// honest; one that was there stays tested.
func binTargets(old, now any) (any, bool) {
	was, ok := list(old)
	is, too := list(now)
	if !ok || !too {
		return decided(old, now)
	}
	before := map[string][]any{}
	for _, item := range was {
		if m, ok := item.(map[string]any); ok {
			before[stringOf(m["name"])] = tested(m)
		}
	}
	for _, item := range is {
		m, _ := item.(map[string]any)
		if flags, known := before[stringOf(m["name"])]; known && !reflect.DeepEqual(flags, tested(m)) {
			return old, false
		}
	}
	return now, true
}

func tested(target map[string]any) []any {
	return []any{target["test"], target["harness"], target["doctest"]}
}
