package fakemodel

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// call is a tool call in the words of the agent that gets it.
type call struct {
	id, name, space string

	args   string // JSON, or free text for a custom tool
	custom bool
}

// calls translates the tool calls of a turn.
func (q *request) calls(t Turn) []call {
	var list []call
	for i, tc := range t.ToolCalls {
		c := q.call(tc)
		c.id = fmt.Sprintf("%s_%d", id("call", q.n), i)
		if tc.RawArgs != nil {
			c.args = *tc.RawArgs
		}
		if tc.Input != nil {
			c.args, c.custom = *tc.Input, true
		}
		list = append(list, c)
	}
	return list
}

func (q *request) call(tc ToolCall) call {
	var args object
	_ = json.Unmarshal(tc.Args, &args) // arguments of "$shell" and "$write" are objects
	switch tc.Name {
	case "$shell":
		return q.shell(args.text("command"), args)
	case "$write":
		return q.write(args.text("path"), args.text("content"))
	}
	c := call{name: tc.Name, args: cmp.Or(string(tc.Args), "{}")}
	if t := q.tool(tc.Name); t != nil {
		c.space, c.custom = t.space, t.custom
	}
	return c
}

// write creates a file, through the shell where there is no tool for it.
func (q *request) write(path, content string) call {
	t := q.tool("Write", "write", "write_file", "create_file", "create", "Create")
	if t == nil {
		return q.shell("cat > '"+path+"' <<'FAKE_EOF'\n"+content+"\nFAKE_EOF", nil)
	}
	return call{name: t.name, space: t.space, args: encode(object{
		t.takes("file_path", "filePath", "path"):    path,
		t.takes("content", "file_text", "contents"): content,
	})}
}

// shell runs a command. Extra arguments are passed on where the tool has them,
// and those that it requires are made up.
func (q *request) shell(command string, extra object) call {
	t := q.tool("Bash", "bash", "exec_command", "shell_command", "run_shell_command", "shell", "container.exec", "execute_command", "local_shell",
		"run_commands", "run_terminal_command", "Execute")
	if t == nil {
		return call{name: "Bash", args: encode(object{"command": command})}
	}
	args := object{}
	for name, value := range extra {
		if t.param(name) != nil {
			args[name] = value
		}
	}
	key := t.takes("command", "cmd", "script", "commands")
	args[key] = command
	switch {
	case key == "commands": // several at once
		args[key] = []string{command}
	case t.param(key)["type"] == "array":
		args[key] = []string{"bash", "-lc", command}
	}
	required, _ := t.params["required"].([]any)
	for _, r := range required {
		name, _ := r.(string)
		if _, given := args[name]; !given {
			args[name] = someValue(t.param(name))
		}
	}
	return call{name: t.name, space: t.space, args: encode(args)}
}

func someValue(schema object) any {
	if list, _ := schema["enum"].([]any); len(list) > 0 {
		return list[0]
	}
	switch schema["type"] {
	case "boolean":
		return false
	case "number", "integer":
		return 60_000 // it is a time limit in every tool that requires a number
	}
	return "fake"
}

// parsed is the arguments as a value where a format has no text for them;
// broken JSON stays the text that it is.
func (c call) parsed() any {
	var v any
	if json.Unmarshal([]byte(c.args), &v) != nil {
		return c.args
	}
	return v
}
