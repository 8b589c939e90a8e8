import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { asking, queryClient } from "#web/queries.tsx";
import { Warning } from "#web/ui/states.tsx";
import { showImportUnderWay } from "./contract.ts";
import { figure } from "./import-words.tsx";
import css from "./imports.module.css";

type UnderWay = NonNullable<z.output<(typeof showImportUnderWay)["object"]>["underWay"]>;

const askEveryMs = 1000;

/** The file of this network that is being read or imported, by whomever; asked for as long as one is. */
export function useUnderWay(isBusy: boolean): UnderWay | null {
  const { data } = useQuery({
    ...asking(showImportUnderWay),
    refetchInterval: (query) => (isBusy || query.state.data?.underWay ? askEveryMs : false),
  });
  return data?.underWay ?? null;
}

/** One's own file is done: what was told of it last is no longer so. */
export async function forgetUnderWay(): Promise<void> {
  const { queryKey } = asking(showImportUnderWay);
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
  if (step === "saving") return `Saving ${figure(rowsRead)} rows...`;
  return `Reading rows: ${figure(rowsRead)} of about ${figure(Math.max(rowsInAll, rowsRead))}...`;
}
