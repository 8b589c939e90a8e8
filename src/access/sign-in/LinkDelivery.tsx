import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";

/** How the person gets the single-use link of a new account. */
export function LinkDelivery() {
  if (sendsMail()) return <p>We will email the link to them and show it here for you to copy.</p>;
  return (
    <>
      <p>The link will be shown here. Copy it and give it to them.</p>
      <EmailNotSetUp />
    </>
  );
}
