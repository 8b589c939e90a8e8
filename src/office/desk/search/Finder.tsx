import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { call } from "#kit/web/api.tsx";
import { commandKey } from "#kit/web/keyboard.tsx";
import { failsInPlace } from "#kit/web/queries.tsx";
import { type Opened, recentlyFound, rememberFound } from "#kit/web/recently-found.tsx";
import { useSession } from "#kit/web/session.tsx";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import { EmptyState, ErrorState } from "#kit/web/ui/states.tsx";
import { type Found, type FoundKind, maxSearchLength, searchEverything } from "./contract.ts";
import { Highlighted } from "./Highlighted.tsx";
import { matchingPlaces, type Page, placesOf } from "./pages.tsx";
import css from "./search.module.css";

const pauseMs = 120;

const headings: Record<FoundKind, string> = {
  attorney: "Attorneys",
  client: "Clients",
  firm: "Firms",
  check: "Checks",
  receipt: "Payments",
  transaction: "Transactions",
  deposit: "Deposits",
  plan: "Plans",
};

interface FinderProps {
  pages: readonly Page[];
  typed: string;
  onType: (text: string) => void;
  onLeave: (path: string) => void;
  onShortcuts: () => void;
}

/** Something that can be opened; `key` is unique among those shown. */
interface Choice {
  key: string;
  title: string;
  detail?: string;
  path: string;
  isRecord: boolean;
}

interface Group {
  heading: string;
  choices: Choice[];
  /** Found for an earlier text: shown, but not selectable. */
  isOutdated?: boolean;
}

