module github.com/refrain-loop/refrain/tools/otlporacle

go 1.26.0

require (
	go.opentelemetry.io/proto/otlp v1.10.0
	google.golang.org/protobuf v1.36.12
)
