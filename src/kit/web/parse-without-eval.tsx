import { config } from "zod";

/*
 * Import this before any schema is created. Otherwise Zod tests whether it may compile parsers from text. The
 * content security policy forbids that, and the browser would report it on every page, hiding reports of real
 * attacks.
 */
config({ jitless: true });
