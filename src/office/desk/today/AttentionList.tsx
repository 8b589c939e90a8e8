import { Link } from "react-router";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { attentionDetail, attentionWords } from "./attention-words.tsx";
import type { Attention } from "./contract.ts";
import css from "./today.module.css";
import { useNow } from "./use-now.tsx";

/** What needs a person: one line per kind, linked to its list. */
export function AttentionList({ attention }: { attention: Attention[] }) {
  return (
    <Section title="Waiting for you">
      {attention.length > 0 && (
        <ul className={css["waiting"]}>
          {attention.map((line) => (
            <li key={line.kind}>
              <Line of={line} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <Muted>
          {attention.length > 0 ? "Nothing else is waiting." : "Nothing is waiting for you."}
        </Muted>
      </p>
      <nav className={`${css["more"]} actions`} aria-label="Lists of exceptions">
        <Link to="/admin/card-payments">Card payments</Link>
        <Link to="/admin/due-but-not-billed">Due but not billed</Link>
        <Link to="/admin/mail">Email</Link>
      </nav>
    </Section>
  );
}

function Line({ of: line }: { of: Attention }) {
  const detail = attentionDetail(line, useNow());
  return (
    <Link to={line.path} className={css["line"]}>
      <span className={css["count"]}>{line.count.toLocaleString("en-US")}</span>{" "}
      <span className={css["words"]}>{attentionWords(line)}</span>{" "}
      <span className={css["detail"]}>
        {detail}
        {detail !== null && line.amount !== undefined && " · "}
        {line.amount !== undefined && <Money amount={line.amount} />}
      </span>
    </Link>
  );
}
