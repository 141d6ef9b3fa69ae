// Package telemetry tells other programs how a run is doing: a Tracer sends
// spans to an OpenTelemetry collector, Metrics count for Prometheus.
//
// Both look on as observers and never hold up the loop: an event is taken in
// without waiting, and what cannot be delivered is dropped and told once. Both
// are off unless they are asked for. OTLP (over HTTP, in JSON) and the text
// format of Prometheus are written here, for a few spans a minute do not need
// the libraries that would bring several megabytes. What the agent reads and
// writes (prompts, texts, the input and output of its tools) is never sent.
package telemetry
