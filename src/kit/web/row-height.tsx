export type RowHeight = "usual" | "compact";

const key = "row-height";

/** The row height that this browser's user chose for lists. */
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
