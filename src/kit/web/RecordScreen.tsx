import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { CallFailure } from "./call-failure.tsx";
import { NotFound } from "./NotFound.tsx";
import { expectsNotFound } from "./queries.tsx";
import { PageHeading } from "./ui/PageHeading.tsx";
import { ErrorState, Loading } from "./ui/states.tsx";

interface RecordScreenProps<Found> {
  /** What the record is called: "card payment". */
  name: string;
  /** `endpointQuery` of the call that answers the record. */
  query: (id: number) => { queryKey: readonly unknown[]; queryFn: () => Promise<Found> };
  children: (found: Found) => ReactNode;
}

/** The record whose id is in the address. Says so while it loads, when it cannot be loaded, and when there is none. */
export function RecordScreen<Found>(props: RecordScreenProps<Found>) {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return <LoadedRecord key={id} id={Number(id)} {...props} />;
}

interface LoadedRecordProps<Found> extends RecordScreenProps<Found> {
  id: number;
}

function LoadedRecord<Found>({ id, name, query, children }: LoadedRecordProps<Found>) {
  const record = useQuery({ ...query(id), ...expectsNotFound });
  if (record.data !== undefined) return children(record.data);
  if (record.error instanceof CallFailure && record.error.status === 404) return <NotFound />;
  return (
    <>
      <PageHeading title={name.charAt(0).toUpperCase() + name.slice(1)} />
      {record.error ? (
        <ErrorState
          title={`The ${name} could not be loaded`}
          error={record.error}
          pending={record.isFetching}
          onRetry={() => void record.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}
