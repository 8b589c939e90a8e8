export type ColorScheme = "auto" | "light" | "dark";

const key = "color-scheme";

/** The color scheme that this browser's user chose; `auto` follows the system. */
export function chosenColorScheme(): ColorScheme {
  const chosen = localStorage.getItem(key);
  return chosen === "light" || chosen === "dark" ? chosen : "auto";
}

export function chooseColorScheme(scheme: ColorScheme): void {
  localStorage.setItem(key, scheme);
  applyColorScheme();
}

/** Colours are `light-dark()` pairs, so one attribute of the root element switches all of them. */
export function applyColorScheme(): void {
  document.documentElement.dataset["colorScheme"] = chosenColorScheme();
}
