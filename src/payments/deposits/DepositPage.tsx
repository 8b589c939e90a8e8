import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { endpointQuery, expectsNotFound } from "#kit/web/queries.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { type Deposit, showDeposit } from "./contract.ts";

/** What is shown of the deposit that the address names, once it has come. */
export function DepositPage({ children }: { children: (deposit: Deposit) => ReactNode }) {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return (
    <LoadedDeposit key={id} id={Number(id)}>
      {children}
    </LoadedDeposit>
  );
}

function LoadedDeposit({
  id,
  children,
}: {
  id: number;
  children: (deposit: Deposit) => ReactNode;
}) {
  const deposit = useQuery({
    ...endpointQuery(showDeposit, { params: { id } }),
    ...expectsNotFound,
  });
  if (deposit.data) return children(deposit.data);
  if (deposit.error instanceof CallFailure && deposit.error.status === 404) return <NotFound />;
  return (
    <>
      <PageHeading title="Deposit" />
      {deposit.error ? (
        <ErrorState
          title="The deposit could not be loaded"
          error={deposit.error}
          pending={deposit.isFetching}
          onRetry={() => void deposit.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}
