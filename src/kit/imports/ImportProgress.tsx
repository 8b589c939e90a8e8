import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { endpointQuery, queryClient } from "#kit/web/queries.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { showImportUnderWay } from "./contract.ts";
import { formatCount } from "./import-words.tsx";
import css from "./imports.module.css";

type UnderWay = NonNullable<z.output<(typeof showImportUnderWay)["object"]>["underWay"]>;

const pollEveryMs = 1000;

/** The network's import that is running, whoever started it; polled while there is one. */
export function useRunningImport(isBusy: boolean): UnderWay | null {
  const { data } = useQuery({
    ...endpointQuery(showImportUnderWay),
    refetchInterval: (query) => (isBusy || query.state.data?.underWay ? pollEveryMs : false),
  });
  return data?.underWay ?? null;
}

/** The user's own import is done: its last progress is outdated. */
export async function clearRunningImport(): Promise<void> {
  const { queryKey } = endpointQuery(showImportUnderWay);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, { underWay: null });
}

/** How far one's own file is; before it has arrived, that it is on its way. */
export function ImportProgress({
  isSaving,
  underWay,
}: {
  isSaving: boolean;
  underWay: UnderWay | null;
}) {
  const isReading = underWay?.step === "reading" && underWay.rowsInAll > 0;
  return (
    <output className={css["progress"]}>
      <progress
        aria-label={isSaving ? "Importing the file" : "Checking the file"}
        {...(isReading && { max: underWay.rowsInAll, value: underWay.rowsRead })}
      />
      <span>
        {isSaving ? "Importing. " : "Checking. "}
        {underWay ? stepWords(underWay) : "Sending the file..."}
      </span>
    </output>
  );
}

/** That a colleague's file, or one's own before the page was loaded again, is under way. */
export function OthersImport({ underWay }: { underWay: UnderWay }) {
  return (
    <Warning title={`${underWay.begunBy} has a file under way`}>
      <p>
        {underWay.fileName}: {stepWords(underWay)} Another file can be read once it is done.
      </p>
    </Warning>
  );
}

function stepWords({ step, rowsRead, rowsInAll }: UnderWay): string {
  if (step === "comparing") return "Comparing its rows with what is there...";
  if (step === "saving") return `Saving ${formatCount(rowsRead)} rows...`;
  return `Reading rows: ${formatCount(rowsRead)} of about ${formatCount(Math.max(rowsInAll, rowsRead))}...`;
}
