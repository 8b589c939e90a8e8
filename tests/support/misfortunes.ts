/*
 * Preloaded into a process of the product: on SIGUSR2 it prints what Node and packages print by
 * themselves, on SIGHUP something goes wrong that nobody catches.
 */
process.on("SIGUSR2", () => {
  process.emitWarning("This goes away.", "DeprecationWarning", "DEP9999");
  console.error("A package names %s\nand goes on.", "ada@example.org");
  console.log("A package is glad.");
});
process.on("SIGHUP", () => {
  void Promise.reject(new Error("Nobody caught this."));
});
