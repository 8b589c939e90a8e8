/** Whether the browser let us write to the clipboard: it does so over TLS and on this machine only. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the person is told to copy it by hand
  }
}
