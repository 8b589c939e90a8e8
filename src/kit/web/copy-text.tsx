/** Whether the text was copied. Browsers allow it only over TLS and on the same machine. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the user is asked to copy it
  }
}
