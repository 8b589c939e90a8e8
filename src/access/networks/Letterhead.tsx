import { ownAddress } from "#kit/web/page-owner.tsx";
import type { Brand } from "./contract.ts";
import css from "./letterhead.module.css";

/** The sender at the top of a statement. */
export function Letterhead({ brand }: { brand: Brand }) {
  return (
    <div className={css["letterhead"]}>
      <Logo brand={brand} />
      <address className={css["lines"]}>
        <strong>{brand.name}</strong>
        {contactLines(brand).map((line) => (
          <span key={line}>{line}</span>
        ))}
      </address>
    </div>
  );
}

export function Logo({ brand: { logo, name } }: { brand: Brand }) {
  if (!logo) return null;
  const { path, width, height } = logo;
  return (
    <img className={css["logo"]} src={ownAddress(path)} width={width} height={height} alt={name} />
  );
}

export const contactLines = ({ postalAddress, phone, email }: Brand): string[] =>
  [...postalAddress, phone, email].filter((line) => line !== "");
