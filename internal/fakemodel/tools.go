package fakemodel

import (
	"cmp"
	"slices"
)

// tool is one that a request offers.
type tool struct {
	name   string
	space  string // the namespace that it stands in
	custom bool   // it takes free text instead of arguments
	params object // the JSON schema of its arguments
}

// offered reads a list of tools, whatever the format.
func offered(list []object, space string) []tool {
	var all []tool
	for _, o := range list {
		_, declares := o["functionDeclarations"]
		switch {
		case declares: // Gemini
			all = append(all, offered(o.objects("functionDeclarations"), space)...)
		case o["function"] != nil: // chat completions
			all = append(all, offered([]object{o.object("function")}, space)...)
		case o.text("type") == "namespace": // Responses
			all = append(all, offered(o.objects("tools"), o.text("name"))...)
		default:
			all = append(all, tool{
				name:   cmp.Or(o.text("name"), o.text("type")),
				space:  space,
				custom: o.text("type") == "custom",
				params: schemaOf(o),
			})
		}
	}
	return all
}

func schemaOf(o object) object {
	for _, key := range []string{"input_schema", "parametersJsonSchema", "parameters"} {
		if schema := o.object(key); schema != nil {
			return schema
		}
	}
	return nil
}

// tool is the first of the names that the request offers, or nil.
func (q *request) tool(names ...string) *tool {
	for _, name := range names {
		i := slices.IndexFunc(q.tools, func(t tool) bool { return t.name == name })
		if i >= 0 {
			return &q.tools[i]
		}
	}
	return nil
}

func (t *tool) param(name string) object { return t.params.object("properties").object(name) }

// takes is the first of the names that the tool has an argument for, else the
// first.
func (t *tool) takes(names ...string) string {
	for _, name := range names {
		if t.param(name) != nil {
			return name
		}
	}
	return names[0]
}
