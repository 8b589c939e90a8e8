/*
 * Preloaded into a process of the product: on SIGUSR2 it prints what Node and packages may print, on SIGHUP
 * it throws an error that nothing catches.
 */
process.on("SIGUSR2", () => {
  process.emitWarning("This goes away.", "DeprecationWarning", "DEP9999");
  console.error("A package names %s\nand goes on.", "ada@example.org");
  const refused = { detail: "Failing row contains (7, Lovelace)." }; // as PostgreSQL adds it
  console.error("A package fails:", Object.assign(new Error("a row is refused"), refused));
  console.log("A package is glad.");
});
process.on("SIGHUP", () => {
  void Promise.reject(new Error("Nobody caught this."));
});
