import { Muted, Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import css from "./settings.module.css";

/** Settings for operators of the server, in technical terms; every other page is for staff. */
export function OperatorsScreen() {
  return (
    <>
      <PageHeading
        title="For operators"
        about="For whoever runs this service. Nobody else needs this page: print it for them, if they have no account here."
      />
      <Section title="Sending mail">
        <p>
          Mail goes to the server that <code>SMTP_URL</code> names. Set it for every process, and
          restart them. Until then each mail is a file in the folder <code>outbox</code> of{" "}
          <code>DATA_DIR</code>, and nobody receives it.
        </p>
        <pre className={css["code"]}>
          {[
            "SMTP_URL=smtp://user:password@mail.example.org:587",
            "MAIL_FROM=no-reply@example.org",
            "PUBLIC_URL=https://dues.example.org",
          ].join("\n")}
        </pre>
        <p>
          <code>MAIL_FROM</code> is the sender&rsquo;s address; links in mails lead to{" "}
          <code>PUBLIC_URL</code>. <Muted>docs/mail.md</Muted>
        </p>
      </Section>
      <Section title="Card processors">
        <p>
          Administrators enter the keys in Settings; they are tried with the processor and kept
          encrypted under <code>APP_SECRET</code>.
        </p>

        <p>
          Webhooks come to <code>PUBLIC_URL</code>: it must be an https address that the processor
          reaches. Settings shows the webhook&rsquo;s whole address.
        </p>
        <p>
          The server itself calls the processor. Elavon, and PayPal where the account says so, let
          only addresses in that are registered with them: give staff the address from which the
          server calls.
        </p>

        <p>
          <Muted>docs/operations.md, docs/adding-a-processor.md</Muted>
        </p>
      </Section>
      <Section title="Importing without a browser">
        <p>
          Files of more than 20 MB, and those that come every night, are imported on the server by
          the same rules as in the browser.
        </p>
        <pre className={css["code"]}>
          {[
            "npm run cli -- import-attorneys panel.csv --network 1",
            "npm run cli -- import-matters referrals.csv --network 1",
          ].join("\n")}
        </pre>
        <p>
          With <code>--skip-bad</code> the good rows are imported though others are bad.{" "}
          <Muted>docs/commands.md</Muted>
        </p>
      </Section>
      <Section title="Everything else">
        <p>
          Backups, upgrades, more processes, alarms and all variables stand in the documents that
          come with the source: docs/operations.md, docs/processes.md and docs/security.md. Programs
          use <a href="/api/docs">the HTTP interface</a>.
        </p>
      </Section>
    </>
  );
}
