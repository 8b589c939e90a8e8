import { launchBrowser } from "./support/chromium.ts";
import { readFileSync } from "node:fs";
const [out, h, ...names] = process.argv.slice(2) as string[];
const b = await launchBrowser(); const p = await b.newPage({ viewport: { width: 1800, height: 600 } });
await p.setContent(`<body style="margin:0;background:#888;display:flex;gap:8px;align-items:start">${names.map((n) => `<img style="height:${h}px" src="data:image/png;base64,${readFileSync(`/tmp/e2shots/${n}.png`).toString("base64")}">`).join("")}</body>`);
await p.waitForTimeout(300);
await p.screenshot({ path: `/tmp/e2shots/${out}.png`, fullPage: true }); await b.close();
