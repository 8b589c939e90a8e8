import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { asking } from "#web/queries.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#web/ui/states.tsx";
import { ChoosePasswordForm } from "./ChoosePasswordForm.tsx";
import { inspectLink } from "./contract.ts";

/** Where a single-use link leads: its code stands in the fragment, which no server sees. */
export function SignInLinkScreen() {
  const token = useLocation().hash.slice(1);
  const link = useQuery({ ...asking(inspectLink, { body: { token } }), enabled: token !== "" });
  return (
    <>
      <PageHeading title="Choose a password" about={link.data?.networkName} />
      <LinkContent token={token} link={link} />
    </>
  );
}

interface LinkContentProps {
  token: string;
  link: {
    data: { name: string; email: string } | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
}

function LinkContent({ token, link }: LinkContentProps) {
  if (!token) {
    return (
      <p>
        This address is not complete. Open the link from your invitation again, or{" "}
        <Link to="/sign-in">sign in with your password</Link>.
      </p>
    );
  }
  if (link.error) {
    return (
      <ErrorState
        title="This link cannot be used"
        error={link.error}
        pending={link.isFetching}
        onRetry={() => void link.refetch()}
      />
    );
  }
  if (!link.data) return <Loading />;
  return <ChoosePasswordForm token={token} name={link.data.name} email={link.data.email} />;
}
