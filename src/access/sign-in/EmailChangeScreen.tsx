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

/**
 * Where the links lead that both addresses are mailed when the address of an account is to change: the code stands in
 * the fragment, which no server sees.
 */
export function EmailChangeScreen() {
  const token = useLocation().hash.slice(1);
  const link = useQuery({
    ...endpointQuery(inspectEmailChange, { body: { token } }),
    enabled: token !== "",
    staleTime: "static", // asked again, a link that this page has used up would be refused
  });
  return (
    <>
      <PageHeading title="Change of your email address" about={link.data?.networkName} />
      {token === "" ? (
        <p>Open the link in the mail that we have sent you: this page needs its code.</p>
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
        <Detail name="Asked for by">{change.askedBy}</Detail>
      </Details>
      {!isOver && !isConfirmed && <p>{questionOf(change)}</p>}
      <Notice>
        {isKept ? `Your email address stays ${change.oldEmail}.` : isConfirmed && stateOf(change)}
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
  return `Do you know of this change? If you do nothing, it takes effect on ${formatDay(appliesOn)}${once}.`;
}

/** Of a change that this address has confirmed. */
function stateOf({ mailedTo, isApplied, oldEmail, newEmail, appliesOn }: EmailChange): string {
  if (isApplied) return `${newEmail} is your email address now. Sign in with it.`;
  return mailedTo === "old"
    ? `Confirmed. The change takes effect once ${newEmail} is confirmed, too.`
    : `Confirmed. The change takes effect once ${oldEmail} has confirmed it, too, or on ${formatDay(appliesOn)}.`;
}
