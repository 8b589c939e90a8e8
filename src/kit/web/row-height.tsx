export type RowHeight = "usual" | "compact";

const key = "row-height";

/** What this browser's user chose for the rows of lists. */
export function chosenRowHeight(): RowHeight {
  return localStorage.getItem(key) === "compact" ? "compact" : "usual";
}

export function chooseRowHeight(height: RowHeight): void {
  localStorage.setItem(key, height);
  applyRowHeight();
}

export function applyRowHeight(): void {
  document.documentElement.dataset["rows"] = chosenRowHeight();
}
