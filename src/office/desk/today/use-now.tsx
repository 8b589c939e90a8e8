import { useEffect, useState } from "react";

const minuteMs = 60_000;

/** The present time in milliseconds, anew each minute: for how long ago something was. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
