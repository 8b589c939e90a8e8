import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { endpointQuery, refetch, showSaved } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { ErrorState, Loading, Notice } from "#kit/web/ui/states.tsx";
import {
  type Administrator,
  changeSecondFactorRequirement,
  listAdministrators,
  type SecondFactorRequirement,
  showSecondFactorRequirement,
} from "./contract.ts";
import { showSession } from "#kit/contract/session.ts";

/** Whether administrators need a second factor, and how many have none. */
export function SecondFactorRequirementCard() {
  const requirement = useQuery(endpointQuery(showSecondFactorRequirement));
  const administrators = useQuery(endpointQuery(listAdministrators));
  if (requirement.data && administrators.data)
    return <Requirement requirement={requirement.data} administrators={administrators.data} />;
  const error = requirement.error ?? administrators.error;
  if (!error) return <Loading />;
  return (
    <ErrorState
      title="The second factor setting could not be loaded"
      error={error}
      pending={requirement.isFetching || administrators.isFetching}
      onRetry={() => void Promise.all([requirement.refetch(), administrators.refetch()])}
    />
  );
}

interface RequirementProps {
  requirement: SecondFactorRequirement;
  administrators: Administrator[];
}

function Requirement({ requirement: { since }, administrators }: RequirementProps) {
  const [done, setDone] = useState<string | null>(null);
  const isRequired = since !== null;
  const without = withoutWords(administrators);
  const changing = useMutation({
    mutationFn: async () =>
      showSaved(
        endpointQuery(showSecondFactorRequirement).queryKey,
        await call(changeSecondFactorRequirement, { body: { required: !isRequired } }),
      ),
    onSuccess: async (saved) => {
      await refetch(showSession);
      setDone(
        saved.required
          ? "Administrators now need a second factor."
          : "Administrators no longer need a second factor.",
      );
    },
  });
  const question = isRequired
    ? "Stop requiring a second factor? Administrators can then remove theirs, and a stolen password is enough to sign in."
    : `Require a second factor from every administrator? ${without} Administrators without one have seven days to set it up. After that, they can do nothing else until they have one.`;
  return (
    <>
      <p>
        {isRequired ? (
          <>
            Since <DayText on={since} />, every administrator needs an authenticator app or a
            passkey in addition to the password. Administrators without one have seven days to set
            it up.
          </>
        ) : (
          "Administrators can sign in with only a password."
        )}{" "}
        {without}
      </p>
      <div>
        <Button
          kind={isRequired ? "danger" : "secondary"}
          pending={changing.isPending}
          onClick={() => {
            setDone(null);
            if (window.confirm(question)) changing.mutate();
          }}
        >
          {isRequired ? "Stop requiring a second factor" : "Require a second factor"}
        </Button>
      </div>
      <Notice>{done}</Notice>
    </>
  );
}

function withoutWords(administrators: Administrator[]): string {
  const without = administrators.filter(({ hasSecondFactor }) => !hasSecondFactor).length;
  if (without === 0) return "All administrators have a second factor.";
  const all = administrators.length;
  if (all === 1) return "You have no second factor yet.";
  return without === 1
    ? `One of the ${all} administrators has no second factor.`
    : `${without} of the ${all} administrators have no second factor.`;
}
