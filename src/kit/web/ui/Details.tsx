import type { ReactNode } from "react";
import css from "./Details.module.css";
import { Muted } from "./layout.tsx";

/** A record's facts as names and values, side by side where there is room. */
export function Details({ children }: { children: ReactNode }) {
  return <dl className={css["details"]}>{children}</dl>;
}

/** One fact; "Not provided" if there is no value. Line breaks in a value are shown. */
export function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children || <Muted>Not provided</Muted>}</dd>
    </div>
  );
}

/** In a narrow space, an extension wraps to the next line. */
export function PhoneLink({ phone }: { phone: string }) {
  const [number = "", extension] = phone.split(/x/i);
  const digits = number.replace(/[^\d+]/g, "");
  return (
    <a
      className={css["phone"]}
      href={extension ? `tel:${digits},${extension.trim()}` : `tel:${digits}`}
    >
      <span>{number.trimEnd()}</span>
      {phone.slice(number.trimEnd().length)}
    </a>
  );
}

/** In a narrow space, it breaks after the "@". */
export function EmailLink({ email }: { email: string }) {
  const [person = "", host = ""] = email.split("@");
  return (
    <a href={`mailto:${encodeURIComponent(person)}@${host}`}>
      {person}@<wbr />
      {host}
    </a>
  );
}
