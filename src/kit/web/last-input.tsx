const hereMs = 60_000;

let lastInputAt = Date.now(); // opening the page is somebody's doing

/** Notice presses, keys and scrolling, from now on. */
export function watchForInput(): void {
  const noteInput = () => (lastInputAt = Date.now());
  for (const type of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(type, noteInput, { capture: true, passive: true });
}

/**
 * Whether somebody is at the page. What a page asks for by itself, such as for each change that it hears of, must
 * not keep the session of somebody open who has left hours ago: docs/decisions/071.
 */
export function isSomebodyHere(): boolean {
  return Date.now() - lastInputAt < hereMs;
}
