import { Link, useSearchParams } from "react-router";
import { ButtonLink } from "./Button.tsx";
import { VisuallyHidden } from "./layout.tsx";
import css from "./Paging.module.css";

/** The page and rows per page in the address: the query of a list. */
export function usePage(rowsPerPage = 50): { page: number; per_page: number } {
  const [search] = useSearchParams();
  const requested = search.get("page") ?? "";
  return { page: /^[1-9]\d{0,6}$/.test(requested) ? Number(requested) : 1, per_page: rowsPerPage };
}

interface PagingProps {
  /** The answer of a list; undefined while loading. */
  list: { page: number; perPage: number; total: number } | undefined;
}

/** Says which rows are shown and the total, with page links. Screen readers hear how many were found. */
export function Paging({ list }: PagingProps) {
  if (!list) return null;
  const { total } = list;
  return (
    <>
      <output>
        <VisuallyHidden>{`${total.toLocaleString("en-US")} ${total === 1 ? "result" : "results"} available`}</VisuallyHidden>
      </output>
      {total > 0 && <Pages list={list} />}
    </>
  );
}

function Pages({ list }: { list: NonNullable<PagingProps["list"]> }) {
  const { page, perPage, total } = list;
  const first = (page - 1) * perPage + 1;
  const last = Math.min(page * perPage, total);
  const count = total.toLocaleString("en-US");
  return (
    <nav className={css["paging"]} aria-label="Pages">
      <span>
        {first > total
          ? `Nothing on this page (${count} in all)`
          : `${first.toLocaleString("en-US")}–${last.toLocaleString("en-US")} of ${count}`}
      </span>
      {total > perPage && (
        <span className={css["links"]}>
          <PageLink to={Math.min(page - 1, Math.ceil(total / perPage))} exists={page > 1}>
            Previous
          </PageLink>
          <PageLink to={page + 1} exists={last < total}>
            Next
          </PageLink>
        </span>
      )}
    </nav>
  );
}

/** Back from a page past the last one, keeping the filters and the order. */
export function FirstPageLink() {
  const [search] = useSearchParams();
  const there = new URLSearchParams(search);
  there.delete("page");
  return <ButtonLink to={`?${there.toString()}`}>Go to the first page</ButtonLink>;
}

function PageLink({ to, exists, children }: { to: number; exists: boolean; children: string }) {
  const [search] = useSearchParams();
  if (!exists) return <span aria-hidden="true">{children}</span>;
  const there = new URLSearchParams(search);
  there.set("page", String(to));
  return <Link to={{ search: there.toString() }}>{children}</Link>;
}
