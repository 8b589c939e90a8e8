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
  /** What `useQuery` answered. */
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

/** What a query has brought; until then that it is on its way, or what went wrong with a retry. */
export function WhenLoaded<Data>({ query, title, children }: WhenLoadedProps<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  if (!error) return <Loading />;
  return (
    <ErrorState title={title} error={error} pending={isFetching} onRetry={() => void refetch()} />
  );
}

/** Says that something is coming, once it has taken 200 ms. */
export function Loading() {
  return <output className={css["loading"]}>Loading...</output>;
}

/**
 * Says what has just been done, where it was done. Leave it on the screen with `children` null
 * before, so that screen readers hear the change.
 */
export function Notice({ children }: { children: ReactNode }) {
  return (
    <output className={css["announcement"]}>
      {children && <span className={css["notice"]}>{children}</span>}
    </output>
  );
}

/** Says what is wrong or about to be, and what to do about it, for as long as it is so. */
export function Warning({
  title,
  tone = "waiting",
  children,
}: {
  title: string;
  /** `bad` for what is so already, `waiting` for what is coming. */
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

/** Says in numbers what a form is about to do, before it is sent; screen readers hear it change. */
export function ActionPreview({ children }: { children: ReactNode }) {
  return <output className={css["ahead"]}>{children}</output>;
}
