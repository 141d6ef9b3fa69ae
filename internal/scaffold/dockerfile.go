package scaffold

// DockerFile is where the recipe of an image for the work is.
const DockerFile = ".refrain/Dockerfile"

// bases are the images that toolchains begin with. All are of Debian, for which the
// rest of the recipe is written.
var bases = map[Kind]string{
	Go: "golang:1", Rust: "rust:1", DotNet: "mcr.microsoft.com/dotnet/sdk:9.0", Maven: "maven:3-eclipse-temurin-21", Gradle: "gradle:8-jdk21", Elixir: "elixir:1",
	Ruby: "ruby:3", PHP: "php:8-cli", Python: "python:3", Deno: "denoland/deno:debian", Bun: "oven/bun:debian", Node: "node:22", CMake: "buildpack-deps:stable", Make: "buildpack-deps:stable",
	Generic: "debian:stable",
}

// debian is the packages of it that a toolchain needs beyond its base.
var debian = map[Kind]string{CMake: " cmake", PHP: " unzip", Make: " make"}

// packages are agents as npm knows them.
var packages = map[string]string{
	"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli", "qwen": "@qwen-code/qwen-code", "opencode": "opencode-ai",
}

// recipe is what the Dockerfile can say.
type recipe struct {
	Title, Base, Extra string
	Node               bool   // the base has none of its own
	Agent              string // what is installed; empty: nobody has said who works
}

// Dockerfile is the recipe of an image in which an agent and the gates of a project
// can work.
func Dockerfile(p Project, agent string) File {
	kind := p.Main.Kind
	if kind == Generic && len(p.Parts) > 0 {
		kind = p.Parts[0].Kind
	}
	r := recipe{Title: kind.Title(), Base: bases[kind], Extra: debian[kind], Node: kind != Node, Agent: packages[agent]}
	return File{Path: DockerFile, Text: render("Dockerfile.tmpl", r), Mode: plain}
}
