import Fastify from "fastify";
import { openPool } from "#kit/db/database.ts";

/*
 * The smallest possible server: one route with one SELECT on the product's pool, its rows as JSON. No
 * sign-in, no checks, no logs, no metrics.
 */

const app = Fastify();
const pool = openPool({ connectionString: process.env["DATABASE_URL"] ?? "" });

app.get("/record", (request, reply) => {
  pool.query(String(request.headers["x-statement"])).then(
    ({ rows }) => reply.send(rows[0]),
    (problem: unknown) => reply.send(problem),
  );
});

await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
console.log("ready");
process.on("SIGTERM", () => void app.close().then(() => pool.end()));
