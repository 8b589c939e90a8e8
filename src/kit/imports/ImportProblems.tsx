import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import type { ImportPreview, ImportProblem } from "./contract.ts";
import type { ImportKind } from "./import-kind.tsx";
import { counted, formatCount } from "./import-words.tsx";
import { RefusedRowsButton } from "./RefusedRowsButton.tsx";
import type { ChosenFile } from "./use-import.tsx";

const columns: Column<ImportProblem>[] = [
  { heading: "Row", cell: ({ row }) => `Row ${formatCount(row)}` },
  { heading: "Column", cell: ({ column }) => column ?? <Muted>The whole row</Muted> },
  { heading: "What is wrong", cell: ({ message }) => message },
];

/** The problems of the refused rows, and what to do. */
export function ImportProblems({
  kind,
  file,
  plan: { problems, problemCount, refused },
}: {
  kind: ImportKind;
  file: ChosenFile;
  plan: ImportPreview;
}) {
  const title = `${counted(refused, { one: "row", many: "rows" })} cannot be imported`;
  return (
    <Section title={title} actions={<RefusedRowsButton kind={kind} file={file} />}>
      <p>
        Correct the file and choose it again. Or import the other rows now and these later: you can
        download the refused rows as a file, each with what is wrong.
      </p>
      {problemCount > problems.length && (
        <p>
          <Muted>
            The first {formatCount(problems.length)} of {formatCount(problemCount)} problems are
            listed. The download has all of them.
          </Muted>
        </p>
      )}
      <DataTable
        caption="Rows that cannot be imported"
        captionHidden
        columns={columns}
        rows={problems}
        keyOf={({ row, message }) => `${row} ${message}`}
        empty={null}
        pending={false}
        error={null}
        onRetry={() => undefined}
      />
    </Section>
  );
}
