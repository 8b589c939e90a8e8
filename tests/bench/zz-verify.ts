import { readFileSync } from "node:fs";
import { openDatabase, openPool } from "#db/database.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { showReceivablesAsOf } from "#features/receivables/receivables.ts";
import { plainDate } from "#domain/calendar.ts";
const url = readFileSync("/tmp/dep-pg.log","utf8").split("\n").find((l)=>l.startsWith("postgresql"))!;
const db = openDatabase(openPool({ connectionString: url, statementTimeoutMs: 0 }));
for (const day of ["2025-12-31","2024-06-30","2024-01-02"]) for (let i=0;i<3;i++){ const b=performance.now(); await showReceivablesAsOf(db,{networkId:1,timeZone:"America/New_York"},{page:1,per_page:50,as_of:day},plainDate("2026-01-01")); console.log(day, (performance.now()-b)|0); }
let t=performance.now();
let last="";
await verifyLedger(db, 1, (rule)=>{ const n=performance.now(); if(last) console.log(((n-t)|0), last.slice(0,60)); t=n; last=rule; });
console.log(((performance.now()-t)|0), last.slice(0,60));
process.exit(0);
