import type { ReactNode } from "react";
import type { ProcessorName } from "#cards/shapes.ts";
import { Disclosure } from "#kit/web/ui/Disclosure.tsx";

/** Where to find each key in the account's own pages, in the processor's terms. */
const steps: Record<ProcessorName, ReactNode[]> = {
  stripe: [
    <>Sign in to the Stripe Dashboard as a user who may see API keys.</>,
    <>
      Under Developers, API keys, copy the <b>publishable key</b> and reveal the <b>secret key</b>.
      For Test, switch the Dashboard to its test mode first.
    </>,
    <>
      Save them here. Then, under Developers, Webhooks, add an endpoint with the address shown on
      this page, and enter its <b>signing secret</b> here.
    </>,
  ],
  anet: [
    <>
      Sign in to the Merchant Interface of Authorize.Net and open Account, Settings, Security
      Settings.
    </>,
    <>
      API Credentials &amp; Keys shows the <b>API login ID</b>, and makes a new{" "}
      <b>transaction key</b> and a <b>signature key</b>. Each is shown once: copy it right away.
      Making a new transaction key can end the old one, so first ask who else uses it.
    </>,
    <>
      Manage Public Client Key shows the <b>public client key</b>.
    </>,
    <>Also turn on the Transaction Details API there. We use it to look up payments.</>,
  ],
  lawpay: [
    <>Sign in to LawPay as the owner of the account, and open Settings, Developers.</>,
    <>
      The authorized application &ldquo;My Website&rdquo; shows the <b>public key</b>, a test and a
      live <b>secret key</b>, and the <b>ID of each account</b>. Use the operating account.
    </>,
  ],
  elavon: [
    <>
      The <b>account ID</b> is in the letter you got when Elavon opened your Converge account, and
      at the top of Converge.
    </>,
    <>
      In Converge, under Settings, Users, choose a user with the right &ldquo;Hosted Payment API
      User&rdquo;: its name is the <b>API user ID</b>. Its terminal shows the <b>PIN</b>.
    </>,
    <>Ask Elavon to allow this service's IP address. Your system administrator knows it.</>,
  ],
  paypal_payflow_pro: [
    <>
      <b>Partner</b> and <b>merchant login</b> are what you sign in to PayPal Manager with.
    </>,
    <>
      In PayPal Manager, under Account Administration, Manage Users, add a user for this service:
      its name is the <b>API user</b>, its password the <b>API password</b>. Without one, they are
      the merchant login and its password.
    </>,
    <>
      If PayPal Manager only allows certain addresses, add this service's IP address. Your system
      administrator knows it.
    </>,
  ],
};

export function KeyInstructions({ name, label }: { name: ProcessorName; label: string }) {
  return (
    <Disclosure summary={`Where to find the keys in ${label}`}>
      <ol>
        {steps[name].map((step, index) => (
          <li key={index}>{step}</li>
        ))}
      </ol>
      <p>If you cannot sign in there, ask the person who opened the account with {label}.</p>
    </Disclosure>
  );
}
