// Package proxy is the way out for whoever has no network: an HTTP proxy on a
// UNIX socket that reaches named hosts and no others.
//
// The promise: nothing is dialed that is not listed. A name is looked up once,
// and the very address that was looked at is dialed, so that a listed name can
// not be made to mean a service of this machine, of its network, or of its cloud.
// An address is reached only if it is listed itself. Who is refused is told why,
// and so is whoever runs the proxy, once for each host.
//
// What goes through is not read. A host that keeps what anybody sends it (a code
// host, a paste bin, a store of files) lets everything out once it is listed, and
// so may whoever shares a machine with it: the name inside of TLS is the
// client's own affair.
//
// # Who finds the proxy
//
// Environ is the variables by which programs find it. Most look at HTTP_PROXY,
// HTTPS_PROXY and NO_PROXY, in small letters or both. By their documentation, and
// with a star: seen to ask this proxy:
//
//	curl *, git * (https)    http_proxy in small letters only; ALL_PROXY;
//	                         a http.proxy in git's own settings wins
//	go *                     never for loopback
//	npm *, pnpm, yarn        a proxy in their own settings wins
//	pip *, uv, Python *      ALL_PROXY; PIP_PROXY wins
//	cargo *                  as curl; CARGO_HTTP_PROXY wins
//	java *, maven *, gradle  system properties only, so JAVA_TOOL_OPTIONS;
//	                         maven 3.9 looks at them when told to
//	node                     with NODE_USE_ENV_PROXY=1, from 22.21 and 24.5 on;
//	                         before (seen with 20) a program must look by itself
//	ruby, composer, dotnet, deno, bun
//
// ALL_PROXY is set because a user's own may name a proxy that can not be reached
// from inside.
//
// What speaks no HTTP (ssh, git over ssh, databases) finds no way out. A port of
// the host's loopback can be forwarded (see Forwards).
package proxy
