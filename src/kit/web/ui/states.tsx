import { type ReactNode, useId } from "react";
import { Button } from "./Button.tsx";
import css from "./states.module.css";

/** What is missing, why, and one next action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={css["state"]}>
      <p className={css["title"]}>{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

interface ErrorStateProps {
  /** What could not be shown: "The attorneys could not be loaded". */
  title: string;
  error: Error;
  onRetry: () => void;
  pending: boolean;
}

export function ErrorState({ title, error, onRetry, pending }: ErrorStateProps) {
  return (
    <div className={css["state"]} role="alert">
      <p className={css["title"]}>{title}</p>
      <p>{error.message}</p>
      <Button onClick={onRetry} pending={pending}>
        Try again
      </Button>
    </div>
  );
}

interface WhenLoadedProps<Data> {
  /** The result of `useQuery`. */
  query: {
    data: Data | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => unknown;
  };
  /** What could not be shown. */
  title: string;
  children: (data: Data) => ReactNode;
}

/** Shows a query's data. Until then it says that the data is loading, or what failed, with a retry. */
export function WhenLoaded<Data>({ query, title, children }: WhenLoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  if (!error) return <Loading />;
  return (
    <ErrorState title={title} error={error} pending={isFetching} onRetry={() => void refetch()} />
  );
}

/** Says that something is loading, after 200 ms. */
export function Loading() {
  return <output className={css["loading"]}>Loading...</output>;
}

/**
 * Says what was just done, where it was done. Render it early with `children` null, so that screen readers announce
 * the change.
 */
export function Notice({ children }: { children: ReactNode }) {
  return (
    <output className={css["announcement"]}>
      {children && <span className={css["notice"]}>{children}</span>}
    </output>
  );
}

/** Says what is or will be wrong and what to do, as long as that is true. */
export function Warning({
  title,
  tone = "waiting",
  children,
}: {
  title: string;
  /** `bad` for a current problem, `waiting` for a coming one. */
  tone?: "bad" | "waiting";
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={`${css["warning"]} ${css[tone]}`} aria-labelledby={id}>
      <p className={css["title"]} id={id}>
        {title}
      </p>
      {children}
    </section>
  );
}

/** Says in numbers what a form will do before it is sent. Screen readers announce changes. */
export function ActionPreview({ children }: { children: ReactNode }) {
  return <output className={css["ahead"]}>{children}</output>;
}
