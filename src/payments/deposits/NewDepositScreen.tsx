import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { call, requestBody } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { listDeposits, makeDeposit } from "./contract.ts";
import { DepositForm } from "./DepositForm.tsx";

/** Makes a deposit of approved checks. The last deposit's account is filled in. */
export function NewDepositScreen() {
  const navigate = useNavigate();
  const today = useToday();
  const last = useQuery(endpointQuery(listDeposits, { query: { page: 1, per_page: 1 } }));
  return (
    <>
      <PageHeading title="Make a deposit" />
      {last.data ? (
        <DepositForm
          start={{ deposited_on: today, account_name: last.data.items[0]?.accountName ?? "" }}
          held={[]}
          verb="Make deposit"
          cancelTo="/admin/deposits"
          send={(typed) => call(makeDeposit, { body: requestBody(makeDeposit, typed) })}
          onDone={({ id }) => void navigate(`/admin/deposits/${id}`)}
        />
      ) : last.error ? (
        <ErrorState
          title="The last deposit could not be loaded"
          error={last.error}
          pending={last.isFetching}
          onRetry={() => void last.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}
