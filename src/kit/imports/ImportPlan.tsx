import { useEffect, useRef } from "react";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Muted, Row, Section, Stack } from "#kit/web/ui/layout.tsx";
import { Warning, ActionPreview } from "#kit/web/ui/states.tsx";
import { StatusMark, type Tone } from "#kit/web/ui/StatusMark.tsx";
import type { ImportPreview, PlannedRow } from "./contract.ts";
import type { ImportKind } from "./import-kind.tsx";
import {
  hasChanges,
  formatCount,
  importButton,
  listed,
  keptDetailsSentence,
  previewSentence,
} from "./import-words.tsx";
import { UnknownColumns } from "./UnknownColumns.tsx";
import { ImportProblems } from "./ImportProblems.tsx";
import css from "./imports.module.css";
import type { ChosenFile } from "./use-import.tsx";

interface ImportPlanProps {
  kind: ImportKind;
  file: ChosenFile;
  plan: ImportPreview;
  /** Why the import failed. */
  problem: Error | null;
  onConfirm: () => void;
  onColumnsSaid: () => void;
  onOther: () => void;
}

/** What a file will do, in numbers and its first rows, with the button to import it. */
export function ImportPlan(props: ImportPlanProps) {
  const { kind, file, plan, problem, onConfirm, onColumnsSaid, onOther } = props;
  const isRead = plan.missingFields.length === 0;
  const summary = useRef<HTMLDivElement>(null);
  // Screen readers and the keyboard continue from here.
  useEffect(() => summary.current?.focus(), []);
  return (
    <Stack gap={32}>
      <div ref={summary} tabIndex={-1} className={css["summary"]} aria-label="What the file does">
        <Stack gap={16}>
          {isRead && <Counts plan={plan} />}
          <HowItWasRead plan={plan} />
          {problem && (
            <Warning tone="bad" title="Nothing was imported">
              <p>{problem.message}</p>
            </Warning>
          )}
          <ActionPreview>{consequence(plan, kind)}</ActionPreview>
          {plan.keptDetails > 0 && <p>{keptDetailsSentence(plan, kind.nouns)}</p>}
          <Row>
            {hasChanges(plan) && (
              <Button kind="primary" pending={false} onClick={onConfirm}>
                {importButton(plan, kind.nouns)}
              </Button>
            )}
            <Button pending={false} onClick={onOther}>
              Choose another file
            </Button>
          </Row>
        </Stack>
      </div>
      {plan.askedColumns.length > 0 && (
        <UnknownColumns kind={kind} plan={plan} onSaid={onColumnsSaid} />
      )}
      {plan.refused > 0 && <ImportProblems kind={kind} file={file} plan={plan} />}
      {plan.firstRows.length > 0 && <FirstRows kind={kind} plan={plan} />}
    </Stack>
  );
}

function consequence(plan: ImportPreview, { nouns, columns }: ImportKind): string {
  if (plan.missingFields.length > 0) {
    const names = plan.missingFields.map(
      (field) => columns.find((column) => column.field === field)?.heading.toLowerCase() ?? field,
    );
    return `No column contains the ${listed(names)}. Choose it below.`;
  }
  if (hasChanges(plan)) return previewSentence(plan, nouns);
  if (plan.rows === 0) return "The file has headings but no rows.";
  if (plan.unchanged === 0) return "No row can be imported. Correct the file and choose it again.";
  const isThere = "There is nothing to import: all rows that can be read are already recorded";
  return plan.keptDetails > 0 ? `${isThere}.` : `${isThere}, with the same details.`;
}

function Counts({ plan }: { plan: ImportPreview }) {
  return (
    <Details>
      <Detail name="Rows in the file">{formatCount(plan.rows)}</Detail>
      <Detail name="Added">{formatCount(plan.added)}</Detail>
      <Detail name="Changed">{formatCount(plan.changed)}</Detail>
      <Detail name="Left as they are">{formatCount(plan.unchanged)}</Detail>
      <Detail name="Refused">{formatCount(plan.refused)}</Detail>
    </Details>
  );
}

/** What to check about how the file was read: its encoding, ignored columns and notes. */
function HowItWasRead({ plan: { encoding, ignoredColumns, notes } }: { plan: ImportPreview }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {ignoredColumns.length > 0 && (
        <p>
          <Muted>
            {ignoredColumns.length === 1 ? "This column is" : "These columns are"} left out:{" "}
            {ignoredColumns.join(", ")}.
          </Muted>
        </p>
      )}
      {encoding === "windows-1252" && (
        <Warning title="Check accents and apostrophes in the rows below">
          <p>
            The file uses an older text encoding (Windows-1252) and was read that way. If a name
            looks wrong, save the file as &ldquo;CSV UTF-8&rdquo; and choose it again.
          </p>
        </Warning>
      )}
    </>
  );
}

const becomes: Record<PlannedRow["becomes"], { tone: Tone; word: string }> = {
  added: { tone: "good", word: "Added" },
  changed: { tone: "waiting", word: "Changed" },
  unchanged: { tone: "quiet", word: "Left as it is" },
};

function FirstRows({ kind, plan }: { kind: ImportKind; plan: ImportPreview }) {
  const [name, ...others] = kind.shown;
  const isShown = ({ value, onlyIfAny }: (typeof others)[number]) =>
    !onlyIfAny || plan.firstRows.some(({ values }) => values[value] !== undefined);
  const columns: Column<PlannedRow>[] = [
    { heading: name?.heading ?? "", cell: ({ values }) => values[name?.value ?? ""] },
    { heading: "Row", cell: ({ row }) => formatCount(row) },
    {
      heading: "What happens",
      cell: (row) => (
        <StatusMark tone={becomes[row.becomes].tone}>{becomes[row.becomes].word}</StatusMark>
      ),
    },
    ...others.filter(isShown).map(({ value, heading }) => ({
      heading,
      cell: ({ values }: PlannedRow) => values[value] ?? <Muted>Not provided</Muted>,
    })),
  ];
  return (
    <Section title={plan.firstRows.length < plan.rows ? "The first rows" : "The rows"}>
      <p>As they will be stored. Rows with accents come first.</p>
      <DataTable
        caption="The first rows"
        captionHidden
        columns={columns}
        rows={plan.firstRows}
        keyOf={({ row }) => row}
        empty={null}
        pending={false}
        error={null}
        onRetry={() => undefined}
      />
    </Section>
  );
}
