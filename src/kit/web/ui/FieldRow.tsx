import type { ReactNode } from "react";
import css from "./form.module.css";

/** Short fields side by side: two of equal width, or city, state and zip. */
export function FieldRow({ place = false, children }: { place?: boolean; children: ReactNode }) {
  return (
    <div className={place ? `${css["together"]} ${css["place"]}` : css["together"]}>{children}</div>
  );
}
