import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { z } from "zod";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { listMail } from "./contract.ts";

export type Delivery = z.output<(typeof listMail)["object"]>["delivery"];

/** Whether the network's email is sent, for screens that do not list it. */
export function MailDelivery() {
  const { data } = useQuery(endpointQuery(listMail, { query: { page: 1, per_page: 1 } }));
  return (
    <>
      {data && <MailDeliveryNotice delivery={data.delivery} />}
      <p>
        <Link to="/admin/mail">All email</Link>
      </p>
    </>
  );
}

/** Whether email is sent, and what to do if it is not. */
export function MailDeliveryNotice({ delivery }: { delivery: Delivery }) {
  if (delivery === "server")
    return (
      <p>
        Email is being sent. If someone did not get one, check its status in the list and ask them
        to look in their spam folder.
      </p>
    );
  return (
    <Warning title="Email is not being sent">
      <p>
        Email is not set up, so nothing is sent. Messages are saved here. Until then, copy sign-in
        links and give them to people yourself.
      </p>
      <p>Ask your system administrator to set up email.</p>
    </Warning>
  );
}
