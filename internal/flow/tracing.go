package flow

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
)

// traced tells whether the usual variables ask for traces.
func traced(env func(string) string) bool {
	endpoint := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") + env("OTEL_EXPORTER_OTLP_ENDPOINT")
	off := strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(env("OTEL_TRACES_EXPORTER"), "none")
	return endpoint != "" && !off
}

// tracing has what is asked of the fleet, and what comes of it, sent as spans to where the
// usual variables say. Nothing is sent where they say nothing.
func tracing(ctx context.Context) (all []interceptor.ClientInterceptor, end func(context.Context), err error) {
	if !traced(os.Getenv) {
		return nil, func(context.Context) {}, nil
	}
	to, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	// Who we are is said by OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, where they are set.
	who, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		slog.Warn("what OTEL_RESOURCE_ATTRIBUTES says is left out in part", "error", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(to), trace.WithResource(who))
	spans, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{Tracer: provider.Tracer("refrain-fleet"), AllowInvalidParentSpans: true})
	if err != nil {
		return nil, nil, err
	}
	end = func(ctx context.Context) {
		if err := provider.Shutdown(ctx); err != nil {
			slog.Warn("some traces were not sent", "error", err)
		}
	}
	return []interceptor.ClientInterceptor{spans}, end, nil
}
