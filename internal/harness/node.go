package harness

import "strings"

// packageJSON says what in a package.json is honest work. What is not in the
// list decides: scripts, and the settings of jest, mocha, nyc, babel, eslint …
func packageJSON() halves {
	return halves{rest: decided, keys: join(
		all(honest, `version description keywords author authors contributors maintainers license licenses repository bugs homepage funding private type
			main module browser types typings typesVersions exports imports files man directories engines os cpu libc packageManager devEngines workspaces
			peerDependenciesMeta dependenciesMeta bundleDependencies bundledDependencies publishConfig sideEffects
			unpkg jsdelivr style sass source esnext umd:main react-native browserslist volta husky lint-staged commitlint release release-it changesets
			displayName icon publisher contributes activationEvents extensionKind capabilities oclif pkg build electron expo readme gitHead`),
		all(dependencies(isTool, npmElsewhere), `dependencies peerDependencies optionalDependencies`),
		all(replaced, `overrides resolutions`),
		map[string]half{
			"name":            nameHalf,
			"bin":             binHalf,
			"devDependencies": devDependencies,
			"scripts":         scriptsHalf,
			"pnpm":            halves{rest: honest, keys: all(replaced, "overrides")}.blend,
		},
	)}
}

func all(h half, keys string) map[string]half {
	m := map[string]half{}
	for key := range strings.FieldsSeq(keys) {
		m[key] = h
	}
	return m
}

func join(tables ...map[string]half) map[string]half {
	m := map[string]half{}
	for _, t := range tables {
		for key, h := range t {
			m[key] = h
		}
	}
	return m
}

// npmElsewhere tells whether a dependency comes from somewhere else than the
// registry, or under a name that is not its own.
func npmElsewhere(value any) bool {
	spec := stringOf(value)
	switch {
	case strings.HasPrefix(spec, "@") || spec == "":
		return false
	case strings.HasPrefix(spec, "catalog:"):
		return false
	}
	return strings.ContainsAny(spec, "/:") // a path, an address, file:, npm:, owner/repository
}

// devDependencies are tools more often than not: one that was there has to
// come from where it came from.
func devDependencies(old, now any) (any, bool) {
	was, _ := old.(*table)
	known := func(name string) bool { return isTool(name) || was.get(name) != nil }
	return dependencies(known, npmElsewhere)(old, now)
}

// replaced is the half of a table that puts packages in the place of others.
// Keys are names with a version, a path of names, or tables for what is below.
func replaced(old, now any) (any, bool) {
	return eachKey(old, now, func(key string, before, after any) entry {
		switch sub, nested := after.(*table); {
		case equal(before, after):
			return entry{value: after, keep: true, same: true}
		case nested:
			if own := sub.get("."); own != nil && isTool(overridden(key)) && npmElsewhere(own) {
				return entry{}
			}
			value, same := replaced(before, sub)
			return entry{value: value, keep: true, same: same}
		case isTool(overridden(key)) && npmElsewhere(after):
			return entry{value: before, keep: before != nil}
		}
		return entry{value: after, keep: true, same: true}
	})
}

// overridden is the name of the package that a key of overrides is about:
// "a>@b/c@1", "**/@b/c" and "@b/c" are about @b/c.
func overridden(key string) string {
	if i := strings.LastIndexAny(key, ">"); i >= 0 {
		key = key[i+1:]
	}
	key = strings.TrimPrefix(key, "**/")
	if i := strings.LastIndexByte(key, '@'); i > 0 {
		key = key[:i]
	}
	if parts := strings.Split(key, "/"); len(parts) > 1 && !strings.HasPrefix(parts[0], "@") {
		key = parts[len(parts)-1]
	}
	return key
}

// nameHalf and binHalf are honest unless the commands of the package, which a
// workspace puts first on the path, would stand before a tool.
func nameHalf(old, now any) (any, bool) {
	if isTool(stringOf(now)) {
		return decided(old, now)
	}
	return now, true
}

func binHalf(old, now any) (any, bool) {
	return eachKey(old, now, func(key string, before, after any) entry {
		honest := !isTool(key) || equal(before, after)
		return entry{value: after, keep: honest, same: honest}
	})
}

// hooks of npm that run when packages are installed.
var hooks = words(`preinstall install postinstall preprepare prepare postprepare prepublish dependencies`)

// quiet are scripts that check nothing, unless another one calls them.
var quiet = words(`start dev develop serve watch preview deploy release publish version docs storybook clean format fmt seed migrate generate`)

