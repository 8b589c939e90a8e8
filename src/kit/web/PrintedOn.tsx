import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import css from "./Shell.module.css";

const twoDigits = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
const todayHere = () => new Date().toLocaleDateString("en-US", twoDigits);

/** The date at the top of a printout. The page may have been open since yesterday. */
export function PrintedOn() {
  const [day, setDay] = useState(todayHere);
  useEffect(() => {
    const refresh = () => flushSync(() => setDay(todayHere()));
    window.addEventListener("beforeprint", refresh);
    return () => window.removeEventListener("beforeprint", refresh);
  }, []);
  return <span className={css["printed"]}>Printed {day}</span>;
}
