import { useState } from "react";

/**
 * A record as it was when the dialog's button was pressed. While the change is pending, the page may already show
 * its effect, but the dialog must not describe what is left by then. After a refusal, the record as it is now.
 */
export function useFrozenWhilePending<Value>(now: Value, pending: boolean): Value {
  const [agreed, setAgreed] = useState(now);
  if (!pending && agreed !== now) setAgreed(now);
  return pending ? agreed : now;
}
