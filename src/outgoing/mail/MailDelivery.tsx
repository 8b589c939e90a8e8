import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { z } from "zod";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { listMail } from "./contract.ts";

export type Delivery = z.output<(typeof listMail)["object"]>["delivery"];

/** Whether the network's mail is sent at all, where the mail itself is not shown. */
export function MailDelivery() {
  const { data } = useQuery(endpointQuery(listMail, { query: { page: 1, per_page: 1 } }));
  return (
    <>
      {data && <DeliveryWords delivery={data.delivery} />}
      <p>
        <Link to="/admin/mail">All mail</Link>
      </p>
    </>
  );
}

/** Whether anybody receives the mail, and whom to turn to. */
export function DeliveryWords({ delivery }: { delivery: Delivery }) {
  if (delivery === "server")
    return (
      <p>
        Mail is being sent. If somebody misses one, see in the list whether it was delivered, and
        ask them to look for it among their junk mail.
      </p>
    );
  return (
    <Warning title="Mail is not being sent">
      <p>
        This service is not connected to a mail server yet, so nobody receives its mail: it is only
        kept. Hand sign-in links over yourself meanwhile; they are shown when you make them.
      </p>
      <p>Ask the person who runs this service for you to connect a mail server.</p>
    </Warning>
  );
}
