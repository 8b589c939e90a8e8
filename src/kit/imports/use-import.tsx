import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { maxFileBytes } from "#kit/contract/file.ts";
import { callWithFile } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { changesNothing } from "#kit/web/queries.tsx";
import type { ImportPreview } from "./contract.ts";
import type { ImportKind } from "./import-kind.tsx";
import { clearRunningImport, useRunningImport } from "./ImportProgress.tsx";

export interface ChosenFile {
  name: string;
  /** Its bytes when it was chosen, so that the import matches the preview. */
  content: Blob;
}

/** The state of an import: choose a file, check it, import it as previewed. */
export function useImport({ endpoints }: ImportKind) {
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [hasChanged, setChanged] = useState(false);
  const checking = useMutation({
    mutationFn: async (chosen: ChosenFile) => {
      refuseTooLarge(chosen);
      const query = { file_name: chosen.name };
      return await callWithFile(endpoints.preview, { query, file: chosen.content });
    },
    onSettled: clearRunningImport,
    ...changesNothing,
  });
  const importing = useMutation({
    mutationFn: async ({ chosen, plan }: { chosen: ChosenFile; plan: ImportPreview }) => {
      const query = { file_name: chosen.name, digest: plan.digest, skips_bad: plan.refused > 0 };
      return await callWithFile(endpoints.importing, { query, file: chosen.content });
    },
    onError: (error, { chosen }) => {
      const isOutdated = error instanceof CallFailure && error.status === 409;
      setChanged(isOutdated);
      if (isOutdated) checking.mutate(chosen);
    },
    onSettled: clearRunningImport,
  });
  const startOver = () => {
    setFile(null);
    setChanged(false);
    checking.reset();
    importing.reset();
  };
  const isBusy = checking.isPending || importing.isPending;
  return {
    file,
    startOver,
    choose: async (picked: File) => {
      startOver();
      const chosen = { name: picked.name.slice(-200), content: await readBytes(picked) };
      setFile(chosen);
      checking.mutate(chosen);
    },
    checking,
    recheck: () => file && checking.mutate(file),
    importing,
    confirm: () => {
      setChanged(false);
      if (file && checking.data) importing.mutate({ chosen: file, plan: checking.data });
    },
    /** The import was refused because something had changed; the preview is new. */
    hasChanged,
    isBusy,
    underWay: useRunningImport(isBusy),
  };
}

/** A file that changes on disk could not be sent a second time. */
async function readBytes(picked: File): Promise<Blob> {
  return picked.size > maxFileBytes ? picked : new Blob([await picked.arrayBuffer()]);
}

function refuseTooLarge({ name, content }: ChosenFile): void {
  if (content.size <= maxFileBytes) return;
  const message = `${name} is too large. The limit is 20 MB. Split it into several files.`;
  throw new CallFailure("not sent", message);
}
