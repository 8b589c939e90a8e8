import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { endpointQuery, queryClient } from "#kit/web/queries.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { showImportUnderWay } from "./contract.ts";
import { formatCount } from "./import-words.tsx";
import css from "./imports.module.css";

type UnderWay = NonNullable<z.output<(typeof showImportUnderWay)["object"]>["underWay"]>;

const pollEveryMs = 1000;

/** The network's running import, by any administrator. Polled while there is one. */
export function useRunningImport(isBusy: boolean): UnderWay | null {
  const { data } = useQuery({
    ...endpointQuery(showImportUnderWay),
    refetchInterval: (query) => (isBusy || query.state.data?.underWay ? pollEveryMs : false),
  });
  return data?.underWay ?? null;
}

/** Forgets the last progress of the user's own import, once it is done. */
export async function clearRunningImport(): Promise<void> {
  const { queryKey } = endpointQuery(showImportUnderWay);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, { underWay: null });
}

/** The progress of the user's own file, or that it is being sent. */
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

/** Says that another administrator's file is being imported, or one's own from before a reload. */
export function OthersImport({ underWay }: { underWay: UnderWay }) {
  return (
    <Warning title={`${underWay.begunBy} is importing a file`}>
      <p>
        {underWay.fileName}: {stepWords(underWay)} You can import another file once it is done.
      </p>
    </Warning>
  );
}

function stepWords({ step, rowsRead, rowsInAll }: UnderWay): string {
  if (step === "comparing") return "Comparing its rows with existing records...";
  if (step === "saving") return `Saving ${formatCount(rowsRead)} rows...`;
  return `Reading rows: ${formatCount(rowsRead)} of about ${formatCount(Math.max(rowsInAll, rowsRead))}...`;
}
