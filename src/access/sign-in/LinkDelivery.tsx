import { MailKept, sendsMail } from "#kit/web/mail-delivery.tsx";

/** How the single-use link of a new account reaches its person. */
export function LinkDelivery() {
  if (sendsMail()) return <p>It is mailed to them, and shown here for you to hand over.</p>;
  return (
    <>
      <p>It is shown here for you to hand over.</p>
      <MailKept />
    </>
  );
}
