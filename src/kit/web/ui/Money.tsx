import { type Cents, formatMoney } from "#kit/domain/money.ts";
import css from "./Money.module.css";

/** An amount for people: `$1,234.50`, `-$25.00`, in digits of equal width. */
export function Money({ amount }: { amount: Cents }) {
  return <span className={css["money"]}>{formatMoney(amount)}</span>;
}
