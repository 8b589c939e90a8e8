/** Imports go one way: docs/architecture.md shows the picture. */
const tests = "\\.test\\.tsx?$";
const contracts = "^src/.+/((contract|shapes)|[a-z-]+-contract|[a-z-]+\\.list)\\.ts$";
/** The part of the engine of lists that both sides import. */
const listContracts = "^src/kit/list/(define-list|list-endpoint|list-tools-info)\\.ts$";
const bothSides = ["^src/kit/(contract|domain)/", contracts, listContracts];
/** The address of every screen, for the server and the browser. */
const screenList = "^src/main/screens\\.ts$";

/**
 * The rooms in the order of the wings: each may import those above it, its contracts too. A room holds
 * its folders; one that is named here as well is a room of its own.
 */
const rooms = [
  "kit/domain",
  "kit/contract",
  "kit/ops",
  "kit/db/embedded-postgres",
  "kit/db",
  "kit/http",
  "kit/cli",
  "kit/jobs",
  "kit/web",
  "kit/list",
  "kit/imports",
  "outgoing/mail",
  "outgoing/webhooks",
  "outgoing/realtime",
  "access/tokens",
  "access/sign-in",
  "access/networks",
  "panel",
  "panel/firms",
  "dues/ledger/journal",
  "dues/ledger",
  "dues/ledger/receivables",
  "dues/ledger/statements",
  "dues/plans",
  "referrals/suspension",
  "referrals/matters",
  "people",
  "payments",
  "payments/checks",
  "payments/deposits",
  "cards",
  "dashboard",
  "office/activity",
  "office/desk/search",
  "office/reports",
  "office/desk/today",
  "main",
];
/** A room without the rooms within it. */
const within = (room) => {
  const inner = rooms.filter((other) => other.startsWith(`${room}/`));
  const apart = inner.map((other) => `(?!${other.slice(room.length + 1)}/)`).join("");
  return `^src/${room}/${apart}`;
};

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...rooms.map((room, at) => ({
      name: `${room}-imports-rooms-above`,
      comment: "the order of the rooms is in .dependency-cruiser.cjs",
      severity: "error",
      from: { path: within(room), pathNot: tests },
      to: { path: "^src/", pathNot: rooms.slice(0, at + 1).map(within) },
    })),
    {
      name: "every-file-has-its-room",
      comment: "a new room takes its place in the list of rooms",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: rooms.map(within) },
    },
    {
      name: "domain-stands-alone",
      severity: "error",
      from: { path: "^src/kit/domain/", pathNot: tests },
      to: { pathNot: "^src/kit/domain/|temporal-polyfill" },
    },
    {
      name: "contracts-know-rules-and-zod",
      severity: "error",
      from: { path: ["^src/kit/contract/", contracts], pathNot: tests },
      to: { pathNot: [...bothSides, "node_modules/zod"] },
    },
    {
      name: "screens-never-import-server-files",
      severity: "error",
      from: { path: "^src/.+\\.tsx$" },
      to: { path: "^src/.+\\.ts$", pathNot: [...bothSides, screenList] },
    },
    {
      name: "server-files-never-import-screens",
      severity: "error",
      from: { path: "^src/.+\\.ts$", pathNot: tests },
      to: { path: ["\\.tsx$", "^src/kit/web/"] },
    },
    {
      name: "product-never-imports-tests",
      severity: "error",
      from: { path: "^src/", pathNot: tests },
      to: { path: ["^tests/", tests] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json"],
    },
  },
};
