/** Exit code 0 while the server in this container is ready: for HEALTHCHECK. */
const port = process.env.HEALTH_PORT ?? process.env.PORT ?? "3000";
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(4000),
  });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
