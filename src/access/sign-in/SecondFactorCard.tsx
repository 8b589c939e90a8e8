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
export function SecondFactorCard() {
  const requirement = useQuery(endpointQuery(showSecondFactorRequirement));
  const administrators = useQuery(endpointQuery(listAdministrators));
  if (requirement.data && administrators.data)
    return <Requirement requirement={requirement.data} administrators={administrators.data} />;
  const error = requirement.error ?? administrators.error;
  if (!error) return <Loading />;
  return (
    <ErrorState
      title="Whether a second factor is required could not be loaded"
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
          ? "A second factor is required of administrators."
          : "No second factor is required any more.",
      );
    },
  });
  const question = isRequired
    ? "Stop requiring a second factor? Administrators can remove theirs then, and whoever has stolen a password gets in."
    : `Require a second factor of every administrator? ${without} Whoever has none gets seven days to set one up; after that everything else is closed to them until they have.`;
  return (
    <>
      <p>
        {isRequired ? (
          <>
            Every administrator needs an authenticator app or a passkey beside the password, since{" "}
            <DayText on={since} />. Who has none gets seven days to set one up.
          </>
        ) : (
          "Administrators may sign in with a password alone."
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
