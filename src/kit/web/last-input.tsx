const hereMs = 60_000;

let lastInputAt = Date.now(); // opening the page counts as input

/** From now on, notice presses, keys and scrolling. */
export function watchUserInput(): void {
  const noteInput = () => (lastInputAt = Date.now());
  for (const type of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(type, noteInput, { capture: true, passive: true });
}

/**
 * Whether someone has used the page recently. Automatic requests must not keep the session open after its user has
 * left: docs/decisions/071.
 */
export function isUserActive(): boolean {
  return Date.now() - lastInputAt < hereMs;
}
