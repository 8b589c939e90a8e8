/** Imports go one way: docs/architecture.md shows the picture. */
const tests = "\\.test\\.tsx?$";
const featureTsx = "^src/features/.+\\.tsx$";
const contracts = "^src/features/.+/((contract|shapes)|[a-z-]+\\.list)\\.ts$";
/** The part of the engine of lists that both sides import. */
const listContracts =
  "^src/list/(define-list|list-endpoint|listed-as|[a-z-]+-contract|[a-z-]+\\.list)\\.ts$";

/** Infrastructure, each folder with those below it that it may import. */
const infrastructure = {
  ops: [],
  "embedded-postgres": ["ops"],
  db: ["embedded-postgres", "ops"],
  http: ["db", "ops"],
  cli: ["http", "db", "ops"],
  jobs: ["cli", "http", "db", "ops"],
  list: ["http", "db", "ops", "web"],
};

/**
 * The allowed direction among features: each may import those above it. Contracts and shapes may
 * know each other in any order, since an answer may hold another feature's records.
 */
const features = [
  "mail",
  "api-tokens",
  "auth",
  "networks",
  "webhooks",
  "imports",
  "choices",
  "attorneys",
  "suspension",
  "journal",
  "receivables",
  "statements",
  "ledger",
  "payments",
  "exports",
  "subscriptions",
  "panel",
  "cards",
  "activity",
  "checks",
  "firms",
  "deposits",
  "matters",
  "departures",
  "search",
  "today",
  "attorney-record",
  "dashboard",
  "settings",
  "realtime",
  "demo",
  "database-copy",
];

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "domain-stands-alone",
      severity: "error",
      from: { path: "^src/domain/", pathNot: tests },
      to: { pathNot: "^src/domain/|temporal-polyfill" },
    },
    {
      name: "contracts-know-rules-and-zod",
      severity: "error",
      from: { path: ["^src/contract/", contracts], pathNot: tests },
      to: {
        pathNot: ["^src/contract/", "^src/domain/", contracts, listContracts, "node_modules/zod"],
      },
    },
    {
      name: "screens-never-import-server-files",
      severity: "error",
      from: { path: [featureTsx, "^src/web/", "^src/list/.*\\.tsx$"] },
      to: {
        path: [
          "^src/(main|http|db|jobs|ops|cli|embedded-postgres|list)/.*\\.ts$",
          "^src/features/.*\\.ts$",
        ],
        pathNot: [contracts, listContracts],
      },
    },
    {
      name: "server-files-never-import-screens",
      severity: "error",
      from: { path: "^src/(?!web/).*\\.ts$", pathNot: tests },
      to: { path: ["\\.tsx$", "^src/web/"] },
    },
    ...Object.entries(infrastructure).map(([folder, below]) => ({
      name: `${folder}-imports-downwards`,
      comment: "no feature, and of infrastructure only what stands below it",
      severity: "error",
      from: { path: `^src/${folder}/`, pathNot: tests },
      to: {
        path: "^src/",
        pathNot: ["^src/(contract|domain)/", ...[folder, ...below].map((name) => `^src/${name}/`)],
      },
    })),
    ...features.map((feature, at) => ({
      name: `${feature}-imports-earlier-features`,
      comment: "the order of features stands in .dependency-cruiser.cjs",
      severity: "error",
      from: { path: `^src/features/${feature}/`, pathNot: [tests, contracts] },
      to: {
        path: "^src/features/",
        pathNot: [contracts, ...features.slice(0, at + 1).map((name) => `^src/features/${name}/`)],
      },
    })),
    {
      name: "every-feature-has-its-place",
      comment: "a new feature takes its place in the list of features above",
      severity: "error",
      from: {},
      to: { path: "^src/features/", pathNot: `^src/features/(${features.join("|")})/` },
    },
    {
      name: "web-knows-no-feature",
      comment: "except App, which lists the screens",
      severity: "error",
      from: { path: "^src/web/", pathNot: "^src/web/App\\.tsx$" },
      to: { path: "^src/features/", pathNot: contracts },
    },
    {
      name: "only-main-lists-features",
      severity: "error",
      from: { pathNot: ["^src/main/", "^tests/", tests] },
      to: { path: "^src/main/" },
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
