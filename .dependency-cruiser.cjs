/** Imports go one way: docs/architecture.md shows the picture. */
const featureTsx = "^src/features/[^/]+/[^/]+\\.tsx$";
const contracts = "^src/features/[^/]+/(contract|shapes)\\.ts$";

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "domain-stands-alone",
      severity: "error",
      from: { path: "^src/domain/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^src/domain/|temporal-polyfill" },
    },
    {
      name: "contracts-know-rules-and-zod",
      severity: "error",
      from: { path: ["^src/contract/", contracts], pathNot: "\\.test\\.ts$" },
      to: { pathNot: ["^src/contract/", "^src/domain/", contracts, "node_modules/zod"] },
    },
    {
      name: "screens-never-import-server-files",
      severity: "error",
      from: { path: [featureTsx, "^src/web/"] },
      to: { path: ["^src/server/", "^src/features/.*\\.ts$"], pathNot: contracts },
    },
    {
      name: "server-files-never-import-screens",
      severity: "error",
      from: { path: ["^src/server/", "^src/features/[^/]+/.*\\.ts$"], pathNot: "\\.test\\.ts$" },
      to: { path: ["\\.tsx$", "^src/web/"] },
    },
    {
      name: "server-knows-no-feature",
      comment: "except the lists of features, and the sign-in that every route stands on",
      severity: "error",
      from: {
        path: "^src/server/",
        pathNot: ["^src/server/(app|cli|worker|figures|demo|main)\\.ts$", "\\.test\\.ts$"],
      },
      to: { path: "^src/features/" },
    },
    {
      name: "web-knows-no-feature",
      comment: "except App, which lists the screens",
      severity: "error",
      from: { path: "^src/web/", pathNot: "^src/web/App\\.tsx$" },
      to: { path: "^src/features/", pathNot: contracts },
    },
    {
      name: "product-never-imports-tests",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.tsx?$" },
      to: { path: ["^tests/", "\\.test\\.tsx?$"] },
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