// scriptsHalf is the half of the scripts: those that were there decide. New
// ones are honest work, unless they hang on one that was there, run by
// themselves, or take the place of a command.
func scriptsHalf(old, now any) (any, bool) {
	was, _ := old.(*table)
	is, _ := now.(*table)
	if was != nil && is != nil {
		was = was.without(func(key string) bool {
			return quiet.has(key) && !called(was, key)
		})
		old = was
	}
	return kept(func(name string, _ *table, _ any) bool {
		whole, _ := now.(*table)
		for _, front := range []string{"pre", "post"} {
			hung, ok := strings.CutPrefix(name, front)
			if ok && was.get(hung) != nil {
				return false
			}
			// A hook of a script that is new as well is part of it.
			if ok && whole.get(hung) != nil {
				return true
			}
		}
		return !hooks.has(name) && (name == "test" || !isTool(name))
	})(old, now)
}

// called tells whether another script has the name of this one as a word.
func called(scripts *table, name string) bool {
	for _, other := range scripts.keys {
		if other == name {
			continue
		}
		for _, word := range commandWords(stringOf(scripts.get(other))) {
			if word == name {
				return true
			}
		}
		if other == "pre"+name || other == "post"+name {
			return true
		}
	}
	return false
}

// without gives a table without the keys that drop names.
func (t *table) without(drop func(key string) bool) *table {
	out := &table{}
	for _, key := range t.keys {
		if !drop(key) {
			out.set(key, t.values[key])
		}
	}
	return out
}

// denoJSON is the same for a deno.json, and importMap for what it may name.
func denoJSON() halves {
	return halves{rest: decided, keys: join(
		all(honest, `$schema name version description license author exports workspace nodeModulesDir compile deploy publish lock`),
		map[string]half{
			"imports": denoImports, "scopes": honest,
			"tasks": kept(nil), "compilerOptions": compilerOptions().blend,
		},
	)}
}

func importMap() halves {
	return halves{rest: honest, keys: map[string]half{"imports": denoImports}}
}

// denoImports are dependencies by the name under which they are imported.
func denoImports(old, now any) (any, bool) {
	was, _ := old.(*table)
	return dependencies(func(name string) bool {
		before := stringOf(was.get(name))
		return strings.Contains(name, ":") || strings.HasPrefix(name, "@std/") || strings.HasPrefix(name, "std/") ||
			strings.Contains(name, "assert") || strings.Contains(name, "testing") || strings.Contains(name, "expect") ||
			isTool(name) || before != "" && !local(before)
	}, func(value any) bool { return local(stringOf(value)) || strings.HasPrefix(stringOf(value), "data:") })(old, now)
}

func local(spec string) bool {
	return strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") || strings.HasPrefix(spec, "file:")
}

// composerJSON is the same for PHP.
func composerJSON() halves {
	return halves{rest: honest, keys: map[string]half{
		"config": decided,
		"scripts": kept(func(name string, _ *table, _ any) bool {
			return !strings.HasPrefix(name, "pre-") && !strings.HasPrefix(name, "post-") // events of Composer's own
		}),
	}}
}

// compilerOptions of TypeScript: what the code is written in and built to is
// honest; what is checked, and where things are found and put, decides.
func compilerOptions() halves {
	return halves{rest: decided, keys: join(
		all(honest, `target lib module moduleResolution moduleDetection jsx jsxImportSource jsxFactory jsxFragmentFactory jsxImportSourceTypes
			esModuleInterop allowSyntheticDefaultImports resolveJsonModule allowImportingTsExtensions rewriteRelativeImportExtensions allowArbitraryExtensions
			experimentalDecorators emitDecoratorMetadata isolatedModules isolatedDeclarations verbatimModuleSyntax erasableSyntaxOnly sourceMap inlineSourceMap inlineSources
			declaration declarationMap incremental composite tsBuildInfoFile removeComments importHelpers downlevelIteration
			useDefineForClassFields allowJs newLine customConditions resolvePackageJsonExports resolvePackageJsonImports`),
		map[string]half{
			"types":   longer,
			"baseUrl": first,
			"paths": kept(func(key string, _ *table, _ any) bool {
				name := strings.TrimSuffix(key, "/*")
				return !isTool(name) && !strings.HasPrefix(name, "node:") && name != "*"
			}),
		},
	)}
}

// first is a half that may be set where it was not, and then stays.
func first(old, now any) (any, bool) {
	if old == nil {
		return now, true
	}
	return decided(old, now)
}

func tsConfig() halves {
	return halves{rest: decided, keys: map[string]half{
		"compilerOptions": compilerOptions().blend, "include": longer, "files": longer, "references": longer,
		"$schema": honest, "compileOnSave": honest, "display": honest,
	}}
}

// What a new one says of itself is honest: nothing was built by it before.
func newTSConfig() halves {
	return halves{rest: honest, keys: map[string]half{
		"compilerOptions": halves{rest: honest, keys: map[string]half{"paths": compilerOptions().keys["paths"]}}.blend,
	}}
}

func blendTSConfig(old, now []byte) ([]byte, bool) {
	if old == nil {
		return newTSConfig().json(old, now)
	}
	return tsConfig().json(old, now)
}
