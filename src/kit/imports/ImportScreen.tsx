import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Notice, Warning } from "#kit/web/ui/states.tsx";
import { ChooseFile } from "./ChooseFile.tsx";
import type { ImportDone } from "./contract.ts";
import type { ImportKind } from "./import-kind.tsx";
import { resultSentence } from "./import-words.tsx";
import { ImportPlan } from "./ImportPlan.tsx";
import { ImportProgress, OthersImport } from "./ImportProgress.tsx";
import { RefusedRowsButton } from "./RefusedRowsButton.tsx";
import { useImport } from "./use-import.tsx";

/** Imports a CSV file: choose it, preview it, import it as previewed. */
export function ImportScreen({ kind }: { kind: ImportKind }) {
  const its = useImport(kind);
  const { file, checking, importing, isBusy, underWay } = its;
  return (
    <Stack gap={24}>
      <PageHeading title={kind.title} about={file?.name} />
      {!file && underWay && <OthersImport underWay={underWay} />}
      {!file && <ChooseFile kind={kind} onChoose={(picked) => void its.choose(picked)} />}
      {isBusy && <ImportProgress isSaving={importing.isPending} underWay={underWay} />}
      {file && !isBusy && checking.error && (
        <CouldNotBeChecked error={checking.error} onRetry={its.recheck} onOther={its.startOver} />
      )}
      {its.hasChanged && checking.data && !isBusy && (
        <Warning title="Nothing was imported yet">
          <p>
            Something has changed since the file was checked, so it was checked again. Review what
            it will do now.
          </p>
        </Warning>
      )}
      {file && checking.data && !isBusy && !importing.data && (
        <ImportPlan
          key={checking.submittedAt}
          kind={kind}
          file={file}
          plan={checking.data}
          problem={its.hasChanged ? null : importing.error}
          onConfirm={its.confirm}
          onColumnsSaid={its.recheck}
          onOther={its.startOver}
        />
      )}
      <Notice>{importing.data && resultSentence(importing.data, kind.nouns)}</Notice>
      {file && importing.data && (
        <Done kind={kind} file={file} done={importing.data} onOther={its.startOver} />
      )}
    </Stack>
  );
}

function CouldNotBeChecked({
  error,
  onRetry,
  onOther,
}: {
  error: Error;
  onRetry: () => void;
  onOther: () => void;
}) {
  return (
    <Warning tone="bad" title="The file could not be checked">
      <p>{error.message} Nothing was imported.</p>
      <Row>
        <Button kind="primary" pending={false} onClick={onOther}>
          Choose another file
        </Button>
        <Button pending={false} onClick={onRetry}>
          Try again
        </Button>
      </Row>
    </Warning>
  );
}

interface DoneProps {
  kind: ImportKind;
  file: { name: string; content: Blob };
  done: ImportDone;
  onOther: () => void;
}

function Done({ kind, file, done, onOther }: DoneProps) {
  return (
    <Row>
      <ButtonLink kind="primary" to={kind.list.to}>
        {`Go to ${kind.list.label}`}
      </ButtonLink>
      {done.refused > 0 && <RefusedRowsButton kind={kind} file={file} />}
      <Button pending={false} onClick={onOther}>
        Import another file
      </Button>
    </Row>
  );
}