/** Finds pages while typing, and records from the server soon after. */
export function Finder({ pages, typed, onType, onLeave, onShortcuts }: FinderProps) {
  const { id: userId } = useSession();
  const [recent] = useState(() => recentlyFound(userId));
  const [chosen, setChosen] = useState("");
  const awaited = useRef<string | null>(null);
  const inNewTab = useRef(false);
  const isMoving = useRef(false); // until then the first choice stays selected, even if others appear above it
  const text = typed.trim().replaceAll(/\s+/g, " ");
  const search = useSearch(text);
  const groups = text === "" ? defaultGroups(pages, recent) : matchingGroups(pages, text, search);
  const choices = groups.flatMap((group) => (group.isOutdated ? [] : group.choices));
  const selected = choices.find(({ key }) => key === chosen) ?? choices[0];

  const open = (choice: Choice) => {
    if (choice.path === shortcuts.path) return onShortcuts();
    if (choice.isRecord) rememberFound(userId, { detail: "", ...choice });
    if (inNewTab.current) window.open(choice.path, "_blank", "noopener");
    else onLeave(choice.path);
  };

  // Enter was pressed before the answer arrived.
  const openAwaited = useEffectEvent(() => {
    if (awaited.current !== text) return;
    awaited.current = null;
    if (selected) open(selected);
  });
  useEffect(() => {
    if (!search.isPending) openAwaited();
  }, [search.isPending]);

  return (
    <Command
      label="Find anything"
      className={css["finder"]}
      shouldFilter={false}
      vimBindings={false}
      value={selected?.key ?? ""}
      onValueChange={(key) => {
        if (isMoving.current) setChosen(key);
      }}
      onPointerMoveCapture={() => (isMoving.current = true)}
      onClickCapture={(event) => (inNewTab.current = event.ctrlKey || event.metaKey)}
      onKeyDown={(event) => {
        inNewTab.current = event.ctrlKey || event.metaKey;
        if (/^(Arrow|Home|End)/.test(event.key)) isMoving.current = true;
        if (
          event.key === "Enter" &&
          !selected &&
          search.isPending &&
          !event.nativeEvent.isComposing
        )
          awaited.current = text;
      }}
    >
      <div className={css["field"]}>
        <Command.Input
          ref={focusAtEnd}
          className={css["input"]}
          placeholder="Name, phone, number, page or action"
          maxLength={maxSearchLength}
          value={typed}
          onValueChange={(next) => {
            isMoving.current = false;
            setChosen("");
            awaited.current = null;
            onType(next);
          }}
        />
      </div>
      <Command.List label="Found" aria-busy={search.isPending}>
        {groups.map(({ heading, choices: listed, isOutdated }) => (
          <Command.Group key={heading} heading={heading} className={css["group"]}>
            {listed.map((choice) => (
              <Command.Item
                key={choice.key}
                value={choice.key}
                disabled={isOutdated}
                className={css["item"]}
                onSelect={() => open(choice)}
              >
                <span className={css["title"]}>
                  <Highlighted text={choice.title} typed={text} />
                </span>
                {choice.detail && (
                  <span className={css["detail"]}>
                    <Highlighted text={choice.detail} typed={text} />
                  </span>
                )}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <Outcome text={text} search={search} count={choices.length} />
      {choices.length > 0 && <Hints />}
    </Command>
  );
}

interface Search {
  found: Found[] | undefined;
  /** The server's answer has not arrived. */
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/** What the server finds. Typing cancels earlier searches; the last answer stays until the next arrives. */
function useSearch(text: string): Search {
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pauseMs);
    return () => {
      clearTimeout(timer);
      setAsked(""); // cancel it; typing the same text again searches again
    };
  }, [text]);
  const isAsked = asked === text;
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [searchEverything.path, asked],
    queryFn: ({ signal }) => call(searchEverything, { query: { q: asked }, signal }),
    enabled: isAsked && asked !== "",
    placeholderData: keepPreviousData,
    meta: failsInPlace,
  });
  // A refetch, for example after a change, answers the same question again.
  const isFirst = isPlaceholderData || (data === undefined && isFetching);
  const isPending = text !== "" && (!isAsked || isFirst);
  return {
    found: data,
    isPending,
    error: isPending ? null : error,
    retry: () => void refetch(),
  };
}

const shortcuts = {
  label: "Keyboard shortcuts",
  to: "#shortcuts",
  path: "#shortcuts",
  words: "keys help",
};

const asPlace = ({ label, to }: Page): Choice => ({
  key: `go ${to} ${label}`,
  title: label,
  path: to,
  isRecord: false,
});

const asRecord = (one: Opened): Choice => ({
  ...one,
  key: `record ${one.path} ${one.title}`,
  isRecord: true,
});

/** With nothing typed: recently opened records, pages and actions. */
function defaultGroups(pages: readonly Page[], recent: Opened[]): Group[] {
  const groups: Group[] = [
    { heading: "Recently opened", choices: recent.map(asRecord) },
    { heading: "Pages and actions", choices: [...placesOf(pages), shortcuts].map(asPlace) },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

/** Pages with a matching name come first, pages with matching other words last. */
function matchingGroups(
  pages: readonly Page[],
  text: string,
  { found = [], isPending }: Search,
): Group[] {
  const { named, related } = matchingPlaces([...placesOf(pages), shortcuts], text);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const groups: Group[] = [
    { heading: "Pages and actions", choices: named.map(asPlace) },
    ...kinds.map((kind) => ({
      heading: headings[kind],
      choices: found.filter((one) => one.kind === kind).map(asRecord),
      isOutdated: isPending,
    })),
    { heading: "Related pages", choices: related.map(asPlace), isOutdated: isPending },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

function Outcome({ text, search, count }: { text: string; search: Search; count: number }) {
  const { isPending, error, retry, found } = search;
  if (text !== "" && error)
    return <ErrorState title="The search failed" error={error} pending={false} onRetry={retry} />;
  const isNothing = text !== "" && !isPending && count === 0;
  return (
    <>
      {isNothing && (
        <EmptyState title={`Nothing found for “${text}”`}>
          {text.length === 1
            ? "One character finds exact numbers. Type another."
            : "Search by name, email, phone number, or the number of a check, receipt, transaction or deposit."}
        </EmptyState>
      )}
      {isPending && !found?.length && count === 0 && (
        <p className={css["searching"]}>Searching...</p>
      )}
      <output>
        <VisuallyHidden>{text === "" || isPending ? "" : announcement(count)}</VisuallyHidden>
      </output>
    </>
  );
}

const announcement = (count: number): string =>
  count === 0 ? "Nothing found" : `${count} found. Choose with the arrow keys.`;

function Hints(): ReactNode {
  return (
    <p className={css["hints"]} aria-hidden="true">
      <kbd>↑</kbd>
      <kbd>↓</kbd> choose
      <kbd>Enter</kbd> opens
      <kbd>{commandKey} Enter</kbd> in a new tab
    </p>
  );
}

function focusAtEnd(input: HTMLInputElement | null): void {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}
