import { Link, useLocation } from "react-router";
import type { Cents } from "#kit/domain/money.ts";
import { Money } from "./Money.tsx";
import css from "./Sums.module.css";

interface SumsProps<Status extends string> {
  /** The list's total for each status. */
  parts: readonly { status: Status; amount: Cents }[];
  /** "Received". */
  wordOf: (status: Status) => string;
}

/** A list's totals by status, in its totals row. Each one filters the list by its status. */
export function Sums<Status extends string>({ parts, wordOf }: SumsProps<Status>) {
  const { search } = useLocation();
  const filteredBy = (status: Status) => {
    const address = new URLSearchParams(search);
    address.delete("page");
    address.set("status", status);
    return `?${address}`;
  };
  return (
    <ul className={css["sums"]}>
      {parts.map(({ status, amount }) => (
        <li key={status}>
          <Link to={filteredBy(status)}>{wordOf(status)}</Link> <Money amount={amount} />
        </li>
      ))}
    </ul>
  );
}
