/** Props of a section of the screen "Signing in" that shows a notice. */
export interface WithNotice {
  done: string | null;
  /** Null clears the notice. */
  onDone: (done: string | null) => void;
}
