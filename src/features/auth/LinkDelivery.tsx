import { useQuery } from "@tanstack/react-query";
import { listMail } from "#features/mail/contract.ts";
import { endpointQuery } from "#web/queries.tsx";

/** Whether mail is being sent; undefined until that is known. */
export function useSendsMail(): boolean | undefined {
  const mail = useQuery(endpointQuery(listMail, { query: { page: 1, per_page: 1 } }));
  return mail.data && mail.data.delivery === "server";
}

/** How the single-use link of a new account reaches its person. */
export function LinkDelivery() {
  return (
    <p>
      {useSendsMail() === false
        ? "It is shown here for you to hand over: this service sends no mail yet."
        : "It is mailed to them, and shown here for you to hand over."}
    </p>
  );
}
