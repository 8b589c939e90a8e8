/**
 * `npm run audit`: check whether the registry knows a vulnerability in an installed package.
 *
 * Not part of `npm test`, which needs no network. A registry that does not answer, or has no advisories, is
 * reported in a sentence and is not a failure. Exits with 1 if a vulnerability is known.
 */
import { execFile } from "node:child_process";
import { root } from "./child.mjs";

const report = await askNpm();
const found = Object.values(report?.vulnerabilities ?? {});
if (!report?.metadata) {
  const why = String(report?.message ?? report?.error?.summary ?? "no answer").split("\n")[0];
  console.log(`Nothing was checked: the package registry could not be reached (${why}).`);
} else if (found.length === 0) {
  const { total } = report.metadata.dependencies;
  console.log(`No known vulnerability in ${total} packages.`);
} else {
  for (const { name, severity, range, via } of found) {
    const titles = via.map((one) => (typeof one === "string" ? `by ${one}` : one.title));
    console.log(`${severity}: ${name} ${range}: ${titles.join("; ")}`);
  }
  console.log(`${found.length} packages with known vulnerabilities.`);
  process.exitCode = 1;
}

function askNpm() {
  return new Promise((resolve) => {
    const asked = ["audit", "--json"];
    execFile("npm", asked, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (_problem, stdout) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        resolve(null);
      }
    });
  });
}
