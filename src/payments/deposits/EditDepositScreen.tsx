import { useNavigate } from "react-router";
import { call, requestBody } from "#kit/web/api.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { changeDeposit, type Deposit } from "./contract.ts";
import { DepositForm } from "./DepositForm.tsx";
import { DepositPage } from "./DepositPage.tsx";

/** Changes the checks, date or account of an open deposit. */
export function EditDepositScreen() {
  return <DepositPage>{(deposit) => <EditDeposit deposit={deposit} />}</DepositPage>;
}

function EditDeposit({ deposit }: { deposit: Deposit }) {
  const navigate = useNavigate();
  const { id, number, status } = deposit;
  const address = `/admin/deposits/${id}`;
  return (
    <>
      <PageHeading title={`Edit deposit ${number}`} />
      {status === "banked" ? (
        <EmptyState
          title="This deposit is marked as banked"
          action={<ButtonLink to={address}>Show deposit</ButtonLink>}
        >
          Banked deposits cannot be changed.
        </EmptyState>
      ) : (
        <DepositForm
          start={{ deposited_on: deposit.depositedOn, account_name: deposit.accountName }}
          held={deposit.checks}
          verb="Save deposit"
          cancelTo={address}
          send={async (_, changed) => {
            if (Object.keys(changed).length === 0) return deposit;
            const body = requestBody(changeDeposit, changed);
            return await call(changeDeposit, { params: { id }, body });
          }}
          onDone={() => void navigate(address)}
        />
      )}
    </>
  );
}
