import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { ChoosePasswordForm } from "./ChoosePasswordForm.tsx";
import { inspectLink } from "./contract.ts";
import { NewLink } from "./NewLink.tsx";
import { RequestLinkForm } from "./RequestLinkForm.tsx";

/** The page behind a single-use link. The code is in the fragment, which no server sees. Without one, request a link. */
export function SignInLinkScreen() {
  const token = useLocation().hash.slice(1);
  const link = useQuery({
    ...endpointQuery(inspectLink, { body: { token } }),
    enabled: token !== "",
    staleTime: "static", // a refetch would fail once this page has used the link
  });
  return (
    <>
      <PageHeading
        title={token ? "Choose a password" : "Reset your password"}
        about={link.data?.networkName}
      />
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
      <>
        <RequestLinkForm />
        <Link to="/sign-in">Sign in with your password</Link>
      </>
    );
  }
  if (link.error && !link.data) {
    return (
      <>
        <ErrorState
          title="This link cannot be used"
          error={link.error}
          pending={link.isFetching}
          onRetry={() => void link.refetch()}
        />
        <NewLink />
      </>
    );
  }
  if (!link.data) return <Loading />;
  return <ChoosePasswordForm token={token} name={link.data.name} email={link.data.email} />;
}
