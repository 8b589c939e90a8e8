import type { ReactNode } from "react";
import css from "./CardForm.module.css";
import type { Brandmark } from "#cards/shapes.ts";

/** A brand shown by its name, if it has no simpler mark. */
const lettered = (letters: string, color: string) => (
  <text x="19" y="15" fill={color} textAnchor="middle" className={css["letters"]}>
    {letters}
  </text>
);

const marks: Record<Brandmark, { name: string; drawing: ReactNode }> = {
  mastercard: {
    name: "Mastercard",
    drawing: (
      <>
        <circle cx="15" cy="12" r="7" fill="#d7242c" />
        <circle cx="23" cy="12" r="7" fill="#f0a021" />
        <path d="M19 6.255a7 7 0 0 1 0 11.49a7 7 0 0 1 0-11.49" fill="#e8661f" />
      </>
    ),
  },
  visa: {
    name: "Visa",
    drawing: (
      <g fill="none" stroke="#1c3f94" strokeWidth="2.3" transform="translate(2.9) skewX(-13)">
        <path d="M7.5 7.5l3 8.6l3.2-8.6M16.9 7.5v9" />
        <path d="M25 9.1c-1-.7-4.8-1.1-4.8 1c0 2.2 4.9 1.4 4.9 3.9c0 2.3-4.1 2-5.4.9" />
        <path d="M26.6 16.5l3.2-8.6l3 8.6M28 13.8h3.9" />
      </g>
    ),
  },
  amex: { name: "American Express", drawing: lettered("AMEX", "#1f5fa8") },
  discover: { name: "Discover", drawing: lettered("DISC", "#b5520b") },
  diners: { name: "Diners Club", drawing: lettered("DINERS", "#1c4f7c") },
  jcb: { name: "JCB", drawing: lettered("JCB", "#1d6b3a") },
};

export const brandName = (brand: Brandmark): string => marks[brand].name;

/** The accepted card brands, as small marks that we drew ourselves. */
export function Brandmarks({ brands }: { brands: readonly Brandmark[] }) {
  if (brands.length === 0) return null;
  return (
    <ul className={css["marks"]} aria-label="Cards accepted">
      {brands.map((brand) => (
        <li key={brand}>
          <svg viewBox="0 0 38 24" role="img" aria-label={marks[brand].name}>
            <rect x="0.5" y="0.5" width="37" height="23" rx="3.5" fill="#fff" stroke="#c8ced3" />
            {marks[brand].drawing}
          </svg>
        </li>
      ))}
    </ul>
  );
}
