import { useQuery } from "@tanstack/react-query";
import { listMail } from "#features/mail/contract.ts";
import { endpointQuery } from "#web/queries.tsx";

/** How a single-use link reaches its person: it is mailed only where mail is being sent. */
export function LinkDelivery() {
  const mail = useQuery(endpointQuery(listMail, { query: { page: 1, per_page: 1 } }));
  return (
    <p>
      {mail.data?.delivery === "disk"
        ? "It is shown here for you to hand over: this service sends no mail yet."
        : "It is mailed to them, and shown here for you to hand over."}
    </p>
  );
}
