import { config } from "zod";

/*
 * Imported before any schema is made. By itself Zod tries whether it may compile parsers from text, which
 * the content security policy forbids: the browser would report that try to the server with every page,
 * and a script that somebody slipped in would be one report among them.
 */
config({ jitless: true });
