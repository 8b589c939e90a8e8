import { useMutation } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import type { Page } from "#kit/contract/page.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { ChosenBar } from "#kit/web/ui/ChosenBar.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { type Ticks, useTicks } from "#kit/web/ui/ticks.tsx";

/** The rows to act on: the ticked ones, or all that match the filters, on every page. */
export interface Chosen<Row, Query = unknown> {
  rows: readonly Row[];
  count: number;
  /** The filters, if all matching rows are chosen; otherwise null. */
  matching: Query | null;
}

/** Say what was done, in one sentence. `about` adds what can be done next, such as undo. */
type Say = (words: string, about?: (say: Say) => ReactNode) => void;

interface DialogProps {
  onClose: () => void;
  onDone: Say;
}

/** A button in the bar below a list. */
interface BulkAction<Row, Query> {
  label: (chosen: Chosen<Row, Query>) => string;
  kind?: "primary" | "danger";
  /** A dialog that asks first, then acts. */
  dialog?: (chosen: Chosen<Row, Query>, props: DialogProps) => ReactNode;
  /** Acts immediately, on all rows or none, and answers what was done. `failed` is the heading of the error. */
  run?: (chosen: Chosen<Row, Query>) => Promise<string>;
  failed?: string;
}

/** What can be done with many rows of a list together. */
export interface Bulk<Row, Query, Action extends string> {
  /** The accessible name of the row's box. */
  nameOf: (row: Row) => string;
  /** Rows that cannot be acted on have no box. Default: all rows have one. */
  canTick?: (row: Row) => boolean;
  /** Whether all rows that match the filters can be chosen, not only the ticked ones. */
  choosesAll?: boolean;
  /** Text after the number chosen: ", $805.00: 5 debits". */
  about?: (chosen: Chosen<Row, Query>) => string;
  actions: Record<Action, BulkAction<Row, Query>>;
  /** Shown beside the buttons. */
  also?: (chosen: Chosen<Row, Query>) => ReactNode;
}

/** For a list's table and the bar below it. */
export interface BulkActions<Row> {
  ticks: Ticks<Row>;
  bar: ReactNode;
}

interface Running {
  action: string;
  failed: string | undefined;
  run: () => Promise<string>;
}

interface Done {
  words: string;
  about: ReactNode;
}

/** The ticked rows of a list, and the actions on them. `open` opens an action's dialog. */
export function useBulkActions<Row extends { id: number }, Query, Action extends string>(
  {
    rows: { data },
    filters: { query },
  }: { rows: { data: Page<Row> | undefined }; filters: { query: Query } },
  bulk: Bulk<Row, Query, Action>,
): BulkActions<Row> & { open: (action: Action) => void } {
  const [opened, setOpened] = useState<Action | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const { chosen, ticks, beyond } = useChosen(data, query, bulk);
  const say: Say = (words, about) => setDone({ words, about: about?.(say) });
  const open = (action: Action) => {
    setDone(null);
    setOpened(action);
  };
  const running = useMutation({
    mutationFn: async ({ run }: Running) => await run(),
    onMutate: () => setDone(null),
    onSuccess: (words) => {
      ticks.clear();
      say(words);
    },
  });
  const actions = Object.entries<BulkAction<Row, Query>>(bulk.actions);
  const dialog = opened && bulk.actions[opened].dialog;
  const bar = (
    <>
      <ChosenBar
        ticks={ticks}
        count={chosen.count}
        about={bulk.about?.(chosen) ?? beyond}
        done={done?.words ?? null}
        doneActions={done?.about}
        problem={
          running.error && (
            <Warning tone="bad" title={running.variables.failed ?? "This was not done"}>
              <p>{running.error.message}</p>
            </Warning>
          )
        }
      >
        {actions.map(([action, { label, kind, run, failed }]) => (
          <Button
            key={action}
            {...(kind && { kind })}
            pending={running.isPending && running.variables.action === action}
            onClick={
              () =>
                run
                  ? running.mutate({ action, failed, run: () => run(chosen) })
                  : open(action as Action) // a key of the actions
            }
          >
            {label(chosen)}
          </Button>
        ))}
        {bulk.also?.(chosen)}
      </ChosenBar>
      {dialog && (
        <Fragment key={opened}>
          {dialog(chosen, {
            onClose: () => setOpened(null),
            onDone: (words, about) => {
              ticks.clear();
              say(words, about);
              setOpened(null);
            },
          })}
        </Fragment>
      )}
    </>
  );
  return { ticks, bar, open };
}

/** The chosen rows. `beyond`: says that all matching rows are chosen, or offers it. */
function useChosen<Row extends { id: number }, Query>(
  page: Page<Row> | undefined,
  query: Query,
  { nameOf, canTick, choosesAll = false }: Omit<Bulk<Row, Query, string>, "actions">,
): { chosen: Chosen<Row, Query>; ticks: Ticks<Row>; beyond: ReactNode } {
  const rows = page?.items ?? [];
  const ticks = useTicks({ rows, keyOf: ({ id }) => id, nameOf, ...(canTick && { canTick }) });
  const of = JSON.stringify(query);
  const [allOf, setAllOf] = useState<string | null>(null); // reset when the filters change
  const isAll = allOf === of;
  const total = page?.total ?? 0;
  const isPageTicked = rows.length > 0 && rows.every(ticks.isTicked);
  const more = choosesAll && isPageTicked && total > ticks.chosen.length;
  return {
    chosen: {
      rows: isAll ? [] : ticks.chosen,
      count: isAll ? total : ticks.chosen.length,
      matching: isAll ? query : null,
    },
    ticks: {
      ...ticks,
      isTicked: (row) => isAll || ticks.isTicked(row),
      tick: (some, isTicked) => {
        setAllOf(null);
        ticks.tick(some, isTicked);
      },
      clear: () => {
        setAllOf(null);
        ticks.clear();
      },
    },
    beyond: isAll
      ? ": all that match these filters"
      : more && (
          <>
            {" "}
            <Button
              small
              kind="quiet"
              pending={false}
              onClick={() => {
                ticks.tick(rows, true);
                setAllOf(of);
              }}
            >
              {`Choose all ${total.toLocaleString("en-US")} that match`}
            </Button>
          </>
        ),
  };
}
