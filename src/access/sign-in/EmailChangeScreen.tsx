import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import {
  confirmEmailChange,
  type EmailChange,
  inspectEmailChange,
  keepOldEmail,
} from "./contract.ts";

/** The page behind the links of an email address change. The code is in the fragment, which no server sees. */
export function EmailChangeScreen() {
  const token = useLocation().hash.slice(1);
  const link = useQuery({
    ...endpointQuery(inspectEmailChange, { body: { token } }),
    enabled: token !== "",
    staleTime: "static", // a refetch would fail once this page has used the link
  });
  return (
    <>
      <PageHeading title="Change of your email address" about={link.data?.networkName} />
      {token === "" ? (
        <p>Open the link in the email that we sent you. This page needs its code.</p>
      ) : (
        <WhenLoaded query={link} title="This link cannot be used">
          {(asked) => <ChangeToConfirm key={token} token={token} asked={asked} />}
        </WhenLoaded>
      )}
      <p>
        <Link to="/sign-in">Sign in</Link>
      </p>
    </>
  );
}

function ChangeToConfirm({ token, asked }: { token: string; asked: EmailChange }) {
  const confirming = useMutation({
    mutationFn: () => call(confirmEmailChange, { body: { token } }),
  });
  const keeping = useMutation({ mutationFn: () => call(keepOldEmail, { body: { token } }) });
  const change = confirming.data ?? asked;
  const isKept = keeping.data !== undefined;
  const isOld = change.mailedTo === "old";
  const isConfirmed = isOld ? change.confirmedByOld : change.confirmedByNew;
  const isOver = isKept || change.isApplied;
  return (
    <Stack>
      <Details>
        <Detail name="Account">{change.name}</Detail>
        <Detail name="Old address">{change.oldEmail}</Detail>
        <Detail name="New address">{change.newEmail}</Detail>
        <Detail name="Requested by">{change.askedBy}</Detail>
      </Details>
      {!isOver && !isConfirmed && <p>{questionOf(change)}</p>}
      <Notice>
        {isKept
          ? `Your email address is still ${change.oldEmail}.`
          : isConfirmed && stateOf(change)}
      </Notice>
      {!isOver && (
        <Row>
          {!isConfirmed && (
            <Button
              kind="primary"
              pending={confirming.isPending}
              onClick={() => confirming.mutate()}
            >
              Confirm
            </Button>
          )}
          {isOld && (
            <Button pending={keeping.isPending} onClick={() => keeping.mutate()}>
              Keep the old address
            </Button>
          )}
        </Row>
      )}
    </Stack>
  );
}

function questionOf({ mailedTo, newEmail, confirmedByNew, appliesOn }: EmailChange): string {
  if (mailedTo === "new") return `Confirm that ${newEmail} is your address.`;
  const once = confirmedByNew ? "" : ", once the new address is confirmed";
  return `Do you want this change? If you do nothing, it takes effect on ${formatDay(appliesOn)}${once}.`;
}

/** The state of a change that this address has confirmed. */
function stateOf({ mailedTo, isApplied, oldEmail, newEmail, appliesOn }: EmailChange): string {
  if (isApplied) return `Your email address is now ${newEmail}. Sign in with it.`;
  return mailedTo === "old"
    ? `Confirmed. The change takes effect once ${newEmail} is also confirmed.`
    : `Confirmed. The change takes effect once ${oldEmail} also confirms it, or on ${formatDay(appliesOn)}.`;
}
