import type { ReactNode } from "react";
import css from "./form.module.css";

/** Short fields beside each other: two as wide as each other, or city, state and zip. */
export function FieldRow({ place = false, children }: { place?: boolean; children: ReactNode }) {
  return (
    <div className={place ? `${css["together"]} ${css["place"]}` : css["together"]}>{children}</div>
  );
}
