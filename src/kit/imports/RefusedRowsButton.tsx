import { useMutation } from "@tanstack/react-query";
import { callWithFile } from "#kit/web/api.tsx";
import { changesNothing } from "#kit/web/queries.tsx";
import { saveText } from "#kit/web/save-file.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import type { ImportKind } from "./import-kind.tsx";
import type { ChosenFile } from "./use-import.tsx";

/** Downloads the refused rows, each with what is wrong, as a file to correct. */
export function RefusedRowsButton({ kind, file }: { kind: ImportKind; file: ChosenFile }) {
  const fetching = useMutation({
    mutationFn: () =>
      callWithFile(kind.endpoints.refusedRows, {
        query: { file_name: file.name },
        file: file.content,
      }),
    onSuccess: ({ csv }) => saveText(`${file.name.replace(/\.\w{1,5}$/, "")}-refused.csv`, csv),
    ...changesNothing,
  });
  return (
    <Button pending={fetching.isPending} onClick={() => fetching.mutate()}>
      Download the refused rows
    </Button>
  );
}
