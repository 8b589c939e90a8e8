/** Make the browser save text as a file, CSV by default. */
export function saveText(name: string, text: string, type = "text/csv"): void {
  saveFile(new File([text], name, { type: `${type};charset=utf-8` }));
}

/** Make the browser save a file under its name. */
export function saveFile(file: File): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = file.name;
  link.click();
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
