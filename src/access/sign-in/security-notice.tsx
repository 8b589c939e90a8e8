/** A section of the screen "Signing in" that says what it did. */
export interface WithNotice {
  done: string | null;
  /** Null: it has begun something else. */
  onDone: (done: string | null) => void;
}
