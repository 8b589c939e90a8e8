import { saveText } from "#kit/web/save-file.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { FileField } from "#kit/web/ui/FileField.tsx";
import { Section, Stack } from "#kit/web/ui/layout.tsx";
import type { ImportColumn, ImportKind } from "./import-kind.tsx";

const columns: Column<ImportColumn>[] = [
  { heading: "Column", cell: ({ heading }) => heading },
  { heading: "Needed", cell: ({ isNeeded }) => (isNeeded ? "Yes" : "No") },
  { heading: "What it contains", cell: ({ says }) => says },
];

/** Choose a file, with a list of its columns. */
export function ChooseFile({
  kind,
  onChoose,
}: {
  kind: ImportKind;
  onChoose: (file: File) => void;
}) {
  return (
    <Stack gap={32}>
      <Stack gap={16}>
        <p>Choose a file. You see what it will do before anything changes. {kind.aboutExisting}</p>
        <FileField
          label="Choose a CSV file"
          hint={
            'At most 20 MB. From Excel or Google Sheets: save the list as "CSV UTF-8" or "CSV". Values may be separated by commas, semicolons or tabs.'
          }
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          onChoose={onChoose}
        />
      </Stack>
      <Section
        title="What the file contains"
        actions={
          <Button
            pending={false}
            onClick={() => saveText(kind.exampleName, exampleOf(kind.columns))}
          >
            Download an example file
          </Button>
        }
      >
        <p>
          The first row names the columns, in any order. Other common names, such as
          &ldquo;Surname&rdquo; or &ldquo;Business Phone&rdquo;, also work. For any other column,
          you choose what it contains.
        </p>
        <DataTable
          caption="Columns"
          captionHidden
          columns={columns}
          rows={kind.columns}
          keyOf={({ heading }) => heading}
          empty={null}
          pending={false}
          error={null}
          onRetry={() => undefined}
        />
      </Section>
    </Stack>
  );
}

const byteOrderMark = "\uFEFF";

/** A file of two rows that spreadsheets can read. */
function exampleOf(all: readonly ImportColumn[]): string {
  const rows = [
    all.map(({ heading }) => heading),
    all.map(({ examples }) => examples[0]),
    all.map(({ examples }) => examples[1]),
  ];
  return byteOrderMark + rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

const cell = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
