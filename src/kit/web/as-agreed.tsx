import { useState } from "react";

/**
 * What a dialog says of a record, as it was when its button was pressed. While the change is pending the page comes to
 * show what it did, and the dialog must not say it of what is left by then. After a refusal it is as it is now.
 */
export function useAsAgreed<Value>(now: Value, pending: boolean): Value {
  const [agreed, setAgreed] = useState(now);
  if (!pending && agreed !== now) setAgreed(now);
  return pending ? agreed : now;
}
